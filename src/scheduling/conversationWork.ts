import { openEndpointKey } from '../endpoints/modelEndpoint.js';
import type { Message } from '../healthbench/records.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, ModelEndpoint, Run, RunConversationStatus } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';

/** One conversation of a running run, with what its next step needs. */
export interface ConversationWork {
  run: Run;
  conversation: { ordinal: number; conversationNo: number; status: RunConversationStatus };
  /** The messages of the dataset's record, without a system message of the run's. */
  messages: Message[];
  /** Null before there is one. */
  reply: string | null;
  /** Where the step's calls go. */
  target: CallTarget;
}

/** Where a call goes, and how many may be in flight there. */
export interface CallTarget {
  teamId: string;
  endpointId: string;
  endpoint: { baseUrl: string; apiKey: string | null };
  maxConcurrency: number;
  countsTokens: boolean;
}

type Row = Pick<Run, 'status'> &
  Pick<ModelEndpoint, 'baseUrl' | 'apiKeyCiphertext' | 'secretKeyId' | 'maxConcurrency' | 'tokensPerMinute'> & {
    conversationNo: number;
    conversationStatus: RunConversationStatus;
    messages: Message[];
    reply: string | null;
    endpointId: string;
  };

const MAX_RUNS = 200;

/** Loads what the steps of a conversation need, in one statement; the frozen part of a run only once. */
export class ConversationLoader {
  readonly #runs = new Map<string, Run>();

  constructor(
    private readonly db: Database,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * Null when there is nothing to do any more: the run is not RUNNING. The endpoint is read as it is now, since
   * its key may have been renewed since the run began. Throws when its key cannot be opened.
   *
   * @param role whose endpoint the step calls
   */
  async load(job: ConversationJob, role: 'model' | 'grader'): Promise<ConversationWork | null> {
    const row = await this.#row(job, role);
    if (row === null || row.status !== 'RUNNING') return null;
    const { status, conversationNo, conversationStatus, messages, reply, endpointId, baseUrl, maxConcurrency } = row;
    const run = { ...(await this.#run(job)), status };
    const endpoint = { baseUrl, apiKey: openEndpointKey(this.secrets, row) };
    const countsTokens = row.tokensPerMinute !== null;
    return {
      run,
      conversation: { ordinal: job.ordinal, conversationNo, status: conversationStatus },
      messages,
      reply,
      target: { teamId: job.teamId, endpointId, endpoint, maxConcurrency, countsTokens },
    };
  }

  async #row({ teamId, runId, ordinal }: ConversationJob, role: 'model' | 'grader'): Promise<Row | null> {
    const rows = await this.db.$queryRaw<Row[]>`
      SELECT run.status::text, rc.status::text AS "conversationStatus", rc.conversation_no AS "conversationNo",
        c.messages, reply.text AS reply, e.id AS "endpointId", e.base_url AS "baseUrl", e.api_key_ciphertext AS "apiKeyCiphertext",
        e.secret_key_id AS "secretKeyId",
        e.max_concurrency AS "maxConcurrency", e.tokens_per_minute AS "tokensPerMinute"
      FROM run_conversation rc
      JOIN run ON run.id = rc.run_id
      JOIN conversation c ON c.dataset_id = run.dataset_id AND c.no = rc.conversation_no
      JOIN model_endpoint e ON e.team_id = run.team_id
        AND e.id = CASE WHEN ${role === 'model'}::boolean THEN run.model_endpoint_id ELSE run.grader_endpoint_id END
      LEFT JOIN reply ON reply.run_id = rc.run_id AND reply.ordinal = rc.ordinal
      WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ${ordinal} AND rc.team_id = ${teamId}::uuid`;
    return rows[0] ?? null;
  }

  async #run({ teamId, runId }: ConversationJob): Promise<Run> {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const run = await this.db.run.findUniqueOrThrow({ where: { teamId_id: { teamId, id: runId } } });
    this.#runs.set(runId, run);
    const oldest = this.#runs.size > MAX_RUNS ? this.#runs.keys().next().value : undefined;
    if (oldest !== undefined) this.#runs.delete(oldest);
    return run;
  }
}

/** The messages as they are sent to the model under test; the grader sees the same. */
export function sentMessages(messages: Message[], systemMessage: string | null): Message[] {
  return systemMessage === null ? messages : [{ role: 'system', content: systemMessage }, ...messages];
}
