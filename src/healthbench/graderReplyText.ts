import { isObject } from './jsonObject.js';

/** What the content of a grader message amounts to: its text, or that it is a refusal. */
export type ReplyText = { text: string } | { refusal: string };

const TEXT_PARTS = ['text', 'output_text'];

const INVISIBLE = /[\s\u200b-\u200f\u2060\ufeff]/;

/** The text without white space, byte order marks and zero-width characters at either end. */
export function trimInvisible(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && INVISIBLE.test(text.charAt(start))) start += 1;
  while (end > start && INVISIBLE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Joins the text parts of a content; parts of any other type, reasoning above all, are never looked at. */
export function replyText(content: unknown): ReplyText {
  if (typeof content === 'string') return { text: content };
  if (!Array.isArray(content)) return { text: '' };
  const refusal = content.find((part) => isObject(part) && part.type === 'refusal');
  if (refusal) return { refusal: 'The content has a refusal part.' };
  return { text: content.map(partText).join('') };
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part) || typeof part.text !== 'string' || part.thought === true) return '';
  return part.type === undefined || TEXT_PARTS.includes(String(part.type)) ? part.text : '';
}

const REFUSAL =
  /^(?:(?:i['’]?m|i am)\s+(?:very\s+|really\s+|so\s+)?sorry|sorry|i\s+apologi[sz]e|my apologies|unfortunately|as an ai[^,.]{0,60})?[\s,.;:!—–-]*(?:but\s+)?(?:i\s+(?:cannot|can\s?not|can['’]?t|won['’]?t|will not|must decline|have to decline|decline)|(?:i['’]?m|i am)\s+(?:not able|unable|not comfortable))\b[^.]{0,40}?\b(?:help|assist|comply|fulfil|fulfill|provide|answer|grade|judge|evaluate|assess|engage|discuss|continue|support|do that|decline|request)/i;

/** Whether a reply without any verdict says in plain words that the grader will not answer. */
export function isPlainRefusal(text: string): boolean {
  return REFUSAL.test(text.trim());
}
