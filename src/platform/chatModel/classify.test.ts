import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { classifyReply } from './classify.js';
import type { CallOutcome, SentFields } from './types.js';

interface Case {
  id: string;
  class: string;
  now: string;
  request: SentFields;
  status: number;
  headers: Record<string, string>;
  body: unknown;
  transport?: string;
  expect: string;
  also_ok?: string[];
}

function readCases(name: string): Case[] {
  const text = readFileSync(new URL(`../../../test/fixtures/${name}`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Case => JSON.parse(line));
}

/** The outcome in the words of the case file. */
function inWords(outcome: CallOutcome): string {
  if (outcome.kind === 'retry') return outcome.afterMs === null ? 'retry' : `retry_after:${outcome.afterMs / 1000}`;
  if (outcome.kind === 'fallback') return `fallback:${outcome.change}`;
  return outcome.kind === 'fail' ? `fail:${outcome.reason}` : 'ok';
}

const classified = (given: Omit<Case, 'id' | 'class' | 'expect'>) =>
  classifyReply({ ...given, now: Date.parse(given.now) });

describe.each([
  ['troubles seen in the field', 'provider-replies.jsonl'],
  ['the words of one provider and another', 'provider-wordings.jsonl'],
])('%s', (_, file) => {
  it.each(readCases(file).map((given) => [`${given.id} ${given.class}`, given] as const))('%s', (_, given) => {
    const outcome = classified(given);
    expect([given.expect, ...(given.also_ok ?? [])]).toContain(inWords(outcome));
    expect(JSON.stringify(outcome)).not.toMatch(/sk-tes|cdef/);
  });
});
