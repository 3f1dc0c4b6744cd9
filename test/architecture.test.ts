import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SRC = path.resolve('src');

/** The pipeline's order: a folder may import what stands before it, and itself. */
const order = [
  ['healthbench', 'errors.ts', 'version.ts', 'platform'],
  ['jobs.ts'],
  ['tenancy'],
  ['audit'],
  ['endpoints'],
  ['datasets'],
  ['runs'],
  ['scheduling'],
  ['verdicts'],
  ['generation'],
  ['grading'],
  ['scoring'],
  ['exports'],
  ['imports'],
  ['webhooks'],
  ['lifecycle'],
  ['graphql'],
  ['config.ts', 'openServices.ts', 'startWorkers.ts', 'bootstrap.ts', 'runProcess.ts'],
  ['serverProcess.ts', 'workerProcess.ts', 'nodeVersion.ts'],
  ['server.ts', 'worker.ts', 'migrate.ts'],
];
/** These stand apart: clients of the service (the command line uses the typed one), and a stand-in for a provider. */
const apart = ['client', 'cli', 'simulator'];

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) return name === 'generated' ? [] : files(file);
    return file.endsWith('.ts') && !file.endsWith('.test.ts') ? [file] : [];
  });
}

interface Import {
  specifier: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\s+from\s+)?['"]([^'"]+)['"]/gm);
  return [...found].map(([, type, specifier]) => ({ specifier: specifier as string, typeOnly: type !== undefined }));
}

const relative = (file: string): string => path.relative(SRC, file);
const place = (file: string): string => relative(file).split(path.sep)[0] as string;
const target = (from: string, specifier: string): string =>
  path.resolve(path.dirname(from), specifier).replace(/\.js$/, '.ts');
const rank = (name: string): number => order.findIndex((group) => group.includes(name));
const sources = files(SRC);

describe('architecture', () => {
  it('imports only backwards in the order of the pipeline', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => target(file, specifier))
        .filter((to) => place(to) !== 'generated' && place(to) !== place(file))
        .filter((to) => !(place(file) === 'cli' && place(to) === 'client'))
        .filter((to) => apart.includes(place(file)) || rank(place(to)) === -1 || rank(place(to)) > rank(place(file)))
        .map((to) => `${relative(file)} → ${relative(to)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('knows the place of every file', () => {
    expect(sources.map(place).filter((name) => rank(name) === -1 && !apart.includes(name))).toEqual([]);
  });

  it('has no circle of imports', () => {
    const graph = new Map(
      sources.map((file) => [
        file,
        importsOf(file)
          .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && !typeOnly)
          .map(({ specifier }) => target(file, specifier)),
      ]),
    );
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].map(relative).join(' → '));
      if (trail.includes(file) || done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of sources) visit(file, []);
    expect(circles).toEqual([]);
  });

  it.each([
    ['openai', 'platform/chatModel/'],
    ['pg-boss', 'platform/'],
    ['../generated/prisma/client.js', 'platform/database.ts'],
    ['@prisma/schema-engine-wasm', 'platform/schemaEngine.ts'],
  ])('wraps %s in one place', (name, home) => {
    const importers = sources.filter((file) =>
      importsOf(file).some(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`)),
    );
    expect(importers.map(relative).filter((file) => !file.startsWith(home))).toEqual([]);
    expect(importers.length).toBeGreaterThan(0);
  });

  it('keeps the domain free of clock, randomness, network and database', () => {
    const impure = /\b(Date\.now|new Date\(\)|Math\.random|performance\.now|fetch\(|setTimeout)\b/;
    const domain = sources.filter((file) => place(file) === 'healthbench');
    expect(domain.length).toBeGreaterThan(5);
    expect(domain.filter((file) => impure.test(readFileSync(file, 'utf8'))).map(relative)).toEqual([]);
    const packages = domain.flatMap(importsOf).filter(({ specifier }) => !specifier.startsWith('.'));
    expect(
      [...new Set(packages.map(({ specifier }) => specifier))].filter(
        (name) => !['node:crypto', 'node:util', 'zod', 'jsonrepair', 'simple-statistics'].includes(name),
      ),
    ).toEqual([]);
  });

  it('has one writer of a run’s status', () => {
    const writes = /\b(run\.update\w*\([^;]*?data:[^;]*?\bstatus\b|UPDATE run\b[^;]*?\bSET\b[^;]*?\bstatus\b)/;
    const writers = sources.filter((file) => writes.test(readFileSync(file, 'utf8'))).map(relative);
    expect(writers).toEqual(['runs/runStatus.ts']);
  });

  it('loads no GraphQL in a worker', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file) || !sources.includes(file)) return;
      seen.add(file);
      for (const { specifier, typeOnly } of importsOf(file)) {
        if (specifier.startsWith('.') && !typeOnly) visit(target(file, specifier));
      }
    };
    visit(path.join(SRC, 'workerProcess.ts'));
    const packages = [...seen].flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, typeOnly }) => !typeOnly && /^(type-graphql|graphql|@apollo)/.test(specifier))
        .map(({ specifier }) => `${relative(file)}: ${specifier}`),
    );
    expect(packages).toEqual([]);
  });

  it('has no file over 300 lines', () => {
    const long = sources.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300);
    expect(long.map(relative)).toEqual([]);
  });
});
