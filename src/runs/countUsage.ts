import type { Queryable } from '../platform/database.js';
import { Prisma } from '../platform/database.js';
import type { CallUsage } from './usage.js';

/** The assignments that add the usage of the model under test to the counters of a run_progress row. */
export function modelUsageAdded(usage: CallUsage): Prisma.Sql {
  return Prisma.sql`
    model_calls = model_calls + ${usage.calls}::int,
    model_prompt_tokens = model_prompt_tokens + ${usage.promptTokens}::bigint,
    model_completion_tokens = model_completion_tokens + ${usage.completionTokens}::bigint,
    model_cached_tokens = ${added('model_cached_tokens', usage.cachedTokens)},
    model_reasoning_tokens = ${added('model_reasoning_tokens', usage.reasoningTokens)},
    model_unmeasured_calls = model_unmeasured_calls + ${usage.unmeasuredCalls}::int`;
}

/** Likewise for the grader and a verdict_log row. */
export function graderUsageAdded(usage: CallUsage): Prisma.Sql {
  return Prisma.sql`
    grader_calls = grader_calls + ${usage.calls}::int,
    grader_prompt_tokens = grader_prompt_tokens + ${usage.promptTokens}::bigint,
    grader_completion_tokens = grader_completion_tokens + ${usage.completionTokens}::bigint,
    grader_cached_tokens = ${added('grader_cached_tokens', usage.cachedTokens)},
    grader_reasoning_tokens = ${added('grader_reasoning_tokens', usage.reasoningTokens)},
    grader_unmeasured_calls = grader_unmeasured_calls + ${usage.unmeasuredCalls}::int`;
}

/** Null stays null until a provider says a number: not reported is not zero. */
function added(column: string, more: number | null): Prisma.Sql {
  const name = Prisma.raw(column);
  return more === null ? name : Prisma.sql`coalesce(${name}, 0) + ${more}::bigint`;
}

/** Counts calls of the model under test that came to nothing: they have been paid for all the same. */
export async function countModelUsage(tx: Queryable, runId: string, usage: CallUsage): Promise<void> {
  if (usage.calls === 0) return;
  await tx.$executeRaw`UPDATE run_progress SET ${modelUsageAdded(usage)} WHERE run_id = ${runId}::uuid`;
}
