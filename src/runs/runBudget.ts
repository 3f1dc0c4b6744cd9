import { type Database, Prisma, type Queryable, type RunBudget } from '../platform/database.js';

/** What calls may cost or have cost, in the units of endpoints/cost. */
export interface Amount {
  calls: number;
  tokens: number;
  cost: bigint;
}

export const nothing: Amount = { calls: 0, tokens: 0, cost: 0n };

export const add = (a: Amount, b: Amount): Amount => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  cost: a.cost + b.cost,
});

export const subtract = (a: Amount, b: Amount): Amount => ({
  calls: a.calls - b.calls,
  tokens: a.tokens - b.tokens,
  cost: a.cost - b.cost,
});

/** A process that does not renew its hold for so long counts as dead; what it had reserved counts as spent. */
const HOLD_SECONDS = 30;

/** What one process has to say about the calls that it makes under a budget. */
export interface Exchange {
  teamId: string;
  runId: string;
  /** The process. */
  holder: string;
  /** What it has reserved so far. */
  outstanding: Amount;
  /** Calls that have ended: what was reserved for them, and what they are charged. */
  settled: readonly { reserved: Amount; charge: Amount }[];
  /** Calls to be made, in this order. */
  wanted: readonly Amount[];
}

export interface Exchanged {
  /** How many of `wanted`, from the first on, are reserved now. */
  granted: number;
  /** What the process has reserved after it. */
  outstanding: Amount;
  /** It had been silent for so long that all it had reserved was charged before; `settled` was left out. */
  lost: boolean;
  /** Something is reserved by somebody, so that room may come of itself. */
  inFlight: boolean;
  budget: RunBudget;
}

/**
 * Settles calls and reserves others, in one transaction under the lock of the run's budget row: what is spent
 * and reserved together never passes a limit by a reservation. Holds of dead processes are charged in full,
 * since their calls may have been made.
 */
export function exchange(db: Database, request: Exchange): Promise<Exchanged> {
  return db.$transaction(async (tx) => {
    const budget = await lockBudget(tx, request.runId);
    const holds = await holdsOf(tx, request.runId);
    const own = holds.find(({ holder }) => holder === request.holder);
    const lost = own === undefined && request.outstanding.calls > 0;
    const dead = holds.filter((hold) => hold !== own && hold.expired);
    const others = holds.filter((hold) => hold !== own && !hold.expired).reduce(add, nothing);
    const settled = lost ? [] : request.settled;
    let outstanding = lost ? nothing : request.outstanding;
    let spent: Amount = { calls: budget.spentCalls, tokens: Number(budget.spentTokens), cost: budget.spentCost };
    for (const { calls, tokens, cost } of dead) spent = add(spent, { calls, tokens, cost });
    for (const { reserved, charge } of settled) {
      outstanding = subtract(outstanding, reserved);
      spent = add(spent, charge);
    }
    let granted = 0;
    for (const wish of request.wanted) {
      if (!fits(budget, [spent, others, outstanding, wish].reduce(add, nothing))) break;
      outstanding = add(outstanding, wish);
      granted += 1;
    }
    await write(tx, request, spent, outstanding, dead);
    const inFlight = outstanding.calls + others.calls > 0;
    const after = { ...budget, spentCalls: spent.calls, spentTokens: BigInt(spent.tokens), spentCost: spent.cost };
    return { granted, outstanding, lost, inFlight, budget: after };
  });
}

async function lockBudget(tx: Queryable, runId: string): Promise<RunBudget> {
  const rows = await tx.$queryRaw<RunBudget[]>`
    SELECT run_id AS "runId", team_id AS "teamId", max_cost AS "maxCost", max_calls AS "maxCalls",
      max_tokens AS "maxTokens", spent_cost AS "spentCost", spent_calls AS "spentCalls", spent_tokens AS "spentTokens"
    FROM run_budget WHERE run_id = ${runId}::uuid FOR UPDATE`;
  if (rows[0] === undefined) throw new Error(`run ${runId} has lost its budget`);
  return rows[0];
}

type Hold = Amount & { holder: string; expired: boolean };

/** A statement of its own, after the lock: what others committed while it waited is seen. */
async function holdsOf(tx: Queryable, runId: string): Promise<Hold[]> {
  const rows = await tx.$queryRaw<(Omit<Hold, 'tokens'> & { tokens: bigint })[]>`
    SELECT holder, calls, tokens, cost, expires_at < clock_timestamp() AS expired
    FROM budget_hold WHERE run_id = ${runId}::uuid`;
  return rows.map((row) => ({ ...row, tokens: Number(row.tokens) }));
}

function fits(limits: Pick<RunBudget, 'maxCost' | 'maxCalls' | 'maxTokens'>, amount: Amount): boolean {
  const { maxCost, maxCalls, maxTokens } = limits;
  if (maxCost !== null && amount.cost > maxCost) return false;
  if (maxCalls !== null && amount.calls > maxCalls) return false;
  return maxTokens === null || amount.tokens <= Number(maxTokens);
}

async function write(tx: Queryable, key: Exchange, spent: Amount, held: Amount, dead: Hold[]): Promise<void> {
  const gone = dead.map(({ holder }) => holder);
  const { teamId, runId, holder } = key;
  await tx.$executeRaw`
    WITH spent AS (
      UPDATE run_budget SET spent_calls = ${spent.calls}, spent_tokens = ${BigInt(spent.tokens)}, spent_cost = ${spent.cost}
      WHERE run_id = ${runId}::uuid
    ), charged AS (
      DELETE FROM budget_hold WHERE run_id = ${runId}::uuid
        AND (holder = ANY(${gone}::uuid[]) OR (holder = ${holder}::uuid AND ${held.calls}::int = 0))
    )
    INSERT INTO budget_hold AS h (run_id, holder, team_id, calls, tokens, cost, expires_at)
    SELECT ${runId}::uuid, ${holder}::uuid, ${teamId}::uuid, ${held.calls}::int, ${BigInt(held.tokens)}::bigint,
      ${held.cost}::bigint, ${expiry()} WHERE ${held.calls}::int > 0
    ON CONFLICT (run_id, holder) DO UPDATE SET calls = excluded.calls, tokens = excluded.tokens, cost = excluded.cost,
      expires_at = excluded.expires_at`;
}

const expiry = () => Prisma.sql`clock_timestamp() + make_interval(secs => ${HOLD_SECONDS}::int)`;

/** Says that the process lives: its hold is good for another while. */
export async function renewHold(db: Database, runId: string, holder: string): Promise<void> {
  await db.$executeRaw`
    UPDATE budget_hold SET expires_at = ${expiry()} WHERE run_id = ${runId}::uuid AND holder = ${holder}::uuid`;
}
