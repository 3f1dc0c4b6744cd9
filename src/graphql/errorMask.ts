import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { ExpectedError } from '../errors.js';
import { isZeroByteRefusal } from '../platform/database.js';
import type { Log } from '../platform/log.js';

/** Codes that graphql and Apollo give to what the caller did wrong. */
const CALLER_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** What graphql adds to a name that it does not know: names of the schema. */
const HINT = / Did you mean [^?]*\?/g;

/** What callers see of errors, on both transports. */
export class ErrorMask {
  /** @param hints whether messages may name what of the schema was perhaps meant */
  constructor(
    private readonly log: Log,
    private readonly hints: boolean,
  ) {}

  /**
   * Expected errors and the caller's own mistakes as they are, everything else as one sentence. Always with
   * `extensions.code` and `requestId`, under which the log has the whole error.
   */
  show(error: unknown, requestId: string): GraphQLFormattedError {
    const graphQLError = error instanceof GraphQLError ? error : null;
    const original = graphQLError === null ? error : (graphQLError.originalError ?? null);
    const place = graphQLError === null ? {} : { locations: graphQLError.locations, path: graphQLError.path };
    const shown = (message: string, code: string): GraphQLFormattedError => {
      const formatted = { message, ...place, extensions: { code, requestId } };
      return JSON.parse(JSON.stringify(formatted)) as GraphQLFormattedError;
    };
    const expected = unwrapped(original);
    if (expected !== null) return shown(expected.message, expected.code);
    if (isZeroByteRefusal(original)) return shown('A text in the input holds a zero byte.', 'INVALID_INPUT');
    const code = graphQLError?.extensions.code;
    // graphql-js blames documents and variables before anything runs, so without a path; an error with a path
    // and no original is a resolver's value that does not fit the schema: ours.
    const graphqls = original === null || original instanceof GraphQLError;
    const callers = graphQLError !== null && graphqls && graphQLError.path === undefined;
    if (graphQLError !== null && (CALLER_CODES.has(String(code)) || (callers && code === undefined))) {
      return shown(this.#worded(graphQLError.message), String(code ?? blame(graphQLError)));
    }
    this.log.error({ err: original ?? error, requestId }, 'unexpected error');
    return shown(`Something went wrong here. The log has it under request id ${requestId}.`, 'INTERNAL_SERVER_ERROR');
  }

  #worded(message: string): string {
    // In Apollo's words it is advice to whoever writes a server.
    if (message.startsWith('GraphQL introspection')) return 'The schema cannot be read here: introspection is off.';
    return this.hints ? message : message.replace(HINT, '');
  }
}

/** As Apollo says it over HTTP. */
function blame(error: GraphQLError): string {
  return error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED';
}

function unwrapped(error: unknown): ExpectedError | null {
  if (error instanceof ExpectedError) return error;
  return error instanceof GraphQLError && error.originalError instanceof ExpectedError ? error.originalError : null;
}
