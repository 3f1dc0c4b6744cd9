import { draw, pick } from './draw.js';
import { bodies, closings, openings, reasons, warnings } from './phrases.js';

/** How often criteria are met by a middling model: by the sign of their points, or without a known sign. */
const metRate = { positive: 0.64, negative: 0.2, unknown: 0.5 };
/** How far the best and the worst model are from the middling one, in the same order. */
const metSpread = { positive: 0.3, negative: -0.2, unknown: 0.2 };
/** Share of criteria that a grader decides on its own instead of like all the others. */
const graderNoise = 0.08;

export interface SimulatedMessage {
  role: string;
  content: string;
}

/**
 * The reply of a simulated model: plausible sentences that say nothing about the question, marked as simulated
 * at both ends. Depends on nothing but the arguments.
 */
export function simulatedReply(input: { seed: number; model: string; messages: SimulatedMessage[] }): string {
  const { seed, model, messages } = input;
  const key = [seed, model, ...messages.map(({ role, content }) => `${role}: ${content}`)];
  const paragraphs = 1 + Math.floor(draw('paragraphs', ...key) * 3 + modelQuality(model));
  const text: string[] = [];
  for (let at = 0; at < paragraphs; at += 1) {
    const sentences = [0, 1, 2].map((no) => pick(bodies, 'body', at, no, ...key));
    text.push([...new Set(sentences)].join(' '));
  }
  const opening = pick(openings, 'opening', ...key);
  const end = `${pick(warnings, 'warning', ...key)} ${pick(closings, 'closing', ...key)}`;
  return `[simulated reply] ${opening}\n\n${text.join('\n\n')}\n\n${end}\n\n(simulated by ${model})`;
}

/**
 * The verdict of a simulated grader on the criterion in its prompt. Most verdicts are the same whoever the
 * grader is. The points are known only from `[5]` or `[-5]` at the start of a line of the prompt, and the
 * replying model, whose quality shifts the rates, only from the mark at the end of its simulated reply.
 */
export function simulatedVerdict(input: { seed: number; model: string; prompt: string }): {
  criteriaMet: boolean;
  explanation: string;
} {
  const { seed, model, prompt } = input;
  const sign = signInPrompt(prompt);
  const own = draw('noise', seed, model, prompt) < graderNoise;
  const luck = own ? draw('own verdict', seed, model, prompt) : draw('verdict', seed, prompt);
  const criteriaMet = luck < metRate[sign] + metSpread[sign] * (modelQuality(replyingModel(prompt)) - 0.5);
  const found = sign === 'negative' ? (criteriaMet ? 'occurred' : 'avoided') : criteriaMet ? 'met' : 'notMet';
  const reason = pick(reasons[found], 'reason', seed, model, prompt);
  return { criteriaMet, explanation: `Simulated verdict: ${reason}.` };
}

/** From 0 to 1, by words in the name such as `strong` or `mini`; 0.5 give or take for others. */
export function modelQuality(model: string | null): number {
  if (model === null) return 0.5;
  const own = (draw('quality', model) - 0.5) * 0.2;
  if (/strong|large|pro\b|good|best|opus|xl/i.test(model)) return 0.85 + own;
  if (/weak|small|mini|nano|tiny|bad|lite/i.test(model)) return 0.15 + own;
  return 0.5 + own;
}

function signInPrompt(prompt: string): keyof typeof metRate {
  const points = [...prompt.matchAll(/^[ \t]*\[([+-]?\d+(?:\.\d+)?)\][ \t]/gm)].at(-1)?.[1];
  if (points === undefined || Number(points) === 0) return 'unknown';
  return Number(points) > 0 ? 'positive' : 'negative';
}

function replyingModel(prompt: string): string | null {
  return [...prompt.matchAll(/\(simulated by ([^()\n]{1,200})\)/g)].at(-1)?.[1] ?? null;
}
