/**
 * Text as Postgres can store it: U+0000 is left out, and a surrogate without its partner becomes U+FFFD.
 * Whole emoji and every other character stay as they are.
 */
export function storableText(text: string): string {
  const withoutZeros = text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;
  return withoutZeros.toWellFormed();
}
