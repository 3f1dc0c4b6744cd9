import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The address that a server process prints when it is ready, without a slash at the end. */
export async function serverUrl(server: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const found = /(http:\/\/\S+)\/graphql/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the server did not start');
}
