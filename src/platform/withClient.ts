import pg from 'pg';

/**
 * One connection of its own for what is done before there is a pool, ended in any case.
 * Rejects with what connecting or `use` throws.
 */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
