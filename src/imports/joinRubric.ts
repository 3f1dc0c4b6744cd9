import type { Message } from '../healthbench/conversation.js';
import { ImportError, type ImportedConversation, type ImportedItem, type RubricLine } from './importedRun.js';

/** A conversation of the dataset, as far as a file is checked against it. */
export interface DatasetConversation {
  no: number;
  promptId: string;
  messages: Message[];
  criteria: RubricLine[];
}

/**
 * A conversation with its items, and with an empty reply taken for what it is: no provider gives one on purpose, and
 * several harnesses write one for a request that failed.
 */
export function completed(found: ImportedConversation, own: DatasetConversation): ImportedConversation {
  const { reply, itemsOf } = found;
  if ('reason' in reply) return { ...found, items: [] };
  if (reply.text.trim() === '') {
    const message = 'The reply is empty, which is what harnesses write for a request that failed.';
    return { ...found, reply: { reason: 'empty', message }, items: [] };
  }
  return itemsOf === undefined ? found : { ...found, items: itemsOf(own.criteria) };
}

/**
 * Checks that a file's conversation is the dataset's: the same messages, and for each criterion in its place the same
 * points and text, as far as the file says them. Returns the system message that was sent besides; undefined where the
 * file does not say what was sent.
 * @throws ImportError that names the place
 */
export function checkAgainst(found: ImportedConversation, own: DatasetConversation): string | null | undefined {
  if (!('reason' in found.reply)) checkItems(found, own);
  return found.messages === undefined ? undefined : checkMessages(found, found.messages, own);
}

function checkItems({ place, promptId, items }: ImportedConversation, { criteria }: DatasetConversation): void {
  if (items.length !== criteria.length) {
    throw new ImportError(
      place,
      `has ${items.length} graded criteria, but conversation ${promptId} of the dataset has ${criteria.length}. ` +
        'A variant of the benchmark may keep an id and change the rubric: choose the dataset that the run was made from.',
    );
  }
  for (const [at, item] of items.entries()) checkItem(item, at, criteria[at] as RubricLine);
}

function checkItem({ place, points, text }: ImportedItem, at: number, own: RubricLine): void {
  if (points !== undefined && points !== own.points) {
    throw new ImportError(place, `has ${points} points, but criterion ${at + 1} of the dataset has ${own.points}.`);
  }
  if (text !== undefined && text !== own.text) {
    throw new ImportError(place, `is about another criterion than criterion ${at + 1} of the dataset.`);
  }
}

const isSystem = (message: Message | undefined): boolean => message?.role === 'system' || message?.role === 'developer';

function checkMessages({ place }: ImportedConversation, sent: Message[], own: DatasetConversation): string | null {
  const extra = sent.length - own.messages.length;
  const added = extra === 1 && isSystem(sent[0]);
  if (extra !== 0 && !added) {
    throw new ImportError(place, `was sent ${sent.length} messages, but the dataset has ${own.messages.length}.`);
  }
  const rest = added ? sent.slice(1) : sent;
  const other = rest.findIndex(({ content }, at) => content !== own.messages[at]?.content);
  if (other >= 0) {
    throw new ImportError(place, `message ${other + 1} is not that of conversation ${own.promptId} of the dataset.`);
  }
  return added ? (sent[0]?.content ?? null) : null;
}
