import type { ConversationRecord } from './conversation.js';
import { isObject, type JsonObject } from './jsonObject.js';
import { optionalText, RecordError, readCriteria, readMessages, requiredText } from './recordFields.js';

type Fields = Omit<ConversationRecord, 'raw' | 'format' | 'warnings'>;

/** The fields that become tags, with their own names as prefixes so that no two can collide. */
const TAG_FIELDS = ['use_case', 'type', 'difficulty', 'specialty'];

/**
 * Fields of a HealthBench Professional record. Its criteria carry no tags, so it has no axis, level or cluster
 * scores; the case's properties become tags of the conversation.
 * @throws RecordError
 */
export function professionalFields(record: JsonObject, warnings: string[]): Fields {
  if (!isObject(record.conversation)) {
    throw new RecordError('conversation is missing. It must be an object with a list "messages".');
  }
  return {
    promptId: requiredText(record.id, 'id'),
    messages: readMessages(record.conversation.messages, 'conversation.messages', warnings),
    tags: ['theme:professional', ...TAG_FIELDS.flatMap((field) => propertyTag(record, field))],
    criteria: readCriteria(record.rubric_items, 'rubric_items', 'criterion_text'),
    canary: optionalText(record.canary_string, 'canary_string'),
    physicianResponse: optionalText(record.physician_response, 'physician_response'),
  };
}

function propertyTag(record: JsonObject, field: string): string[] {
  const value = optionalText(record[field], field)?.trim();
  return value ? [`${field}:${value}`] : [];
}
