import type { ConversationRecord, Criterion } from './conversation.js';
import { healthbenchFields } from './healthbenchRecord.js';
import type { JsonObject } from './jsonObject.js';
import { professionalFields } from './professional.js';
import { parseJson, RecordError } from './recordFields.js';

export type { ConversationRecord, Criterion, Message } from './conversation.js';
export { RecordError };

/**
 * Reads one line of a HealthBench (main, hard, consensus) or HealthBench Professional file, or of one's own
 * file in either shape.
 * @throws RecordError saying what is wrong and what to do.
 */
export function parseRecord(line: string): ConversationRecord {
  const record = parseJson(line);
  const format = isProfessional(record) ? 'PROFESSIONAL' : 'HEALTHBENCH';
  const warnings: string[] = [];
  const fields = format === 'PROFESSIONAL' ? professionalFields(record, warnings) : healthbenchFields(record, warnings);
  checkPoints(fields.criteria, warnings);
  return { ...fields, raw: line, format, warnings };
}

function isProfessional(record: JsonObject): boolean {
  return Object.hasOwn(record, 'rubric_items') && !Object.hasOwn(record, 'rubrics');
}

function checkPoints(criteria: Criterion[], warnings: string[]): void {
  const possible = criteria.reduce((sum, { points }) => sum + Math.max(points, 0), 0);
  if (possible <= 0) {
    throw new RecordError(
      'No criterion has positive points, so no score is defined. Give at least one criterion positive points.',
    );
  }
  const extent = criteria.reduce((sum, { points }) => sum + Math.abs(points), 0);
  if (!Number.isFinite(extent)) throw new RecordError('The points add up to more than a number can hold.');
  for (const [at, { points }] of criteria.entries()) {
    if (points === 0) warnings.push(`Criterion ${at + 1} is worth 0 points and changes no score.`);
  }
}
