import { type Database, Prisma } from '../platform/database.js';
import { globalId } from '../platform/relay/globalId.js';
import type { RunRow } from '../runs/run.queries.js';
import type { Column, Table } from './table.js';

/** Rows a statement. */
const BATCH = 1_000;

interface VerdictExportRow {
  sequence: number;
  ordinal: number;
  repeat: number;
  promptId: string;
  theme: string | null;
  conversationTags: string[];
  conversationScore: number | null;
  criterionNo: number;
  criterion: string;
  points: number;
  axis: string | null;
  tags: string[];
  criteriaMet: boolean;
  explanation: string;
  attempts: number;
  latencyMs: number | null;
  gradedAt: Date;
  reply: string | null;
  canary: string | null;
}

/** What stands on every row, so that a file needs no join and no second file; the id is the one that the API takes. */
function runColumns<R>(run: RunRow): Column<R>[] {
  const fixed = (name: string, value: string | null) => ({ name, type: 'string' as const, value: () => value });
  return [
    fixed('run_id', globalId('Run', run.id)),
    fixed('run', run.name),
    fixed('model', run.model),
    fixed('grader', run.graderModel),
    fixed('grader_prompt_sha256', run.graderPromptSha256),
    fixed('scoring_profile', run.scoringProfile),
    fixed('dataset_sha256', run.datasetSha256),
  ];
}

/** Every verdict of a run up to the one that was newest when the export began. */
export function verdictTable(db: Database, run: RunRow): Table<VerdictExportRow> {
  const last = run.log?.lastSequence ?? 0;
  return {
    name: 'verdicts',
    rowCount: last,
    rows: verdictRows(db, run, last),
    columns: [
      ...runColumns<VerdictExportRow>(run),
      { name: 'sequence', type: 'integer', value: (row) => row.sequence },
      { name: 'prompt_id', type: 'string', value: (row) => row.promptId },
      { name: 'ordinal', type: 'integer', value: (row) => row.ordinal },
      { name: 'repeat', type: 'integer', value: (row) => row.repeat },
      { name: 'theme', type: 'string', value: (row) => row.theme },
      { name: 'conversation_tags', type: 'string', value: (row) => row.conversationTags.join(' ') },
      { name: 'conversation_score', type: 'number', value: (row) => row.conversationScore },
      { name: 'criterion_no', type: 'integer', value: (row) => row.criterionNo },
      { name: 'criterion', type: 'string', value: (row) => row.criterion },
      { name: 'points', type: 'number', value: (row) => row.points },
      { name: 'axis', type: 'string', value: (row) => row.axis },
      { name: 'tags', type: 'string', value: (row) => row.tags.join(' ') },
      { name: 'criteria_met', type: 'boolean', value: (row) => row.criteriaMet },
      { name: 'explanation', type: 'string', value: (row) => row.explanation },
      { name: 'attempts', type: 'integer', value: (row) => row.attempts },
      { name: 'latency_ms', type: 'integer', value: (row) => row.latencyMs },
      { name: 'graded_at', type: 'timestamp', value: (row) => row.gradedAt },
      { name: 'reply', type: 'string', value: (row) => row.reply },
      { name: 'canary', type: 'string', value: (row) => row.canary },
    ],
  };
}

