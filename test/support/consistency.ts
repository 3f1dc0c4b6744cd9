import { expect } from '@jest/globals';
import { uuidOf } from '../../src/platform/relay/globalId.js';
import type { Assay } from './assay.js';

/** Every counter of a run beside what its rows say, counted by Postgres itself. */
const COUNTS = `
  SELECT run.status::text, run.conversation_count AS conversations, run.criterion_count AS criteria,
    (SELECT count(*)::int FROM criterion_verdict v WHERE v.run_id = run.id) AS verdicts,
    (SELECT count(DISTINCT (ordinal, criterion_no))::int FROM criterion_verdict v WHERE v.run_id = run.id) AS judged,
    (SELECT coalesce(max(sequence), 0) FROM criterion_verdict v WHERE v.run_id = run.id) AS newest,
    json_build_array(l.last_sequence, l.positive_graded, l.positive_met, l.negative_graded, l.negative_met, l.ungraded) AS log_counters,
    (SELECT json_build_array(count(v.*), count(v.*) FILTER (WHERE c.points > 0), count(v.*) FILTER (WHERE c.points > 0 AND v.criteria_met),
        count(v.*) FILTER (WHERE c.points < 0), count(v.*) FILTER (WHERE c.points < 0 AND v.criteria_met),
        (SELECT count(*) FROM ungraded_criterion u WHERE u.run_id = run.id))
      FROM criterion_verdict v JOIN run_conversation rc ON rc.run_id = v.run_id AND rc.ordinal = v.ordinal
      JOIN rubric_criterion c ON c.dataset_id = run.dataset_id AND c.conversation_no = rc.conversation_no AND c.no = v.criterion_no
      WHERE v.run_id = run.id) AS log_rows,
    json_build_array(p.scored, p.ungraded, p.failed, p.replies) AS progress_counters,
    (SELECT json_build_array(count(*) FILTER (WHERE status = 'SCORED'), count(*) FILTER (WHERE status = 'UNGRADED'),
        count(*) FILTER (WHERE status = 'FAILED'), (SELECT count(*) FROM reply WHERE reply.run_id = run.id))
      FROM run_conversation rc WHERE rc.run_id = run.id) AS progress_rows
  FROM run JOIN verdict_log l ON l.run_id = run.id JOIN run_progress p ON p.run_id = run.id WHERE run.id = $1::uuid`;

interface Counts {
  status: string;
  conversations: number;
  criteria: number;
  verdicts: number;
  judged: number;
  newest: number;
  log_counters: number[];
  log_rows: number[];
  progress_counters: number[];
  progress_rows: number[];
}

/** Asserts that counters and rows agree, and that the log has neither gaps nor doubles. */
export async function expectConsistent(assay: Assay, runId: string): Promise<Counts> {
  const [row] = await assay.services.db.$queryRawUnsafe<Counts[]>(COUNTS, uuidOf('Run', runId));
  if (row === undefined) throw new Error('there is no such run');
  expect(row.judged).toBe(row.verdicts);
  expect(row.newest).toBe(row.verdicts);
  expect(row.log_counters).toEqual(row.log_rows);
  expect(row.progress_counters).toEqual(row.progress_rows);
  return row;
}

/** As expectConsistent, and the run is over with every criterion graded. */
export async function expectComplete(assay: Assay, runId: string): Promise<void> {
  const row = await expectConsistent(assay, runId);
  expect(row).toMatchObject({ status: 'COMPLETED', verdicts: row.criteria });
  expect(row.progress_rows).toEqual([row.conversations, 0, 0, row.conversations]);
}

/** Waits until `fact` holds. What a broken connection throws meanwhile does not count. */
export async function until(fact: () => Promise<boolean> | boolean, seconds = 30): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    if (await Promise.resolve(fact()).catch(() => false)) return;
    if (Date.now() > deadline) throw new Error(`not so within ${seconds} s: ${fact}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
