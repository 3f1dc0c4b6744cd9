import { styleText } from 'node:util';

/** Colours by meaning; without colour every one returns the text unchanged. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
}

/** Colours for a terminal, or none. */
export function createPaint(coloured: boolean): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text;
  return {
    strong: style('bold'),
    faint: style('dim'),
    good: style('green'),
    bad: style('red'),
    warning: style('yellow'),
  };
}

/** Only on a terminal that can, and not when NO_COLOR has a value (no-color.org). */
export function wantsColour(terminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return terminal && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** How something is drawn. */
export interface Style {
  /** Columns. */
  readonly width: number;
  readonly paint: Paint;
}
