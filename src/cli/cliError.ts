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

/** The service answered with an error; `code` is its `extensions.code` or the code of a user error. */
export class ApiError extends CliError {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}
