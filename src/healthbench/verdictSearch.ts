import { type ScannedObject, scanObject } from './lenientJson.js';
import { isSilent, mentionsVerdict } from './verdictText.js';

/** An object in a reply that could be the verdict. */
export interface Candidate extends ScannedObject {
  source: string;
  /** `JSON.parse` accepts it as it stands. */
  strict: boolean;
  /** Said in the middle of a sentence, so perhaps about a verdict rather than the verdict. */
  quoted: boolean;
}

/** The candidates of a reply and the text that stands around them, or why the reply cannot be read safely. */
export type Found = { candidates: Candidate[]; outside: string; afterLast: string } | { broken: string };

const REASONING = '[\\w:|-]{0,20}(?:think|thought|reason|analys|scratch|reflect|monolog|draft|deliberat)[\\w:|-]{0,20}';
const MARK = new RegExp(`\\{|<(/?)(${REASONING})>|\\[(/?)(THINK)\\]|(◁/?think▷)|<\\|channel\\|>\\s*(\\w*)`, 'gi');
/** What an object, well-formed or not, begins with; a brace before anything else is prose such as `{dose}`. */
const OBJECT_START = /\{\s*(?:\\?["'}“‘]|[A-Za-z_$][\w$-]*\s*:|$)/y;

/** The candidate that a text is as a whole, or null when the text is no object. */
export function wholeObject(text: string): Candidate | null {
  const scanned = scanObject(text, 0);
  return scanned?.end === text.length ? { ...scanned, source: text, strict: isJson(text), quoted: false } : null;
}

/**
 * Finds the objects of a reply that count as answer: outside of think blocks and, where there are channel
 * markers, in the final channel only. Prose, code fences and objects that are no verdict are stepped over.
 * Anything that could hide a verdict but cannot be read safely makes the whole reply `broken`.
 */
export function searchVerdicts(text: string): Found {
  return new Search(text).run();
}

class Search {
  private candidates: Candidate[] = [];
  private outside: string[] = [];
  /** How many pieces of `outside` stand before the end of the last candidate. */
  private piecesBefore = 0;
  private at = 0;
  private channel: string | null = null;

  constructor(private readonly text: string) {}

  run(): Found {
    for (let mark = this.nextMark(); mark; mark = this.nextMark()) {
      this.outside.push(this.text.slice(this.at, mark.index));
      this.at = mark.index + mark[0].length;
      const broken = this.step(mark);
      if (broken) return { broken };
    }
    this.outside.push(this.text.slice(this.at));
    const afterLast = this.outside.slice(this.piecesBefore).join('\n');
    return { candidates: this.candidates, outside: this.outside.join('\n'), afterLast };
  }

  private nextMark(): RegExpExecArray | null {
    MARK.lastIndex = this.at;
    return MARK.exec(this.text);
  }

  /** Handles one mark; returns what is wrong, if anything. */
  private step(mark: RegExpExecArray): string | null {
    const [source, slash, tag, bracketSlash, bracketTag, wideTag, channel] = mark;
    if (source === '{') return this.brace(mark.index);
    if (channel !== undefined) return this.enterChannel(channel.toLowerCase());
    if (tag !== undefined) return slash ? this.forget() : this.skipBlock(`</${tag}>`);
    if (bracketTag !== undefined) return bracketSlash ? this.forget() : this.skipBlock(`[/${bracketTag}]`);
    return wideTag?.includes('/') ? this.forget() : this.skipBlock('◁/think▷');
  }

  /** A closing tag without an opening one: everything before it was reasoning. */
  private forget(): null {
    this.candidates = [];
    this.outside = [];
    this.piecesBefore = 0;
    return null;
  }

  private skipBlock(closing: string): string | null {
    const end = this.text.toLowerCase().indexOf(closing.toLowerCase(), this.at);
    if (end < 0) return 'A reasoning block is not closed.';
    this.at = end + closing.length;
    return null;
  }

  private enterChannel(name: string): null {
    if (this.channel !== 'final') this.forget();
    if (name === 'final') {
      this.channel = 'final';
    } else {
      this.channel ??= name;
      const next = this.text.indexOf('<|channel|>', this.at);
      this.at = next < 0 ? this.text.length : next;
    }
    return null;
  }

  private brace(start: number): string | null {
    OBJECT_START.lastIndex = start;
    if (!OBJECT_START.test(this.text)) {
      this.outside.push('{');
      return null;
    }
    const scanned = scanObject(this.text, start);
    if (scanned) return this.accept(start, scanned);
    const end = balancedEnd(this.text, start);
    if (end === null) return 'An object is not closed.';
    if (mentionsVerdict(this.text.slice(start, end))) return 'An object with criteria_met is not valid JSON.';
    this.at = end;
    return null;
  }

  private accept(start: number, scanned: ScannedObject): string | null {
    const source = this.text.slice(start, scanned.end);
    this.at = scanned.end;
    if (scanned.verdicts.length === 0) return null;
    if (this.text.slice(0, start).trimEnd().endsWith('[')) return 'The verdict stands in a list.';
    const quoted = isQuoted(this.text, start, scanned);
    this.candidates.push({ ...scanned, source, strict: isJson(source), quoted });
    this.piecesBefore = this.outside.length;
    return null;
  }
}

function isQuoted(text: string, start: number, { end, explained }: ScannedObject): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const lineEnd = text.indexOf('\n', end);
  const after = text.slice(end, lineEnd < 0 ? text.length : lineEnd);
  if (isSilent(before) && isSilent(after)) return false;
  if (!explained) return true;
  if (isSilent(before) || isSilent(after)) return false;
  return /[\p{L}\p{N},"'“‘(]$/u.test(before.trimEnd()) || /^\s*[\p{Ll},;"'”’)?]/u.test(after);
}

/** Whether `JSON.parse` accepts a text as it stands. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the braces opened at `start` are closed (exclusive), those in double quotes left aside; null if never. */
function balancedEnd(text: string, start: number): number | null {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\[\s\S])*(?:"|$)|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return null;
}
