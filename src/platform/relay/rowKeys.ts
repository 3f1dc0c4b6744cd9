/** The key of a row below a parent, for a loader that batches: `<parent's UUID>:<number>`. */
export const rowKey = (parentId: string, no: number): string => `${parentId}:${no}`;

/** Keys made by rowKey as two columns for `unnest`, each key once. */
export function splitRowKeys(keys: readonly string[]): { ids: string[]; numbers: number[] } {
  const parts = [...new Set(keys)].map((key) => key.split(':') as [string, string]);
  return { ids: parts.map(([id]) => id), numbers: parts.map(([, no]) => Number(no)) };
}
