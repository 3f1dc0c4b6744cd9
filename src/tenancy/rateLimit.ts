import { RateLimited, Unavailable } from '../errors.js';
import type { Log } from '../platform/log.js';
import type { RequestContext } from './requestContext.js';

/** Per key and minute, over all processes; what is not used adds up to one minute's worth. 0: no limit. */
export interface RateLimits {
  /** Reads; one that asks for many objects counts as several. */
  reads: number;
  /** Runs started, datasets imported, and other changes. */
  starts: number;
}

/** Reads are taken from the database in packs of this many, so that most of them cost no statement. */
const PACK = 50;
/** After this long a pack is given up, so that no process sits on what another could use. */
const PACK_MS = 10_000;
const MOST_PACKS = 10_000;

interface Pack {
  left: number;
  until: number;
  /** The statement that fills it, which everybody waits for who needs it filled. */
  filling: Promise<Answer> | null;
}

/** What a bucket says: granted 0 with the wait until there is enough; null when it cannot be asked. */
type Answer = { granted: number; waitSeconds: number } | null;

/**
 * Rate limits by token buckets in Postgres (table rate_bucket), so that they hold over all processes. When a bucket
 * cannot be asked, reads go on and starts are refused: a read costs little, a start costs money.
 */
export class RateLimit {
  readonly #packs = new Map<string, Pack>();

  constructor(
    private readonly limits: RateLimits,
    private readonly log: Log,
  ) {}

  /** Throws RateLimited when `tokens` reads (1 or more) are too many now. */
  async takeReads(context: RequestContext, tokens: number): Promise<void> {
    if (this.limits.reads === 0 || isUnlimited(context)) return;
    const least = Math.min(tokens, this.limits.reads);
    const pack = this.#packOf(context);
    while (pack.left < least || pack.until < Date.now()) {
      pack.filling ??= this.#fill(pack, context, least);
      const answer = await pack.filling;
      if (answer === null) return;
      if (answer.granted === 0) throw tooMuch(answer);
    }
    pack.left -= least;
  }

  /** Throws RateLimited when `count` starts are too many now, Unavailable when that cannot be known. */
  async takeStarts(context: RequestContext, count: number): Promise<void> {
    if (this.limits.starts === 0 || count === 0 || isUnlimited(context)) return;
    const least = Math.min(count, this.limits.starts);
    const answer = await this.#take(context, 'start', { least, most: least, capacity: this.limits.starts });
    if (answer === null) throw new Unavailable('The rate limit cannot be checked now, so nothing was changed.');
    if (answer.granted === 0) throw tooMuch(answer);
  }

  #packOf(context: RequestContext): Pack {
    const key = `${context.teamId} ${holderOf(context)}`;
    const pack = this.#packs.get(key) ?? { left: 0, until: 0, filling: null };
    if (this.#packs.size >= MOST_PACKS) this.#packs.clear();
    this.#packs.set(key, pack);
    return pack;
  }

  async #fill(pack: Pack, context: RequestContext, least: number): Promise<Answer> {
    const capacity = this.limits.reads;
    const answer = await this.#take(context, 'read', {
      least,
      most: Math.max(least, Math.min(PACK, capacity)),
      capacity,
    });
    pack.filling = null;
    if (answer !== null && answer.granted > 0) {
      pack.left = answer.granted + (pack.until < Date.now() ? 0 : pack.left);
      pack.until = Date.now() + PACK_MS;
    }
    return answer;
  }

  async #take(
    context: RequestContext,
    kind: 'read' | 'start',
    { least, most, capacity }: { least: number; most: number; capacity: number },
  ): Promise<Answer> {
    try {
      const rows = await context.db.$queryRaw<NonNullable<Answer>[]>`
        SELECT granted, wait_seconds AS "waitSeconds" FROM assay_take_tokens(${holderOf(context)}, ${kind},
          ${least}::float8, ${most}::float8, ${capacity}::float8, ${capacity / 60}::float8)`;
      return rows[0] ?? null;
    } catch (error) {
      this.log.error({ err: error, kind }, 'a rate limit cannot be checked');
      return null;
    }
  }
}

const tooMuch = (answer: NonNullable<Answer>): RateLimited =>
  new RateLimited(Math.max(1, Math.ceil(answer.waitSeconds)));

/** The operator belongs to no team and has the installation in hand anyway. */
const isUnlimited = ({ actor }: RequestContext): boolean => actor === null || actor.teamId === null;

/** A key by its id; a person, whose tokens change, by name. */
const holderOf = ({ actor }: RequestContext): string => actor?.keyId ?? `person ${actor?.keyName ?? ''}`;
