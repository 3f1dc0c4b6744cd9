import { InvalidInput } from '../errors.js';
import { conversationsNeeded, minimalDetectableDifference } from '../healthbench/power.js';

/** GraphQL's Int ends here. */
const MAX_INT = 2 ** 31 - 1;

interface Paired {
  /** Of the mean difference; takes repeats into account. */
  standardError: number | null;
  conversations: number;
  difference: number;
}

/** The spread of one conversation's difference. */
const deviation = ({ standardError, conversations }: Paired): number | null =>
  standardError === null ? null : standardError * Math.sqrt(conversations);

/** The smallest true difference that so many conversations would show; null where their spread is not known. */
export function detectableDifference(of: Paired): number | null {
  const sd = deviation(of);
  return sd === null || sd === 0 ? null : minimalDetectableDifference(sd, of.conversations);
}

/** Why detectableDifference is null. */
export function noDetectableDifference(of: Paired): string | null {
  const sd = deviation(of);
  if (sd === null) return 'It takes at least two conversations.';
  return sd === 0 ? 'All conversations differ by the same: they show no spread to reckon with.' : null;
}

/**
 * How many conversations it takes to show a true difference, by default the one that was seen. Null where no number
 * is enough. Throws InvalidInput for 0.
 */
export function neededConversations(of: Paired, difference: number | null | undefined): number | null {
  if (difference === 0) throw new InvalidInput('must not be 0: no number of conversations shows that.', ['difference']);
  const sd = deviation(of);
  const wanted = difference ?? of.difference;
  if (sd === null || sd === 0 || wanted === 0) return null;
  const count = conversationsNeeded(sd, wanted);
  return count > MAX_INT ? null : count;
}
