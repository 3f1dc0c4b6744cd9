import type { Database } from '../../src/platform/database.js';

/** As the official main file: 5,000 conversations with 2 to 20 criteria each, 57,500 in all. */
export const CONVERSATIONS = 5_000;

const themes = `ARRAY['communication', 'complex_responses', 'context_seeking', 'emergency_referrals', 'global_health',
  'health_data_tasks', 'hedging']`;
const axes = `ARRAY['accuracy', 'completeness', 'context_awareness', 'communication_quality', 'instruction_following']`;

/** A dataset of full size, written by SQL: an import would take longer than the test. Returns its row id. */
export async function seedDataset(db: Database, teamId: string): Promise<string> {
  const datasetId = crypto.randomUUID();
  await db.$executeRawUnsafe(`
    INSERT INTO dataset (id, team_id, name, sha256, format, byte_size, conversation_count, criterion_count)
    VALUES ('${datasetId}', '${teamId}', 'full size', '${datasetId}', 'HEALTHBENCH', 60000000, ${CONVERSATIONS}, 57000)`);
  await db.$executeRawUnsafe(`
    INSERT INTO conversation (dataset_id, team_id, no, prompt_id, messages, tags, theme, raw)
    SELECT '${datasetId}', '${teamId}', no, 'prompt-' || no, '[{"role":"user","content":"An invented question?"}]',
      ARRAY['theme:' || (${themes})[1 + no % 7]], (${themes})[1 + no % 7], ''
    FROM generate_series(0, ${CONVERSATIONS - 1}) AS no`);
  await db.$executeRawUnsafe(`
    INSERT INTO rubric_criterion (dataset_id, team_id, conversation_no, no, text, points, points_text, tags, axis)
    SELECT '${datasetId}', '${teamId}', c.no, r, 'Criterion ' || r || ' of an invented rubric', points, points::text,
      ARRAY['axis:' || axis, 'level:' || CASE WHEN r < 2 THEN 'cluster' ELSE 'example' END]
        || CASE WHEN r < 2 THEN ARRAY['cluster:' || c.theme || '_question_' || r] ELSE '{}' END, axis
    FROM conversation c, generate_series(0, 1 + ((c.no * 7) % 20)) AS r,
      LATERAL (SELECT CASE WHEN r > 0 AND (c.no + r) % 3 = 0 THEN -1 ELSE 1 END * (1 + (c.no + r) % 10) AS points,
        (${axes})[1 + (c.no + r) % 5] AS axis) AS values
    WHERE c.dataset_id = '${datasetId}'`);
  return datasetId;
}

/** Completes a started run by SQL, about `percent` of the criteria met. */
export async function completeRun(db: Database, runId: string, percent: number): Promise<void> {
  await db.$executeRawUnsafe(`
    INSERT INTO criterion_verdict
      (run_id, sequence, team_id, ordinal, criterion_no, criteria_met, explanation, attempts, latency_ms)
    SELECT rc.run_id, row_number() OVER (ORDER BY rc.ordinal, r.no), rc.team_id, rc.ordinal, r.no,
      abs(hashtext(rc.run_id || '-' || rc.ordinal || '-' || r.no)) % 100 < ${percent},
      repeat('The reply says so in its second sentence. ', 7), 1, 800
    FROM run_conversation rc JOIN run ON run.id = rc.run_id
    JOIN rubric_criterion r ON r.dataset_id = run.dataset_id AND r.conversation_no = rc.conversation_no
    WHERE rc.run_id = '${runId}'`);
  await db.$executeRawUnsafe(`
    WITH points AS (
      SELECT v.ordinal, t.tag, coalesce(sum(r.points) FILTER (WHERE v.criteria_met), 0) AS earned,
        coalesce(sum(r.points) FILTER (WHERE r.points > 0), 0) AS possible
      FROM criterion_verdict v JOIN run_conversation rc ON rc.run_id = v.run_id AND rc.ordinal = v.ordinal
      JOIN run ON run.id = v.run_id
      JOIN rubric_criterion r ON r.dataset_id = run.dataset_id AND r.conversation_no = rc.conversation_no
        AND r.no = v.criterion_no
      CROSS JOIN LATERAL unnest(r.tags || '{}'::text[] || ARRAY['']) AS t(tag)
      WHERE v.run_id = '${runId}' GROUP BY v.ordinal, t.tag
    ), rows AS (
      SELECT ordinal, array_agg(tag ORDER BY tag) FILTER (WHERE tag <> '') AS tags,
        array_agg(earned ORDER BY tag) FILTER (WHERE tag <> '') AS earned,
        array_agg(possible ORDER BY tag) FILTER (WHERE tag <> '') AS possible,
        max(earned) FILTER (WHERE tag = '') AS all_earned, max(possible) FILTER (WHERE tag = '') AS all_possible
      FROM points GROUP BY ordinal
    )
    UPDATE run_conversation rc SET status = 'SCORED', score = all_earned / all_possible, earned = all_earned,
      possible = all_possible, tags = rows.tags, tag_earned = rows.earned, tag_possible = rows.possible, settled_at = now()
    FROM rows WHERE rc.run_id = '${runId}' AND rc.ordinal = rows.ordinal`);
  await db.$executeRawUnsafe(`UPDATE run SET status = 'COMPLETED', finished_at = now() WHERE id = '${runId}'`);
  await db.$executeRawUnsafe(`UPDATE run_progress SET scored = ${CONVERSATIONS} WHERE run_id = '${runId}'`);
}
