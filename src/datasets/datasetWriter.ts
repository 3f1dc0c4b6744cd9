import type { ConversationRecord } from '../healthbench/records.js';
import { axisOf, themeOf } from '../healthbench/tags.js';
import type { Queryable } from '../platform/database.js';

/**
 * Text a statement. Prisma remembers the arguments of its last hundred calls for its debug log, so batches of
 * 1 MB kept 190 MB alive; of this size, a few. The import of the main set takes the same 5 s.
 */
const BATCH_CHARACTERS = 100_000;
const MAX_WARNINGS = 50;

interface Pending {
  no: number;
  record: ConversationRecord;
}

/** Writes records in batches, two statements a batch. createMany took seven times as long. */
export class DatasetWriter {
  conversations = 0;
  criteria = 0;
  format = '';
  readonly warnings: string[] = [];
  #pending: Pending[] = [];
  #characters = 0;

  constructor(
    private readonly tx: Queryable,
    private readonly teamId: string,
    private readonly datasetId: string,
  ) {}

  async add(no: number, line: number, record: ConversationRecord): Promise<void> {
    this.conversations += 1;
    this.criteria += record.criteria.length;
    this.format = record.format;
    for (const warning of record.warnings) {
      if (this.warnings.length < MAX_WARNINGS) this.warnings.push(`Line ${line}: ${warning}`);
    }
    this.#pending.push({ no, record });
    this.#characters += record.raw.length;
    if (this.#characters >= BATCH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    if (batch.length === 0) return;
    const conversations = batch.map(({ no, record }) => ({
      no,
      prompt_id: record.promptId,
      messages: record.messages,
      tags: record.tags,
      theme: withoutPrefix(themeOf(record.tags)),
      canary: record.canary,
      raw: record.raw,
    }));
    await this.tx.$executeRaw`
      INSERT INTO conversation (dataset_id, team_id, no, prompt_id, messages, tags, theme, canary, raw)
      SELECT ${this.datasetId}::uuid, ${this.teamId}::uuid, no, prompt_id, messages,
        ARRAY(SELECT jsonb_array_elements_text(tags)), theme, canary, raw
      FROM jsonb_to_recordset(${JSON.stringify(conversations)}::jsonb)
        AS r(no int, prompt_id text, messages jsonb, tags jsonb, theme text, canary text, raw text)`;
    await this.#writeCriteria(batch);
  }

  async #writeCriteria(batch: Pending[]): Promise<void> {
    const criteria = batch.flatMap(({ no, record }) =>
      record.criteria.map((criterion, index) => ({
        conversation_no: no,
        no: index,
        text: criterion.text,
        points: criterion.points,
        points_text: criterion.pointsText,
        tags: criterion.tags,
        axis: withoutPrefix(axisOf(criterion.tags)),
      })),
    );
    await this.tx.$executeRaw`
      INSERT INTO rubric_criterion (dataset_id, team_id, conversation_no, no, text, points, points_text, tags, axis)
      SELECT ${this.datasetId}::uuid, ${this.teamId}::uuid, conversation_no, no, text, points, points_text,
        ARRAY(SELECT jsonb_array_elements_text(tags)), axis
      FROM jsonb_to_recordset(${JSON.stringify(criteria)}::jsonb)
        AS r(conversation_no int, no int, text text, points float8, points_text text, tags jsonb, axis text)`;
  }
}

/** `theme:hedging` is stored and filtered as `hedging`. */
const withoutPrefix = (tag: string | null): string | null => tag?.slice(tag.indexOf(':') + 1) ?? null;
