import { type ChildProcess, spawn } from 'node:child_process';
import type { Assay, Team } from './assay.js';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export type Run = (
  args: string[],
  env?: Record<string, string>,
  started?: (child: ChildProcess) => void,
) => Promise<Ended>;

/** `assay …` as a process of its own, with the URL of the service and the team's key in its environment. */
export function commandLine(assay: Assay, team: Team): Run {
  return (args, env = {}, started = () => {}) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, ['bin/assay.js', ...args], {
        env: { PATH: process.env.PATH as string, ASSAY_URL: assay.server.url, ASSAY_API_KEY: team.key, ...env },
      });
      const ended: Ended = { code: null, stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => {
        ended.stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        ended.stderr += chunk;
      });
      child.on('close', (code) => resolve({ ...ended, code }));
      started(child);
    });
}
