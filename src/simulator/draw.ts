import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on nothing but the parts. */
export function draw(...parts: (string | number)[]): number {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part}\u0000`);
  return hash.digest().readUInt32BE(0) / 2 ** 32;
}

/** One of the choices, by the parts. */
export function pick<T>(choices: readonly T[], ...parts: (string | number)[]): T {
  const choice = choices[Math.floor(draw(...parts) * choices.length)];
  if (choice === undefined) throw new RangeError('There is nothing to pick from.');
  return choice;
}

/** A short name for a text, hex. */
export function digest(...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part}\u0000`);
  return hash.digest('hex').slice(0, 16);
}
