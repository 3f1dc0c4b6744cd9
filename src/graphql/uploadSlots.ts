import type { FastifyReply } from 'fastify';
import { LimitExceeded } from '../errors.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { whenClosed } from './whenClosed.js';

/** An upload holds a database connection for as long as its file arrives, so slow ones must not take them all. */
const IN_ALL = 4;
const OF_A_TEAM = 2;

/** How many files are being uploaded to this process at the same time. */
export class UploadSlots {
  readonly #busy: string[] = [];

  /** Takes a slot until the answer is sent or the client is gone. Throws LimitExceeded when none is free. */
  take(context: RequestContext, reply: FastifyReply): void {
    const { teamId } = context;
    if (this.#busy.length >= IN_ALL || this.#busy.filter((team) => team === teamId).length >= OF_A_TEAM) {
      const message = `${OF_A_TEAM} uploads of a team, ${IN_ALL} in all, are taken at the same time: try again later.`;
      throw new LimitExceeded('TOO_MANY_UPLOADS', message);
    }
    this.#busy.push(teamId);
    whenClosed(reply.raw, () => this.#busy.splice(this.#busy.indexOf(teamId), 1));
  }
}
