/** Fills a team's history with full-size runs by SQL on the server; everything in it is made up. */
import { v7 } from 'uuid';

const CONVERSATIONS = 5000;
/** 11.4 a conversation on average, as the main dataset has. */
const CRITERIA = 57_000;

/** Tables are filled without checking foreign keys one by one; the rows keep them. */
export async function seedDataset(client, teamId) {
  const datasetId = v7();
  await client.query("SET session_replication_role = 'replica'");
  await client.query(
    `INSERT INTO dataset (id, team_id, name, sha256, format, byte_size, conversation_count, criterion_count, warnings)
     VALUES ($1, $2, 'made-up history', 'made-up', 'HEALTHBENCH', 1, ${CONVERSATIONS}, ${CRITERIA}, '{}')`,
    [datasetId, teamId],
  );
  await client.query(
    `INSERT INTO conversation (dataset_id, no, team_id, prompt_id, messages, tags, theme, raw)
     SELECT $1, no, $2, 'made-up-' || no, '[{"role":"user","content":"made up"}]',
       ARRAY['theme:theme_' || no % 7, 'physician_agreed_category:category_' || no % 17], 'theme_' || no % 7, '{}'
     FROM generate_series(0, ${CONVERSATIONS - 1}) AS no`,
    [datasetId, teamId],
  );
  // 9 + (0 … 4.8) criteria, about a third of them negative; one in seven is a shared one with a cluster.
  await client.query(
    `INSERT INTO rubric_criterion (dataset_id, conversation_no, no, team_id, text, points, points_text, tags, axis)
     SELECT $1, i * ${CONVERSATIONS} / ${CRITERIA}, row_number() OVER (PARTITION BY i * ${CONVERSATIONS} / ${CRITERIA} ORDER BY i) - 1,
       $2, 'Made-up criterion ' || i, p.points, p.points::text,
       ARRAY['axis:axis_' || i % 5, CASE WHEN i % 7 = 0 THEN 'level:cluster' ELSE 'level:example' END]
         || CASE WHEN i % 7 = 0 THEN ARRAY['cluster:cluster_' || i % 37] ELSE '{}' END, 'axis_' || i % 5
     FROM generate_series(0, ${CRITERIA - 1}) AS i,
       LATERAL (SELECT CASE WHEN i % 10 IN (3, 6, 9) THEN -1 - i % 8 ELSE 1 + i % 9 END AS points) AS p`,
    [datasetId, teamId],
  );
  return datasetId;
}

/** One run in which every criterion has a verdict, RUNNING and without aggregates; `share` of it is done. */
export async function seedRun(client, { teamId, datasetId, endpointId, no, share = 1 }) {
  const runId = v7();
  const settings = JSON.stringify({
    ...{ endpointId, endpointName: 'made up', baseUrl: 'http://127.0.0.1:9/v1', model: `model-${no % 20}` },
    ...{ temperature: null, reasoningEffort: null, maxTokens: null, systemMessage: null, simulated: true },
  });
  const scoring = JSON.stringify({
    ...{ profile: 'healthbench', version: 1, notComparable: false, deviations: [] },
    lengthRule: { variant: 'MAIN', centre: 2000, penaltyPer500: 0.0299 },
  });
  await client.query(
    `INSERT INTO run (id, team_id, name, dataset_id, dataset_sha256, sample, repeats, model_endpoint_id, model, model_under_test,
       grader_endpoint_id, grader_model, grader, grader_prompt, grader_prompt_name, grader_prompt_sha256, scoring_profile, scoring,
       fingerprint, version, conversation_count, criterion_count, status, started_at)
     VALUES ($1, $2, $3, $4, 'made-up', '{"method":"ALL","size":${CONVERSATIONS},"seed":null}', 1, $5, $6, $7, $5, 'judge', $7,
       'Judge {prompt} {completion} {criterion}', 'made up', 'made-up', 'healthbench', $8, '[]', '0', ${CONVERSATIONS}, ${CRITERIA},
       'RUNNING', now())`,
    [runId, teamId, `made-up run ${no}`, datasetId, endpointId, `model-${no % 20}`, settings, scoring],
  );
  await client.query(conversationRows, [runId, teamId, datasetId, no, Math.floor(share * CONVERSATIONS)]);
  await client.query(
    `INSERT INTO criterion_verdict (run_id, sequence, team_id, ordinal, criterion_no, criteria_met, explanation, attempts, latency_ms)
     SELECT $1, row_number() OVER (ORDER BY r.conversation_no, r.no), $2, r.conversation_no, r.no, ${met},
       repeat('Made-up explanation of a verdict. ', 6), 1, 1000
     FROM rubric_criterion r WHERE r.dataset_id = $3 AND r.conversation_no < $5 AND $4::int IS NOT NULL`,
    [runId, teamId, datasetId, no, Math.floor(share * CONVERSATIONS)],
  );
  await client.query(
    `INSERT INTO verdict_log (run_id, team_id, last_sequence, positive_graded, positive_met, negative_graded, negative_met, grader_calls)
     SELECT $1, $2, sum(hits[2] + hits[4]), sum(hits[2]), sum(hits[1]), sum(hits[4]), sum(hits[3]), 0
     FROM run_conversation WHERE run_id = $1 AND status = 'SCORED'`,
    [runId, teamId],
  );
  await client.query(
    `INSERT INTO run_progress (run_id, team_id, scored, replies) SELECT $1, $2, count(*), count(*)
     FROM run_conversation WHERE run_id = $1 AND status = 'SCORED'`,
    [runId, teamId],
  );
  return runId;
}

