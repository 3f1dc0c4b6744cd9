import { createPaint, type Style, wantsColour } from './paint.js';

/** Where a command writes: results to stdout, remarks to stderr, so that a pipe carries results only. */
export interface Output {
  readonly style: Style;
  /** True when a person looks at stdout. */
  readonly terminal: boolean;
  line(text: string): void;
  json(value: unknown): void;
  note(text: string): void;
}

/** The terminal's width, and 100 columns in a pipe. */
export function createOutput(env: Readonly<Record<string, string | undefined>>): Output {
  const terminal = process.stdout.isTTY === true;
  return {
    terminal,
    style: { width: process.stdout.columns || 100, paint: createPaint(wantsColour(terminal, env)) },
    line: (text) => void process.stdout.write(`${text}\n`),
    json: (value) => void process.stdout.write(`${JSON.stringify(value, null, terminal ? 2 : undefined)}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  };
}
