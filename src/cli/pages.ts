/** One page of a list of the API. */
export interface Page<T> {
  nodes: readonly T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export type LoadPage<T> = (first: number, after: string | null) => Promise<Page<T>>;

/** The most that the API gives at once. */
const PAGE = 200;

/** The first `limit` of a list, page by page; `more` when the list goes on. */
export async function firstNodes<T>(load: LoadPage<T>, limit: number): Promise<{ nodes: T[]; more: boolean }> {
  const nodes: T[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<T> = await load(Math.min(PAGE, limit - nodes.length), after);
    nodes.push(...page.nodes);
    after = page.pageInfo.endCursor;
    const more = page.pageInfo.hasNextPage;
    if (!more || nodes.length >= limit) return { nodes, more };
  }
}
