import type { Command } from 'commander';
import { createOutput, type Output } from './output.js';
import { readSettings, type Settings } from './settings.js';

/** What every command works with. */
export interface CliContext {
  readonly settings: Settings;
  readonly output: Output;
}

/** Settings and output for a command, from its global options and the environment. */
export function contextOf(command: Command): CliContext {
  return {
    settings: readSettings(command.optsWithGlobals(), process.env),
    output: createOutput(process.env),
  };
}