async function* verdictRows(db: Database, run: RunRow, last: number): AsyncGenerator<VerdictExportRow> {
  // Each verdict looks up its conversation and criterion by key; see verdict.queries.ts for why not plain joins.
  for (let after = 0; after < last; after += BATCH) {
    yield* await db.$queryRaw<VerdictExportRow[]>`
      SELECT v.sequence, v.ordinal, v.criterion_no AS "criterionNo", v.criteria_met AS "criteriaMet", v.explanation,
        v.attempts, v.latency_ms AS "latencyMs", v.graded_at AS "gradedAt", c.*, r.text AS reply
      FROM criterion_verdict v
      CROSS JOIN LATERAL (
        SELECT rc.repeat, rc.score AS "conversationScore", rc.conversation_no FROM run_conversation rc
        WHERE rc.run_id = v.run_id AND rc.ordinal = v.ordinal LIMIT 1) AS place
      CROSS JOIN LATERAL (
        SELECT place.repeat, place."conversationScore", con.prompt_id AS "promptId", con.theme,
          con.tags AS "conversationTags", con.canary, cr.text AS criterion, cr.points, cr.axis, cr.tags
        FROM conversation con
        JOIN rubric_criterion cr ON cr.dataset_id = con.dataset_id AND cr.conversation_no = con.no
        WHERE con.dataset_id = ${run.datasetId}::uuid AND con.no = place.conversation_no AND cr.no = v.criterion_no
        LIMIT 1) AS c
      LEFT JOIN LATERAL (
        SELECT reply.text FROM reply WHERE reply.run_id = v.run_id AND reply.ordinal = v.ordinal LIMIT 1) AS r ON true
      WHERE v.run_id = ${run.id}::uuid AND v.team_id = ${run.teamId}::uuid
        AND v.sequence > ${after} AND v.sequence <= ${Math.min(after + BATCH, last)}
      ORDER BY v.sequence`;
  }
}

interface ConversationExportRow {
  ordinal: number;
  repeat: number;
  promptId: string;
  theme: string | null;
  tags: string[];
  status: string;
  reason: string | null;
  score: number | null;
  earned: number | null;
  possible: number | null;
  criterionCount: number;
  messages: unknown;
  reply: string | null;
  finishReason: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  latencyMs: number | null;
  canary: string | null;
}

/** Every conversation of a run, with its reply and score, or why it has none. */
export function conversationTable(db: Database, run: RunRow): Table<ConversationExportRow> {
  return {
    name: 'conversations',
    rowCount: run.conversationCount,
    rows: conversationRows(db, run),
    columns: [
      ...runColumns<ConversationExportRow>(run),
      { name: 'prompt_id', type: 'string', value: (row) => row.promptId },
      { name: 'ordinal', type: 'integer', value: (row) => row.ordinal },
      { name: 'repeat', type: 'integer', value: (row) => row.repeat },
      { name: 'theme', type: 'string', value: (row) => row.theme },
      { name: 'tags', type: 'string', value: (row) => row.tags.join(' ') },
      { name: 'status', type: 'string', value: (row) => row.status },
      { name: 'reason', type: 'string', value: (row) => row.reason },
      { name: 'score', type: 'number', value: (row) => row.score },
      { name: 'earned', type: 'number', value: (row) => row.earned },
      { name: 'possible', type: 'number', value: (row) => row.possible },
      { name: 'criteria', type: 'integer', value: (row) => row.criterionCount },
      { name: 'messages', type: 'string', value: (row) => JSON.stringify(row.messages) },
      { name: 'reply', type: 'string', value: (row) => row.reply },
      { name: 'finish_reason', type: 'string', value: (row) => row.finishReason },
      { name: 'prompt_tokens', type: 'integer', value: (row) => row.promptTokens },
      { name: 'completion_tokens', type: 'integer', value: (row) => row.completionTokens },
      { name: 'latency_ms', type: 'integer', value: (row) => row.latencyMs },
      { name: 'canary', type: 'string', value: (row) => row.canary },
    ],
  };
}

async function* conversationRows(db: Database, run: RunRow): AsyncGenerator<ConversationExportRow> {
  for (let from = 0; from < run.conversationCount; from += BATCH) {
    yield* await db.$queryRaw<ConversationExportRow[]>`
      SELECT rc.ordinal, rc.repeat, con.prompt_id AS "promptId", con.theme, con.tags, rc.status::text AS status,
        rc.reason, rc.score, rc.earned, rc.possible, rc.criterion_count AS "criterionCount", con.messages, con.canary,
        r.text AS reply, r.finish_reason AS "finishReason", r.prompt_tokens AS "promptTokens",
        r.completion_tokens AS "completionTokens", r.latency_ms AS "latencyMs"
      FROM run_conversation rc
      JOIN conversation con ON con.dataset_id = ${run.datasetId}::uuid AND con.no = rc.conversation_no
      LEFT JOIN reply r ON r.run_id = rc.run_id AND r.ordinal = rc.ordinal
      WHERE rc.run_id = ${run.id}::uuid AND rc.team_id = ${run.teamId}::uuid
        AND rc.ordinal >= ${from} AND rc.ordinal < ${from + BATCH}
      ORDER BY rc.ordinal`;
  }
}

