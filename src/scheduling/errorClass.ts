import type { CallOutcome } from '../platform/chatModel/types.js';

/**
 * What is done about a call without a usable reply (docs/errors.md).
 *
 * RETRY_LATER     asked again, within bounds: it may pass
 * CHANGE_REQUEST  sent again with one thing changed
 * FAIL_UNIT       this reply or criterion cannot be had; the others go on
 * STOP_RUN        every other call would fail too: the run waits for a person
 */
export type ErrorClass = 'RETRY_LATER' | 'CHANGE_REQUEST' | 'FAIL_UNIT' | 'STOP_RUN';

/** The class of an attempt. A reply that arrived but was not taken is asked for again. */
export function errorClass(outcome: CallOutcome): ErrorClass {
  switch (outcome.kind) {
    case 'ok':
    case 'retry':
      return 'RETRY_LATER';
    case 'fallback':
      return 'CHANGE_REQUEST';
    case 'fail':
      return outcome.stopsRun ? 'STOP_RUN' : 'FAIL_UNIT';
  }
}
