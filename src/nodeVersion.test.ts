import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { nodeProblem } from './nodeVersion.js';

it.each(['22.12.0', '22.13.1', '24.0.0', '26.1.0'])('takes Node.js %s', (version) => {
  expect(nodeProblem(version)).toBeNull();
});

it.each(['22.11.0', '20.20.2', '18.0.0'])('says in one sentence that Node.js %s is too old', (version) => {
  expect(nodeProblem(version)).toContain(`needs Node.js 22.12 or newer, and this is ${version}.`);
});

it('is the rule of package.json', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).engines.node).toBe('>=22.12');
});
