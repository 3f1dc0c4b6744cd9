import { InvalidInput } from '../errors.js';
import { pythonRandomSample } from '../healthbench/sampling.js';
import type { Dataset, Queryable } from '../platform/database.js';
import type { OriginSource } from '../runs/runOrigin.js';
import { chooseConversations, type Sample, type SampleInput } from '../runs/sample.js';

/**
 * How the conversations of an imported run were chosen: as declared, which must give the same ones in the same order,
 * or as they show it, or else exactly these. Throws InvalidInput.
 */
export async function importedSample(
  tx: Queryable,
  dataset: Dataset,
  numbers: number[],
  declared: SampleInput | null,
): Promise<{ sample: Sample; source: OriginSource }> {
  const same = (others: readonly number[]) =>
    others.length === numbers.length && others.every((no, at) => no === numbers[at]);
  if (declared !== null) {
    const chosen = await chooseConversations(tx, dataset, declared);
    if (same(chosen.numbers)) return { sample: chosen.sample, source: 'DECLARED' };
    throw new InvalidInput('gives other conversations than the file has, or another order.', ['sample']);
  }
  const size = numbers.length;
  const total = dataset.conversationCount;
  const recovered = (method: Sample['method'], seed: number | null) => ({
    sample: { method, size, seed },
    source: 'RECOVERED' as const,
  });
  if (numbers.every((no, at) => no === at)) return recovered(size === total ? 'ALL' : 'FIRST', null);
  // The reference draws so.
  if (size > 1 && same(pythonRandomSample(total, size, 0))) return recovered('PYTHON_RANDOM', 0);
  return recovered('PROMPT_IDS', null);
}
