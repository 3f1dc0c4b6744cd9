import type { Queryable } from '../platform/database.js';
import type { ModelSettings } from './modelSettings.js';

/** Sizes of the texts of chosen conversations, once for each; characters are code points. */
export interface TextSizes {
  conversations: number;
  messages: number;
  messageCharacters: number;
  criteria: number;
  /** Of the criteria with their points. */
  criterionCharacters: number;
  /** Of the messages, once for each criterion of their conversation, as the grader gets them. */
  gradedMessages: number;
  gradedCharacters: number;
}

/** Reads the sizes in one statement; the texts stay in the database. */
export async function measureTexts(db: Queryable, datasetId: string, numbers: number[]): Promise<TextSizes> {
  const rows = await db.$queryRaw<TextSizes[]>`
    SELECT count(*)::int AS "conversations", coalesce(sum(m.n), 0)::float8 AS "messages",
      coalesce(sum(m.characters), 0)::float8 AS "messageCharacters", coalesce(sum(r.n), 0)::int AS "criteria",
      coalesce(sum(r.characters), 0)::float8 AS "criterionCharacters",
      coalesce(sum(m.n * r.n), 0)::float8 AS "gradedMessages",
      coalesce(sum(m.characters * r.n), 0)::float8 AS "gradedCharacters"
    FROM conversation c
    CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(length(message ->> 'content')), 0) AS characters
      FROM jsonb_array_elements(c.messages) AS message) AS m
    CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(length(text) + length(points_text) + 3), 0) AS characters
      FROM rubric_criterion WHERE dataset_id = c.dataset_id AND conversation_no = c.no) AS r
    WHERE c.dataset_id = ${datasetId}::uuid AND c.no = ANY(${numbers}::int[])`;
  return rows[0] as TextSizes;
}

/** Mean ms of a call of this kind to the model in the team's newest run with one; null when there is none. */
export async function measuredLatency(
  db: Queryable,
  teamId: string,
  { endpointId, model }: ModelSettings,
  kind: 'reply' | 'grading',
): Promise<number | null> {
  const rows =
    kind === 'reply'
      ? await db.$queryRaw<{ ms: number | null }[]>`
          SELECT avg(latency_ms)::float8 AS ms FROM (SELECT latency_ms FROM reply WHERE run_id = (
            SELECT run.id FROM run JOIN run_progress p ON p.run_id = run.id
            WHERE run.team_id = ${teamId}::uuid AND run.model_endpoint_id = ${endpointId}::uuid AND run.model = ${model}
              AND p.replies > 0 ORDER BY run.id DESC LIMIT 1) LIMIT 500) AS newest`
      : await db.$queryRaw<{ ms: number | null }[]>`
          SELECT avg(latency_ms)::float8 AS ms FROM (SELECT latency_ms FROM criterion_verdict WHERE run_id = (
            SELECT run.id FROM run JOIN verdict_log l ON l.run_id = run.id
            WHERE run.team_id = ${teamId}::uuid AND run.grader_endpoint_id = ${endpointId}::uuid
              AND run.grader_model = ${model} AND l.last_sequence > 0 ORDER BY run.id DESC LIMIT 1) LIMIT 500) AS newest`;
  return rows[0]?.ms ?? null;
}

/** What an endpoint allows. */
export interface EndpointLimits {
  id: string;
  maxConcurrency: number;
  /** Null: no such limit. */
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

/** The limits of endpoints as they are now. */
export function loadLimits(db: Queryable, teamId: string, ids: string[]): Promise<EndpointLimits[]> {
  return db.modelEndpoint.findMany({
    where: { teamId, id: { in: ids } },
    select: { id: true, maxConcurrency: true, requestsPerMinute: true, tokensPerMinute: true },
  });
}
