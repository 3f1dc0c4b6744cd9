import pg from 'pg';

let count = 0;

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.ASSAY_TEST_SERVER_URL });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** A fresh database, cloned from the migrated template; `drop` removes it even while connections are open. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `assay_test_${process.pid}_${Date.now()}_${++count}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await onServer(`CREATE DATABASE ${name} TEMPLATE ${process.env.ASSAY_TEST_TEMPLATE}`);
      break;
    } catch (error) {
      // Postgres clones a template for one at a time.
      if ((error as { code?: string }).code !== '55006' || attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const url = Object.assign(new URL(process.env.ASSAY_TEST_SERVER_URL as string), { pathname: `/${name}` }).href;
  return { url, drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
