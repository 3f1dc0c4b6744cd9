import { InvalidInput } from '../errors.js';
import { pandasSample, pythonRandomSample } from '../healthbench/sampling.js';
import type { Queryable } from '../platform/database.js';

export type SampleMethod = 'ALL' | 'FIRST' | 'PYTHON_RANDOM' | 'PANDAS' | 'PROMPT_IDS';

export interface SampleInput {
  method?: Exclude<SampleMethod, 'PROMPT_IDS'> | null;
  size?: number | null;
  seed?: number | null;
  promptIds?: string[] | null;
}

/** How the conversations were chosen, as the run keeps it. */
export interface Sample {
  method: SampleMethod;
  size: number;
  seed: number | null;
}

/**
 * The numbers of the chosen conversations, in the order of the choice, which is part of a run's
 * identity. Throws InvalidInput for everything that cannot be meant.
 */
export async function chooseConversations(
  db: Queryable,
  dataset: { id: string; conversationCount: number },
  input: SampleInput,
): Promise<{ sample: Sample; numbers: number[] }> {
  if (input.promptIds) return explicit(db, dataset.id, input);
  const total = dataset.conversationCount;
  const method = input.method ?? (input.size == null ? 'ALL' : 'PYTHON_RANDOM');
  if (method === 'ALL') {
    if (input.size != null && input.size !== total) {
      throw new InvalidInput(
        'method ALL takes every conversation: leave size out, or choose FIRST, PYTHON_RANDOM or PANDAS.',
        ['sample', 'size'],
      );
    }
    return { sample: { method, size: total, seed: null }, numbers: range(total) };
  }
  const { size } = input;
  if (size == null) throw new InvalidInput(`method ${method} needs a size.`, ['sample', 'size']);
  if (size < 1 || size > total) {
    throw new InvalidInput(`must be between 1 and ${total}, the number of conversations in the dataset.`, [
      'sample',
      'size',
    ]);
  }
  if (method === 'FIRST') return { sample: { method, size, seed: null }, numbers: range(size) };
  const seed = input.seed ?? 0;
  return { sample: { method, size, seed }, numbers: draw(method, total, size, seed) };
}

function draw(method: 'PYTHON_RANDOM' | 'PANDAS', total: number, size: number, seed: number): number[] {
  try {
    return method === 'PANDAS' ? pandasSample(total, size, seed) : pythonRandomSample(total, size, seed);
  } catch (error) {
    throw new InvalidInput((error as Error).message, ['sample', 'seed']);
  }
}

async function explicit(db: Queryable, datasetId: string, input: SampleInput) {
  const promptIds = input.promptIds ?? [];
  const path = ['sample', 'promptIds'];
  if (input.size != null || input.seed != null || input.method != null) {
    throw new InvalidInput('promptIds says it all: leave method, size and seed out.', path);
  }
  if (promptIds.length === 0) throw new InvalidInput('must name at least one conversation.', path);
  if (new Set(promptIds).size < promptIds.length) throw new InvalidInput('names a conversation twice.', path);
  const rows = await db.conversation.findMany({
    where: { datasetId, promptId: { in: promptIds } },
    select: { no: true, promptId: true },
  });
  const numbers = new Map(rows.map((row) => [row.promptId, row.no]));
  const missing = promptIds.filter((id) => !numbers.has(id));
  if (missing.length > 0) {
    const some = missing.slice(0, 5).join(', ');
    throw new InvalidInput(
      `${missing.length} of these are not in the dataset: ${some}${missing.length > 5 ? ', …' : ''}`,
      path,
    );
  }
  const sample: Sample = { method: 'PROMPT_IDS', size: promptIds.length, seed: null };
  return { sample, numbers: promptIds.map((id) => numbers.get(id) as number) };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
