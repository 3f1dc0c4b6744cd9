import { ApiError, ClientError, RefusedInput, Unreachable } from '../client/errors.js';

/** Something the person at the terminal can act on: printed without a stack, ends with `exitCode`. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, 2);
  }
}

/** What to tell a person about an error, with what to do about it where that is known; null: a bug. */
export function toldError(error: unknown): CliError | null {
  if (error instanceof CliError) return error;
  if (error instanceof Unreachable) {
    return new CliError(`${error.message} Start it with "npm start", or name another with --url or ASSAY_URL.`);
  }
  if (error instanceof RefusedInput || (error instanceof ClientError && !(error instanceof ApiError))) {
    return new CliError(error.message);
  }
  return error instanceof ApiError ? new CliError(adviceOn(error)) : null;
}

function adviceOn({ code, message }: ApiError): string {
  if (code === 'UNAUTHENTICATED') {
    return 'The service does not accept the API key. Set ASSAY_API_KEY, or use the data folder of the running service (ASSAY_DATA_DIR).';
  }
  if (code === 'FORBIDDEN') {
    const role = /\b(RUNNER|ADMIN)\b/.exec(message)?.[0].toLowerCase() ?? 'admin';
    return `${message}\nAn admin of the team makes a key that may: assay keys create NAME --role ${role}`;
  }
  return `${code}: ${message}`;
}