interface RunExportRow {
  id: string;
  name: string;
  status: string;
  model: string;
  grader: string;
  graderPromptSha256: string | null;
  scoringProfile: string;
  dataset: string;
  datasetSha256: string;
  repeats: number;
  createdAt: Date;
  finishedAt: Date | null;
  value: number | null;
  unclippedMean: number | null;
  median: number | null;
  bootstrapStd: number | null;
  intervalLow: number | null;
  intervalHigh: number | null;
  n: number | null;
  conversations: number;
  positiveMet: number;
  positiveGraded: number;
  negativeMet: number;
  negativeGraded: number;
}

const runNumbers = ['value', 'unclippedMean', 'median', 'bootstrapStd', 'intervalLow', 'intervalHigh'] as const;
const runCounts = ['n', 'conversations', 'positiveMet', 'positiveGraded', 'negativeMet', 'negativeGraded'] as const;
const runTexts = [
  'status',
  'model',
  'grader',
  'graderPromptSha256',
  'scoringProfile',
  'dataset',
  'datasetSha256',
] as const;
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The history of the team, a row a run; `onlyRunId` for one of them. */
export async function runTable(db: Database, teamId: string, onlyRunId: string | null): Promise<Table<RunExportRow>> {
  const only = onlyRunId === null ? Prisma.sql`true` : Prisma.sql`run.id = ${onlyRunId}::uuid`;
  const rows = await db.$queryRaw<RunExportRow[]>`
    SELECT run.id, run.name, run.status::text AS status, run.model, run.grader_model AS grader,
      run.grader_prompt_sha256 AS "graderPromptSha256", run.scoring_profile AS "scoringProfile", d.name AS dataset,
      run.dataset_sha256 AS "datasetSha256", run.repeats, run.created_at AS "createdAt", run.finished_at AS "finishedAt",
      s.value, s.unclipped_mean AS "unclippedMean", s.median, s.bootstrap_std AS "bootstrapStd",
      s.interval_low AS "intervalLow", s.interval_high AS "intervalHigh", s.n, run.conversation_count AS conversations,
      l.positive_met AS "positiveMet", l.positive_graded AS "positiveGraded", l.negative_met AS "negativeMet",
      l.negative_graded AS "negativeGraded"
    FROM run JOIN dataset d ON d.id = run.dataset_id JOIN verdict_log l ON l.run_id = run.id
    LEFT JOIN run_score s ON s.run_id = run.id AND run.status = 'COMPLETED'
    WHERE run.team_id = ${teamId}::uuid AND ${only} ORDER BY run.id`;
  return {
    name: 'runs',
    rowCount: rows.length,
    rows: (async function* () {
      yield* rows;
    })(),
    columns: [
      { name: 'run_id', type: 'string', value: (row) => globalId('Run', row.id) },
      { name: 'run', type: 'string', value: (row) => row.name },
      ...runTexts.map((name) => ({
        name: snake(name),
        type: 'string' as const,
        value: (row: RunExportRow) => row[name],
      })),
      { name: 'repeats', type: 'integer', value: (row) => row.repeats },
      ...runCounts.map((name) => ({
        name: snake(name),
        type: 'integer' as const,
        value: (row: RunExportRow) => row[name],
      })),
      ...runNumbers.map((name) => ({
        name: snake(name),
        type: 'number' as const,
        value: (row: RunExportRow) => row[name],
      })),
      { name: 'created_at', type: 'timestamp', value: (row) => row.createdAt },
      { name: 'finished_at', type: 'timestamp', value: (row) => row.finishedAt },
    ],
  };
}
