import type { ServerResponse } from 'node:http';

/**
 * Calls `act` once, when the answer has been sent or its reader is gone; at once when that is the case already, for then
 * no event comes any more and what the answer holds would be held for ever.
 */
export function whenClosed(answer: ServerResponse, act: () => void): void {
  if (answer.destroyed) act();
  else answer.once('close', act);
}
