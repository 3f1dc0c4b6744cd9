/** Writes schema.graphql from the code; with --check fails when the committed file is stale. */
import { readFile, writeFile } from 'node:fs/promises';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { assaySchema } from '../dist/graphql/schema.js';

const printed = `${printSchema(lexicographicSortSchema(assaySchema()))}\n`;
if (process.argv.includes('--check')) {
  if (printed !== (await readFile('schema.graphql', 'utf8'))) {
    console.error('schema.graphql is stale: npm run schema, and commit it.');
    process.exit(1);
  }
} else {
  await writeFile('schema.graphql', printed);
}
