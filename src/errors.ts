/**
 * The few errors that are expected. Everything else is a bug: it is logged with its stack and masked
 * for the caller. `code` is what clients see in `extensions.code` or in a user error.
 */
export abstract class ExpectedError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** No credential, or one that is unknown or revoked. Which of these is never said. */
export class Unauthenticated extends ExpectedError {
  readonly code = 'UNAUTHENTICATED';
  constructor() {
    super('A valid API key is needed: Authorization: Bearer assay_…');
  }
}

/** The credential is good but its role is too low. */
export class Forbidden extends ExpectedError {
  readonly code = 'FORBIDDEN';
}

/** Missing and foreign look the same. */
export class NotFound extends ExpectedError {
  readonly code = 'NOT_FOUND';
  constructor(
    what: string,
    readonly inputPath: readonly string[] = [],
  ) {
    super(`${what} not found: it was deleted, belongs to another team, or never was.`);
  }
}

/** The input cannot be accepted; `inputPath` points into it (not `path`: graphql-js takes an error with one for its own). */
export class InvalidInput extends ExpectedError {
  readonly code = 'INVALID_INPUT';
  constructor(
    message: string,
    readonly inputPath: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The request is fine but the state of things does not allow it. */
export class Conflict extends ExpectedError {
  readonly code = 'CONFLICT';
  constructor(
    message: string,
    readonly inputPath: readonly string[] = [],
  ) {
    super(message);
  }
}

/** A document that asks for more than one operation may; found before anything runs. `code` says which limit. */
export class LimitExceeded extends ExpectedError {
  constructor(
    readonly code:
      | 'QUERY_TOO_LONG'
      | 'QUERY_TOO_DEEP'
      | 'QUERY_TOO_EXPENSIVE'
      | 'TOO_MANY_ALIASES'
      | 'TOO_MANY_FIELDS'
      | 'TOO_MANY_ROOT_FIELDS'
      | 'TOO_MANY_SUBSCRIPTIONS'
      | 'TOO_MANY_UPLOADS',
    message: string,
  ) {
    super(message);
  }
}

/** The key has used up what it may for now. */
export class RateLimited extends ExpectedError {
  readonly code = 'RATE_LIMITED';
  /** @param retryAfterSeconds a whole number, at least 1 */
  constructor(readonly retryAfterSeconds: number) {
    super(`Too much in too short a time with this key: try again in ${retryAfterSeconds} s.`);
  }
}

/** Something that must be known first cannot be known now; nothing was done. */
export class Unavailable extends ExpectedError {
  readonly code = 'UNAVAILABLE';
}

/** A mistake in the settings; the process ends with this message. */
export class ConfigurationError extends ExpectedError {
  readonly code = 'CONFIGURATION';
}
