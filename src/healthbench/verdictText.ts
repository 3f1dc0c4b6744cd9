/** Whether a text speaks of the key `criteria_met`, in any spelling. */
export function mentionsVerdict(text: string): boolean {
  return /criteria.{0,8}met/i.test(text);
}

/** Whether a text says nothing: white space, code fences, markers, tags, stray braces. */
export function isSilent(text: string): boolean {
  const words = text.replaceAll(/(?:`{3,}|~{3,})\s*\w*|<\|[^|<]*\|>|<\/?\w+>|^\s*json\b/gi, '');
  return words.replaceAll(/[\s{}`\u200b-\u200f\u2060\ufeff]/g, '') === '';
}

const ASSIGNMENT =
  /criteria[\s_\\-]{0,3}met["'`*\\]*\s*(?:[:=：]|->|→)["'`*\\\s]*(true|false|yes|no)?|criteria[\s_\\-]{0,3}met["'`*\\]*\s+(?:is|should|would|must)\s+(?:be\s+|set\s+to\s+|now\s+)*["'`*\\]*(true|false)\b/gi;

/** Whether prose around a verdict assigns `criteria_met` anything else than this value. */
export function contradicts(prose: string, criteriaMet: boolean): boolean {
  const agreeing = criteriaMet ? ['true', 'yes'] : ['false', 'no'];
  return [...prose.matchAll(ASSIGNMENT)].some(([, assigned, said]) => {
    const value = (assigned ?? said)?.toLowerCase();
    return value === undefined || !agreeing.includes(value);
  });
}
