import { insertReplies, type NewReply } from '../generation/replyWriter.js';
import { settleAtOnce } from '../grading/settle.js';
import { codePoints } from '../healthbench/scoringProfile.js';
import { Prisma, type Queryable, type Run } from '../platform/database.js';
import { rubricBounds } from '../runs/rubricBounds.js';
import { noUsage } from '../runs/usage.js';
import { type NewUngraded, recordUngraded } from '../verdicts/recordUngraded.js';
import { appendVerdicts, type NewVerdict } from '../verdicts/recordVerdicts.js';
import { ImportError, type ImportedConversation } from './importedRun.js';
import { checkAgainst, completed, type DatasetConversation } from './joinRubric.js';
import type { RunPlace } from './runOrder.js';

/** Text a batch of statements: see datasets/datasetWriter.ts for why not more. */
const BATCH_CHARACTERS = 100_000;

interface Pending extends RunPlace {
  conversation: ImportedConversation;
}

interface Joined extends Pending {
  own: DatasetConversation;
  text: string | null;
}

/** Writes the conversations of an imported run, in batches, each with its reply, its verdicts and its score. */
export class ImportWriter {
  /** Of the conversations in the order of the run, without repeats. */
  readonly numbers: number[] = [];
  conversations = 0;
  criteria = 0;
  replies = 0;
  failed = 0;
  /** The system message that all were sent; undefined: the file does not say, or nothing has come yet. */
  systemMessage: string | null | undefined;
  /** Whether the file has texts and points of its own to be checked. */
  saysTexts = false;
  saysPoints = false;
  #pending: Pending[] = [];
  #characters = 0;

  constructor(
    private readonly tx: Queryable,
    private readonly run: Pick<Run, 'id' | 'teamId' | 'datasetId'>,
  ) {}

  async add(conversation: ImportedConversation, place: RunPlace): Promise<void> {
    this.#pending.push({ conversation, ...place });
    this.#characters += charactersOf(conversation);
    if (this.#characters >= BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    if (batch.length === 0) return;
    const joined = await this.#join(batch);
    await this.#writeConversations(joined);
    const replied = joined.filter(({ text }) => text !== null);
    await insertReplies(
      this.tx,
      this.run.id,
      this.run.teamId,
      replied.map((row) => this.#reply(row)),
    );
    const items = replied.flatMap((row) => this.#items(row));
    const verdicts = items.filter((item) => 'criteriaMet' in item);
    if (verdicts.length > 0) await appendVerdicts(this.tx, this.run.id, verdicts);
    await recordUngraded(
      this.tx,
      this.run.id,
      items.filter((item) => 'reason' in item),
    );
    if (replied.length === 0) return;
    const settled = replied.map(({ ordinal, text }) => ({ ordinal, replyLength: codePoints(text ?? '') }));
    await settleAtOnce(this.tx, this.run.id, settled);
  }

  async #join(batch: Pending[]): Promise<Joined[]> {
    const known = await this.#loadConversations(batch.map(({ conversation }) => conversation.promptId));
    return batch.map((pending) => {
      const { place, promptId } = pending.conversation;
      const own = known.get(promptId);
      if (own === undefined) throw new ImportError(place, `prompt_id ${promptId} is not in the dataset.`);
      const conversation = completed(pending.conversation, own);
      this.#minds(conversation, checkAgainst(conversation, own));
      const [item] = conversation.items;
      this.saysTexts ||= item?.text !== undefined;
      this.saysPoints ||= item?.points !== undefined;
      if (pending.repeat === 1) this.numbers.push(own.no);
      this.conversations += 1;
      this.criteria += own.criteria.length;
      const text = 'text' in conversation.reply ? conversation.reply.text : null;
      if (text === null) this.failed += 1;
      else this.replies += 1;
      return { ...pending, conversation, own, text };
    });
  }

  /** The whole run has one system message, so what each conversation was sent must agree. */
  #minds({ place }: ImportedConversation, systemMessage: string | null | undefined): void {
    if (this.conversations === 0) this.systemMessage = systemMessage;
    else if (systemMessage !== this.systemMessage) {
      throw new ImportError(place, 'was sent another system message than the conversations before it.');
    }
  }

  async #loadConversations(promptIds: string[]): Promise<Map<string, DatasetConversation>> {
    const { datasetId, teamId } = this.run;
    const rows = await this.tx.$queryRaw<DatasetConversation[]>`
      SELECT con.no, con.prompt_id AS "promptId", con.messages, (
        SELECT json_agg(json_build_object('text', c.text, 'points', c.points, 'pointsText', c.points_text) ORDER BY c.no) FROM rubric_criterion c
        WHERE c.dataset_id = con.dataset_id AND c.conversation_no = con.no) AS criteria
      FROM conversation con WHERE con.dataset_id = ${datasetId}::uuid AND con.team_id = ${teamId}::uuid
        AND con.prompt_id = ANY(${promptIds})`;
    return new Map(rows.map((row) => [row.promptId, row]));
  }

  async #writeConversations(joined: Joined[]): Promise<void> {
    const rows = joined.map(({ ordinal, repeat, own, conversation: { reply } }) => ({
      ordinal,
      repeat,
      no: own.no,
      ...('reason' in reply
        ? { status: 'FAILED', reason: reply.reason, message: reply.message }
        : { status: 'REPLIED' }),
    }));
    const { id, teamId, datasetId } = this.run;
    await this.tx.$executeRaw`
      INSERT INTO run_conversation (run_id, team_id, ordinal, conversation_no, repeat, theme, criterion_count,
        worst_score, best_score, status, reason, message, settled_at)
      SELECT ${id}::uuid, ${teamId}::uuid, r.ordinal, r.no, r.repeat, c.theme, rubric.criteria, rubric.worst, rubric.best,
        r.status::run_conversation_status, r.reason, r.message, CASE WHEN r.status = 'FAILED' THEN now() END
      FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS r(ordinal int, repeat int, no int, status text, reason text, message text)
      JOIN conversation c ON c.dataset_id = ${datasetId}::uuid AND c.no = r.no
      ${rubricBounds(datasetId, Prisma.sql`r.no`)}`;
  }

  #reply({ ordinal, text, conversation }: Joined): NewReply {
    const reply = conversation.reply as Exclude<ImportedConversation['reply'], { reason: string }>;
    const made = { latencyMs: null, usage: noUsage, failedAttempts: [] };
    return { teamId: this.run.teamId, ordinal, text: text ?? '', finishReason: null, reported: reply, ...made };
  }

  #items({ ordinal, own, conversation }: Joined): (NewVerdict | NewUngraded)[] {
    const { id: runId, teamId } = this.run;
    return conversation.items.map(({ verdict }, criterionNo) => {
      const of = { teamId, runId, ordinal, criterionNo, usage: noUsage, failedAttempts: [] };
      if ('reason' in verdict) return { ...of, ...verdict };
      const points = own.criteria[criterionNo]?.points ?? 0;
      return { ...of, ...verdict, points, latencyMs: null, reported: NOT_REPORTED };
    });
  }
}

const NOT_REPORTED = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null };

function charactersOf({ reply, items, messages = [] }: ImportedConversation): number {
  const texts = [
    ...('text' in reply ? [reply.text] : []),
    ...messages.map(({ content }) => content),
    ...items.map(({ verdict }) => ('explanation' in verdict ? verdict.explanation : verdict.message)),
  ];
  // Each row has some that is no text.
  return texts.reduce((sum, text) => sum + text.length + 100, 100);
}
