import { clip } from './score.js';

/** Scores of one conversation with each missing verdict at its worst and at its best. */
export interface ConversationBounds {
  worst: number;
  best: number;
}

/**
 * Bounds of a conversation's score: a missing verdict (null) at its worst is an unmet positive or a met negative
 * criterion, at its best the opposite. Without any verdict: all penalties and nothing else, and 1. Equal to the
 * score when nothing is missing. Null without positive points, as the score is then undefined.
 */
export function conversationBounds(
  items: readonly { points: number; criteriaMet: boolean | null }[],
): ConversationBounds | null {
  let worst = 0;
  let best = 0;
  let possible = 0;
  for (const { points, criteriaMet } of items) {
    if (points > 0) possible += points;
    if (criteriaMet ?? points < 0) worst += points;
    if (criteriaMet ?? points > 0) best += points;
  }
  return possible > 0 ? { worst: worst / possible, best: best / possible } : null;
}

/**
 * Bounds of a run's score over all its selected conversations, each by its score where it has one: the mean first,
 * then the clip. Null without conversations.
 */
export function runBounds(
  conversations: readonly (ConversationBounds & { score: number | null })[],
): { lower: number; upper: number } | null {
  if (conversations.length === 0) return null;
  let lower = 0;
  let upper = 0;
  for (const { score, worst, best } of conversations) {
    lower += score ?? worst;
    upper += score ?? best;
  }
  return { lower: clip(lower / conversations.length), upper: clip(upper / conversations.length) };
}
