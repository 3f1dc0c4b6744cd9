import { type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * A JSON logger on standard error (standard output belongs to what the caller asked for).
 * Fields that may hold a secret are removed wherever they stand.
 *
 * @param level a pino level, or `silent`
 */
export function createLog(level: string): Log {
  const secrets = ['apiKey', 'authorization', 'secret', 'password', '*.apiKey', '*.authorization', '*.secret'];
  return pino({ level, redact: { paths: secrets, remove: true }, base: null }, pino.destination(2));
}
