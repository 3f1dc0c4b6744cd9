import type { UserErrorFragment } from './generated/operations.js';

/** Everything that this client throws. */
export class ClientError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The service answered with an error; `code` is its `extensions.code`, the code of a user error, or a close code. */
export class ApiError extends ClientError {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** A mutation was refused for reasons that its caller can mend. `code` is that of the first. */
export class RefusedInput extends ApiError {
  constructor(readonly userErrors: readonly UserErrorFragment[]) {
    const lines = userErrors.map(({ code, message, path }) => {
      return `${code}${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${message}`;
    });
    super(lines.join('\n'), userErrors[0]?.code ?? 'UNKNOWN');
  }
}

/** Nothing answers at `url`. */
export class Unreachable extends ClientError {
  constructor(
    readonly url: string,
    /** Such as ECONNREFUSED. */
    readonly detail: string,
  ) {
    super(`No service answers at ${url} (${detail}).`);
  }
}

/** A subscription's connection broke; asking again from the last cursor may help. */
export class ConnectionLost extends Unreachable {}

/** One entry of `errors` in a GraphQL answer. */
export interface GraphqlFailure {
  message: string;
  extensions?: { code?: string; requestId?: string };
}

/** The error for the `errors` of a GraphQL answer, the same over HTTP and the socket. */
export function graphqlError(errors: readonly GraphqlFailure[]): ApiError {
  const [first] = errors;
  const code = first?.extensions?.code ?? 'UNKNOWN';
  const requestId = code === 'INTERNAL_SERVER_ERROR' ? first?.extensions?.requestId : undefined;
  const message = [...new Set(errors.map((error) => error.message))].join('\n');
  return new ApiError(requestId ? `${message} (request ${requestId}; the service's log has the cause)` : message, code);
}
