import type { ConversationRecord } from './conversation.js';
import { isObject, type JsonObject } from './jsonObject.js';
import { optionalText, RecordError, readCriteria, readMessages, readTags, requiredText } from './recordFields.js';

type Fields = Omit<ConversationRecord, 'raw' | 'format' | 'warnings'>;

/** Fields of a main, hard or consensus record. @throws RecordError */
export function healthbenchFields(record: JsonObject, warnings: string[]): Fields {
  rejectMetaEvaluation(record);
  return {
    promptId: requiredText(record.prompt_id, 'prompt_id'),
    messages: readMessages(record.prompt, 'prompt', warnings),
    tags: readTags(record.example_tags, 'example_tags', warnings),
    criteria: readCriteria(record.rubrics, 'rubrics', 'criterion', (item, place) =>
      readTags(item.tags, `${place}.tags`, warnings),
    ),
    canary: optionalText(record.canary, 'canary'),
    physicianResponse: idealCompletion(record.ideal_completions_data),
  };
}

function rejectMetaEvaluation(record: JsonObject): void {
  if (Object.hasOwn(record, 'binary_labels') && !Object.hasOwn(record, 'rubrics')) {
    throw new RecordError(
      'This is a meta-evaluation record (physician labels of one criterion), not a conversation with a rubric. Import the main, hard, consensus or Professional file.',
    );
  }
}

function idealCompletion(data: unknown): string | null {
  return isObject(data) ? optionalText(data.ideal_completion, 'ideal_completions_data.ideal_completion') : null;
}
