#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const main = new URL('dist/cli/main.js', root);
const pinnedNode = fileURLToPath(new URL('node_modules/.bin/node', root));

if (!existsSync(main)) {
  console.error('assay: not built yet. Run: npm run build');
  process.exit(1);
}
const { nodeProblem } = await import(new URL('dist/nodeVersion.js', root).href);
const problem = nodeProblem();

if (problem === null) {
  await import(main.href);
} else if (!existsSync(pinnedNode) || process.env.ASSAY_PINNED_NODE) {
  console.error(`assay: ${problem}`);
  process.exitCode = 1;
} else {
  const child = spawn(pinnedNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ASSAY_PINNED_NODE: '1' },
  });
  // Ctrl-C reaches the child as well, and its last words are to be waited for.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`assay: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
