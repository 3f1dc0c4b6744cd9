/**
 * `npm run client`: writes src/client/generated/operations.ts, the types and documents of src/client/operations/*.graphql,
 * from schema.graphql. With `--check` it only says whether the file is up to date.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse, validate } from 'graphql';

const FOLDER = 'src/client/operations';
const TARGET = 'src/client/generated/operations.ts';
const HEAD = '// Made by `npm run client` from schema.graphql and src/client/operations. Do not edit.\n';

const schema = buildSchema(await readFile('schema.graphql', 'utf8'));
const names = (await readdir(FOLDER)).sort();
const documents = await Promise.all(
  names.map(async (name) => ({
    location: path.join(FOLDER, name),
    document: parse(await readFile(path.join(FOLDER, name), 'utf8')),
  })),
);
const all = { kind: 'Document', definitions: documents.flatMap(({ document }) => document.definitions) };
const mistakes = validate(schema, all);
if (mistakes.length > 0) throw new Error(mistakes.map(String).join('\n\n'));

const text = await codegen({
  filename: TARGET,
  schema: parse(await readFile('schema.graphql', 'utf8')),
  schemaAst: schema,
  documents,
  pluginMap: { operations: typescriptOperations, documents: typedDocumentNode },
  plugins: [
    {
      operations: {
        scalars: { ID: 'string', DateTime: 'string', BigInt: 'number | string' },
        strictScalars: true,
        enumType: 'string-literal',
        skipTypename: true,
        inlineFragmentTypes: 'inline',
      },
    },
    { documents: { documentMode: 'string', dedupeFragments: true } },
  ],
  config: { useTypeImports: true },
});
const made = `${HEAD}${text}\n`;
if (process.argv.includes('--check')) {
  if ((await readFile(TARGET, 'utf8').catch(() => '')) !== made) {
    console.error(`${TARGET} is not up to date: run \`npm run client\` and commit it.`);
    process.exitCode = 1;
  }
} else {
  await mkdir(path.dirname(TARGET), { recursive: true });
  await writeFile(TARGET, made);
}
