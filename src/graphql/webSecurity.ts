import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Nothing here is a page: no browser may show it in a frame, run it, guess its type or keep it. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'interest-cohort=()',
  'referrer-policy': 'no-referrer',
  // Without effect over plain http, as the standard wants it.
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const ALLOWED_METHODS = 'GET, POST';
const ALLOWED_HEADERS = 'authorization, content-type, apollo-require-preflight';
const SHOWN_HEADERS = 'retry-after, x-request-id, x-assay-rows, content-disposition';
const PREFLIGHT_SECONDS = '600';

/**
 * Security headers and the request's id on every answer. Pages of `corsOrigins`, and no others, may call from a
 * browser; credentials of the browser (cookies) are never asked for, since a key in a header is the only one.
 *
 * @param corsOrigins such as `https://eval.example.org`, exactly as browsers send them
 */
export function registerWebSecurity(app: FastifyInstance, corsOrigins: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
    // What is sent depends on it, so nothing between may mix the answers up.
    if (corsOrigins.length > 0) reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !corsOrigins.includes(origin)) return;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', SHOWN_HEADERS);
    if (isPreflight(request)) return answerPreflight(reply);
  });
}

const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-methods', ALLOWED_METHODS)
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .code(204)
    .send();
}
