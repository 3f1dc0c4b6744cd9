import type { Price } from '../endpoints/price.js';
import type { Database } from '../platform/database.js';
import type { ModelSettings } from './modelSettings.js';

/** The prices that a run was frozen with. */
export interface RunPrices {
  model: Price | null;
  grader: Price | null;
}

/** Of many runs in one statement, by run id. */
export async function loadRunPrices(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, RunPrices>> {
  const rows = await db.run.findMany({
    where: { teamId, id: { in: [...runIds] } },
    select: { id: true, modelUnderTest: true, grader: true },
  });
  const price = (settings: unknown) => (settings as ModelSettings).price ?? null;
  return new Map(rows.map((row) => [row.id, { model: price(row.modelUnderTest), grader: price(row.grader) }]));
}