/** Whether the made-up grader of run $4 finds a criterion met. */
const met = '(hashint4(r.conversation_no * 64 + r.no + $4::int * 1000003) & 1023) < 480 + ($4::int % 20) * 10';
const hits = (where) => `ARRAY[
  count(*) FILTER (WHERE ${where} points > 0 AND met), count(*) FILTER (WHERE ${where} points > 0),
  count(*) FILTER (WHERE ${where} points < 0 AND met), count(*) FILTER (WHERE ${where} points < 0)]::int[]`;

/** One row a conversation as the pipeline settles it: score, points and hits by tag. */
const conversationRows = `
  WITH judged AS (
    SELECT r.conversation_no, r.points, r.tags, ${met} AS met FROM rubric_criterion r WHERE r.dataset_id = $3
  ), whole AS (
    SELECT conversation_no, count(*) AS n, sum(points) FILTER (WHERE points > 0) AS possible,
      coalesce(sum(points) FILTER (WHERE met), 0) AS earned, ${hits('')} AS hits
    FROM judged GROUP BY conversation_no
  ), tag AS (
    SELECT conversation_no, tag, coalesce(sum(points) FILTER (WHERE points > 0), 0) AS possible,
      coalesce(sum(points) FILTER (WHERE met), 0) AS earned, ${hits('')} AS hits
    FROM judged, unnest(tags) AS tag GROUP BY conversation_no, tag
  ), tags AS (
    SELECT conversation_no, array_agg(tag ORDER BY tag) AS tags, array_agg(earned ORDER BY tag) AS earned,
      array_agg(possible ORDER BY tag) AS possible,
      array_agg(hits ORDER BY tag) AS hits
    FROM tag GROUP BY conversation_no
  )
  INSERT INTO run_conversation (run_id, ordinal, team_id, conversation_no, repeat, criterion_count, theme, status, score,
    earned, possible, worst_score, best_score, reply_length, hits, tags, tag_earned, tag_possible, tag_hits, settled_at)
  SELECT $1, c.no, $2, c.no, 1, whole.n, c.theme, state.status::run_conversation_status,
    CASE WHEN state.done THEN whole.earned / whole.possible END, whole.earned, whole.possible,
    CASE WHEN state.done THEN whole.earned / whole.possible ELSE -1 END,
    CASE WHEN state.done THEN whole.earned / whole.possible ELSE 1 END, 1000 + c.no % 3000, whole.hits, tags.tags,
    tags.earned, tags.possible, ARRAY(SELECT unnest(tags.hits)), now()
  FROM conversation c JOIN whole ON whole.conversation_no = c.no JOIN tags ON tags.conversation_no = c.no
  CROSS JOIN LATERAL (SELECT c.no < $5 AS done, CASE WHEN c.no < $5 THEN 'SCORED' ELSE 'PENDING' END AS status) AS state
  WHERE c.dataset_id = $3`;
