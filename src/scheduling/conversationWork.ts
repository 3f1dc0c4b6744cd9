import { openEndpointKey } from '../endpoints/modelEndpoint.js';
import type { Message } from '../healthbench/records.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, ModelEndpoint, Run, RunConversation } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';

/** One conversation of a running run, with what its next step needs. */
export interface ConversationWork {
  run: Run;
  conversation: RunConversation;
  /** The messages of the dataset's record, without a system message of the run's. */
  messages: Message[];
}

/** Null when there is nothing to do any more: the run is not RUNNING, or the conversation is settled. */
export async function loadConversationWork(db: Database, job: ConversationJob): Promise<ConversationWork | null> {
  const { teamId, runId, ordinal } = job;
  const conversation = await db.runConversation.findUnique({
    where: { runId_ordinal: { runId, ordinal }, teamId },
    include: { run: true },
  });
  if (conversation === null || conversation.run.status !== 'RUNNING') return null;
  const { run } = conversation;
  const record = await db.conversation.findUniqueOrThrow({
    where: { datasetId_no: { datasetId: run.datasetId, no: conversation.conversationNo } },
    select: { messages: true },
  });
  return { run, conversation, messages: record.messages as unknown as Message[] };
}

/** Where a call goes, and how many may be in flight there. */
export interface CallTarget {
  teamId: string;
  endpointId: string;
  endpoint: { baseUrl: string; apiKey: string | null };
  maxConcurrency: number;
  countsTokens: boolean;
}

/**
 * The endpoint as it is now: its key may have been renewed since the run began. Throws when it has been
 * deleted or when its key cannot be opened.
 */
export async function loadTarget(db: Database, secrets: SecretBox, teamId: string, id: string): Promise<CallTarget> {
  const endpoint: ModelEndpoint = await db.modelEndpoint.findUniqueOrThrow({ where: { teamId_id: { teamId, id } } });
  return {
    teamId,
    endpointId: id,
    endpoint: { baseUrl: endpoint.baseUrl, apiKey: openEndpointKey(secrets, endpoint) },
    maxConcurrency: endpoint.maxConcurrency,
    countsTokens: endpoint.tokensPerMinute !== null,
  };
}

/** The messages as they are sent to the model under test; the grader sees the same. */
export function sentMessages(messages: Message[], systemMessage: string | null): Message[] {
  return systemMessage === null ? messages : [{ role: 'system', content: systemMessage }, ...messages];
}
