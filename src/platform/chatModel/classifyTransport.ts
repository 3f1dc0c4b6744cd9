import type { CallOutcome, FailReason, RetryReason } from './types.js';

type Rule = [RegExp, { retry: RetryReason } | { fail: FailReason }];

/** In this order: a reset during the TLS handshake is a reset, a time-out of it a time-out. */
const rules: Rule[] = [
  [
    /private address|address_blocked|blocked address|address is blocked|not allowed address/,
    { fail: 'address_blocked' },
  ],
  [/cancel/, { fail: 'cancelled' }],
  [/time[d-]? ?out|etime|deadline|und_err_\w*timeout/, { retry: 'timeout' }],
  [/econnreset|epipe|econnaborted|socket hang up|other side closed|und_err_socket|terminated/, { retry: 'connection' }],
  [/enotfound|eai_noname|eai_nodata|invalid_?url|invalid url|unknown scheme|bad port/, { fail: 'endpoint_not_found' }],
  [/econnrefused|ehostunreach|enetunreach|ehostdown|enetdown|eaddrnotavail|eai_/, { retry: 'unreachable' }],
  [/redirect/, { fail: 'redirect' }],
  [/cert|self[_-]signed|unable_to_(verify|get)|err_tls|err_ssl|\bssl\b|\btls\b|eproto|altname/, { fail: 'tls' }],
  [/^abort|abort_err|und_err_aborted|aborterror/, { fail: 'cancelled' }],
];

/**
 * What to do when no complete reply has arrived. What is not known counts as a broken connection.
 *
 * @param transport a code such as `ECONNRESET`, or the words of the failure
 */
export function classifyTransport(transport: string, message: string): CallOutcome {
  const text = transport.toLowerCase();
  const decision = rules.find(([pattern]) => pattern.test(text))?.[1] ?? { retry: 'connection' as const };
  if ('retry' in decision) return { kind: 'retry', reason: decision.retry, afterMs: null, status: null, message };
  return { kind: 'fail', reason: decision.fail, stopsRun: stopsRun(decision.fail), status: null, message };
}

const runStoppers = new Set<FailReason>([
  'auth',
  'billing',
  'quota',
  'model_not_found',
  'endpoint_not_found',
  'forbidden',
  'redirect',
  'tls',
  'address_blocked',
]);

/** True for the reasons that every other call with the same endpoint and model would meet too. */
export function stopsRun(reason: FailReason): boolean {
  return runStoppers.has(reason);
}
