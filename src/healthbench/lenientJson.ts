/** A key that reads like `criteria_met`, wherever it stands in an object. */
export interface VerdictKey {
  /** Spelled exactly `criteria_met`, once escapes are read. */
  exact: boolean;
  /** 1 for a member of the outermost object. */
  depth: number;
  /** The value as written. */
  value: string;
}

/** An object found in a text: where it ends (exclusive) and what it says about the verdict. */
export interface ScannedObject {
  end: number;
  /** The outermost object has a member `explanation`. */
  explained: boolean;
  verdicts: VerdictKey[];
}

const MAX_DEPTH = 100;
const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y;
const SCALAR = /-?(?:[0-9][0-9.eE+-]*|[A-Za-z]+)/y;

/**
 * Reads the object that starts at `start`: JSON and, beyond it, single quotes, raw control characters and odd
 * escapes in strings, bare words such as True and NaN, and trailing commas. Every string must be followed by
 * what the grammar asks for, so quotes inside a string that were not escaped end the reading instead of being
 * guessed at. Unlike `JSON.parse` it shows repeated keys.
 * @returns null when it is no such object, or is cut.
 */
export function scanObject(text: string, start: number): ScannedObject | null {
  const scanner = new Scanner(text, start);
  return scanner.object(1) ? { end: scanner.at, explained: scanner.explained, verdicts: scanner.verdicts } : null;
}

/** Whether a key means the verdict, whatever its case and separators. */
function readsLikeVerdict(key: string): boolean {
  return key.toLowerCase().replaceAll(/[^a-z]/g, '') === 'criteriamet';
}

class Scanner {
  explained = false;
  readonly verdicts: VerdictKey[] = [];

  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  object(depth: number): boolean {
    if (depth > MAX_DEPTH || !this.take('{')) return false;
    while (!this.take('}')) {
      if (!this.member(depth)) return false;
      if (!this.take(',')) return this.take('}');
    }
    return true;
  }

  private member(depth: number): boolean {
    const source = this.match(STRING);
    if (source === null || !this.take(':')) return false;
    const start = this.at;
    if (!this.value(depth)) return false;
    const key = decodedKey(source);
    const value = this.text.slice(start, this.at).trim();
    if (readsLikeVerdict(key)) this.verdicts.push({ exact: key === 'criteria_met', depth, value });
    if (depth === 1 && key === 'explanation') this.explained = true;
    return true;
  }

  private value(depth: number): boolean {
    this.match(SPACE);
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.list(depth + 1);
      default:
        return this.match(STRING) !== null || this.match(SCALAR) !== null;
    }
  }

  private list(depth: number): boolean {
    if (depth > MAX_DEPTH || !this.take('[')) return false;
    while (!this.take(']')) {
      if (!this.value(depth)) return false;
      if (!this.take(',')) return this.take(']');
    }
    return true;
  }

  /** Steps over white space and then the character, if it is next. */
  private take(character: string): boolean {
    this.match(SPACE);
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    if (character === ',' || character === '{') this.match(SPACE);
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }
}

function decodedKey(source: string): string {
  const inner = source.slice(1, -1);
  return inner.replaceAll(/\\u([0-9a-fA-F]{4})|\\([\s\S])/g, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
