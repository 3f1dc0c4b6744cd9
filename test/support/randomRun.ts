import fc from 'fast-check';
import { ConversationSettler } from '../../src/grading/settle.js';
import { unreported } from '../../src/platform/chatModel/usage.js';
import { markFailed, markReplied } from '../../src/runs/settleConversation.js';
import { noUsage } from '../../src/runs/usage.js';
import { recordVerdicts } from '../../src/verdicts/recordVerdicts.js';
import { UngradedWriter } from '../../src/verdicts/ungradedWriter.js';
import type { Assay } from './assay.js';
import type { TestConversation } from './dataset.js';

/** What becomes of one conversation in one repeat: no reply, nothing yet, or a reply and a verdict or none (null) each. */
export type Fate = { kind: 'failed' | 'pending' } | { kind: 'replied'; reply: string; verdicts: (boolean | null)[] };

export interface RandomRun {
  conversations: TestConversation[];
  repeats: number;
  /** By ordinal. */
  fates: Fate[];
}

const TAGS = ['axis:accuracy', 'axis:completeness', 'level:example', 'theme:hedging'];
const THEMES = ['theme:hedging', 'theme:global_health', 'physician_agreed_category:no-uncertainty'];

const criterion = fc.record({
  points: fc.oneof(fc.integer({ min: -10, max: 10 }), fc.constantFrom(0.5, -2.25)).filter((points) => points !== 0),
  tags: fc.subarray(TAGS),
});
const rubric = fc
  .array(criterion, { minLength: 1, maxLength: 6 })
  .filter((items) => items.some(({ points }) => points > 0));

/** Runs of a few conversations in every state: the arithmetic of aggregates, not their size, is what is tried. */
export const randomRun: fc.Arbitrary<RandomRun> = fc
  .record({
    rubrics: fc.array(fc.record({ criteria: rubric, tags: fc.subarray(THEMES) }), { minLength: 1, maxLength: 5 }),
    repeats: fc.integer({ min: 1, max: 3 }),
  })
  .chain(({ rubrics, repeats }) => {
    const conversations = rubrics.map((one, i) => ({ ...one, promptId: `prompt-${i}` }));
    const fates = Array.from({ length: repeats }, () => conversations.map(({ criteria }) => fate(criteria.length)));
    return fc.tuple(...fates.flat()).map((all) => ({ conversations, repeats, fates: all }));
  });

function fate(criteria: number): fc.Arbitrary<Fate> {
  const verdicts = (value: fc.Arbitrary<boolean | null>) =>
    fc.array(value, { minLength: criteria, maxLength: criteria });
  const reply = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `😀${text}`);
  const replied = (value: fc.Arbitrary<boolean | null>) =>
    fc.record({ kind: fc.constant('replied' as const), reply, verdicts: verdicts(value) });
  return fc.oneof(
    { arbitrary: replied(fc.boolean()), weight: 6 },
    { arbitrary: replied(fc.option(fc.boolean(), { freq: 3 })), weight: 2 },
    { arbitrary: fc.record({ kind: fc.constantFrom('failed' as const, 'pending' as const) }), weight: 1 },
  );
}

const ONE_CALL = { ...noUsage, calls: 1 };

/** Lets each conversation of a RUNNING run meet its fate, by the functions that the pipeline uses. */
export async function play(assay: Assay, key: { teamId: string; runId: string }, run: RandomRun): Promise<void> {
  const { db } = assay.services;
  const settler = new ConversationSettler({
    db,
    queue: { assertHeld: async () => {}, send: async () => {} },
    replanner: { settled: () => {} },
  });
  for (const [ordinal, one] of run.fates.entries()) {
    const job = { ...key, ordinal };
    if (one.kind === 'failed') await markFailed(db, job, { reason: 'time-out', message: 'invented' });
    if (one.kind !== 'replied') continue;
    await markReplied(db, key.runId, [ordinal], ONE_CALL);
    await db.reply.create({ data: { ...job, text: one.reply, latencyMs: 1, attempts: 1 } });
    const { criteria } = run.conversations[ordinal % run.conversations.length] as TestConversation;
    const tries = { ...job, latencyMs: 1, usage: ONE_CALL, reported: unreported, failedAttempts: [] };
    const judged = one.verdicts.flatMap((criteriaMet, criterionNo) => {
      const points = criteria[criterionNo]?.points as number;
      return criteriaMet === null ? [] : [{ ...tries, criterionNo, points, criteriaMet, explanation: 'invented' }];
    });
    if (judged.length > 0) await recordVerdicts(db, key.runId, judged);
    for (const [criterionNo, criteriaMet] of one.verdicts.entries()) {
      if (criteriaMet !== null) continue;
      await new UngradedWriter(db, { held: async (_tx, leases) => new Set(leases) }).note(
        { ...job, criterionNo, usage: ONE_CALL, failedAttempts: [], reason: 'empty', message: 'invented' },
        { queue: '', id: '', attempt: 0 },
      );
    }
    await settler.settle(job, one.reply, { queue: '', id: '', attempt: 0 });
  }
}

/** What was pending fails, so that the run can end. */
export async function failPending(assay: Assay, key: { teamId: string; runId: string }, run: RandomRun): Promise<void> {
  for (const [ordinal, one] of run.fates.entries()) {
    if (one.kind !== 'pending') continue;
    await markFailed(assay.services.db, { ...key, ordinal }, { reason: 'time-out', message: 'invented' });
  }
}
