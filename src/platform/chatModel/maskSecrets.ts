const mask = '***';

/** Shapes of key material: prefixed keys, tokens of HTTP, JSON web tokens, half-starred and long random words. */
const shapes: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, `$1 ${mask}`],
  [/\beyJ[\w-]+(\.[\w-]*){1,2}/g, mask],
  [/\b(?:sk|pk|rk|gsk|xai|hf|nvapi|r8|fw|tgp|glpat|ghp|AKIA|AIza)[-_]?(?=[\w*.-]*[\d*])[\w*.-]{6,}/g, mask],
  [/\b(?:sk|pk|rk|gsk|xai|hf|nvapi)-[^\s"',;)}\]]+/g, mask],
  [/((?:api[-_ ]?key|access[-_ ]?token|secret|authorization)["']?\s*[:=]\s*["']?)[^\s"',;}]{6,}/gi, `$1${mask}`],
  [/[\w-]*\*{3,}[\w*-]+/g, mask],
  [/\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{28,}\b/g, mask],
];

/**
 * A provider's words without key material: what looks like a key or token, and `apiKey` itself, become
 * three stars. May also mask an innocent long word.
 */
export function maskSecrets(text: string, apiKey: string | null = null): string {
  let masked = maskKey(text, apiKey);
  for (const [shape, replacement] of shapes) masked = masked.replace(shape, replacement);
  return masked;
}

/** Takes only the endpoint's own key out. */
export function maskKey(text: string, apiKey: string | null): string {
  return apiKey !== null && apiKey.length >= 4 ? text.replaceAll(apiKey, mask) : text;
}

/** At most `length` UTF-16 units, well-formed and without NUL, so that Postgres can store it. */
export function cutText(text: string, length: number): string {
  return text.slice(0, length).replaceAll('\0', '').toWellFormed();
}
