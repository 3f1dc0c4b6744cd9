import { describe, expect, it } from '@jest/globals';
import type { GateComparisonFragment } from '../client/generated/operations.js';
import { type GateRules, judge, signed } from './gateChecks.js';
import { renderGate, renderJunit, renderMarkdown } from './gateReport.js';

const rules: GateRules = {
  maxDrop: 0.02,
  confidence: 0.95,
  mode: 'strict',
  minScore: null,
  minCoverage: 0.99,
  minConversations: 20,
  allowDifferent: false,
  allowSimulated: false,
};

const run = (name: string, coverage = 1) => ({
  id: `id-${name}`,
  name,
  status: 'COMPLETED' as const,
  statusReason: null,
  modelUnderTest: { model: `${name}-model`, simulated: false },
  grader: { model: 'grader', simulated: false },
  score: { value: 0.5, n: 100, coverage, interval: { low: 0.4, high: 0.6, confidence: 0.95 } },
});

const known = { baselineKnown: true, candidateKnown: true };

/** Two runs over 100 conversations whose difference has this interval. */
function compared(low: number, high: number, more: Partial<GateComparisonFragment> = {}): GateComparisonFragment {
  const difference = (low + high) / 2;
  return {
    baseline: run('old'),
    candidate: run('new'),
    differences: [{ ...known, part: 'modelUnderTest.model', baseline: 'old', candidate: 'new', severity: 'SUBJECT' }],
    warnings: [],
    sameReplies: false,
    unavailableReason: null,
    worsened: [],
    overall: {
      conversations: 100,
      baselineScore: 0.5,
      candidateScore: 0.5 + difference,
      difference,
      interval: { low, high, confidence: 0.95 },
      pValue: 0.5,
      wins: 50,
      ties: 0,
      losses: 50,
      conversationsNeeded: 900,
    },
    ...more,
  };
}

const judged = (comparison: GateComparisonFragment, more: Partial<GateRules> = {}) =>
  judge({ candidate: comparison.candidate, comparison }, { ...rules, ...more });
const outcome = (...args: Parameters<typeof judged>) => judged(...args).outcome;
const check = (comparison: GateComparisonFragment, name: string, more: Partial<GateRules> = {}) =>
  judged(comparison, more).checks.find((found) => found.name === name);

describe('a gate over a drop of at most 0.02', () => {
  it.each([
    ['certainly better', 0.01, 0.05, true, true],
    ['at most a little worse', -0.02, 0.01, true, true],
    ['perhaps too much worse', -0.05, 0.03, false, true],
    ['too much worse on average, and not proven', -0.06, -0.01, false, true],
    ['proven too much worse', -0.09, -0.03, false, false],
  ])('when the candidate is %s [%f, %f]: strict %p, lenient %p', (_, low, high, strict, lenient) => {
    expect(outcome(compared(low, high))).toBe(strict ? 'passed' : 'failed');
    expect(outcome(compared(low, high), { mode: 'lenient' })).toBe(lenient ? 'passed' : 'failed');
  });

  it('passes equal runs even when no drop is allowed', () => {
    expect(outcome(compared(0, 0), { maxDrop: 0 })).toBe('passed');
  });

  it('says whether a failure is a proven drop or too little data, and then how much it takes', () => {
    expect(check(compared(-0.09, -0.03), 'drop')?.message).toContain('a drop of more than 0.02 is proven');
    expect(check(compared(-0.05, 0.03), 'drop')?.message).toMatch(/cannot be ruled out. It takes about 900 conv/);
  });

  it('fails a handful of conversations, whose interval is too narrow to trust', () => {
    const few = compared(0, 0);
    if (few.overall) few.overall.conversations = 19;
    expect(check(few, 'drop')?.message).toContain('fewer than 20');
    expect(outcome(few, { mode: 'lenient' })).toBe('passed');
    expect(outcome(few, { minConversations: 2 })).toBe('passed');
  });

  it('cannot judge without an interval: one conversation, or none that is shared', () => {
    const [one, none] = [compared(0, 0), compared(0, 0)];
    if (one.overall) one.overall.interval = null;
    none.overall = null;
    none.unavailableReason = 'No shared conversation has a score in both runs.';
    for (const comparison of [one, none]) {
      expect(outcome(comparison, { mode: 'lenient' })).toBe('unclear');
    }
  });

  it('cannot judge a run that is not completed', () => {
    const paused = { ...run('new'), status: 'PAUSED' as const, statusReason: 'budget' };
    const result = judged(compared(0, 0.1, { candidate: paused }));
    expect(result.outcome).toBe('unclear');
    expect(result.checks.map(({ status }) => status)).toEqual(['unclear', 'passed', 'passed', 'skipped', 'skipped']);
    expect(result.checks[0]?.message).toContain('“new” is PAUSED (budget)');
  });

  it.each(['SCOPE', 'UNKNOWN', 'BREAKING'] as const)(
    'refuses runs with a %s difference, unless told otherwise',
    (severity) => {
      const differences = [{ ...known, part: 'graderPrompt', baseline: 'a', candidate: 'b', severity }];
      const comparison = compared(0, 0.1, { differences });
      expect(outcome(comparison)).toBe('unclear');
      expect(check(comparison, 'comparable')?.message).toContain('graderPrompt (a → b)');
      expect(outcome(comparison, { allowDifferent: true })).toBe('passed');
    },
  );

  it('refuses two gradings of the same replies', () => {
    expect(outcome(compared(0, 0.1, { sameReplies: true }))).toBe('unclear');
  });

  it('does not take what a simulated provider makes up for a model, unless told to', () => {
    for (const part of ['modelUnderTest', 'grader'] as const) {
      const made = { ...run('new'), [part]: { model: 'm', simulated: true } };
      const comparison = compared(0, 0.1, { candidate: made });
      expect(outcome(comparison)).toBe('unclear');
      expect(check(comparison, 'real')?.message).toContain('--allow-simulated');
      expect(outcome(comparison, { allowSimulated: true })).toBe('passed');
    }
  });

  it('asks for a score of the candidate itself, with a baseline or without', () => {
    const candidate = run('new');
    for (const comparison of [null, compared(0, 0.1)]) {
      const at = (minScore: number) => judge({ candidate, comparison }, { ...rules, minScore });
      expect([at(0.5).outcome, at(0.51).outcome]).toEqual(['passed', 'failed']);
      expect(at(0.51).checks.find(({ name }) => name === 'score')?.message).toBe(
        '0.500 [0.400, 0.600] at 95 % over 100 conversations; at least 0.51 is asked for.',
      );
    }
    const none = judge({ candidate: { ...candidate, score: null }, comparison: null }, { ...rules, minScore: 0 });
    expect(none.outcome).toBe('unclear');
  });

  it('fails when either run covers too little, however good the rest is', () => {
    for (const role of ['baseline', 'candidate'] as const) {
      const comparison = compared(0.05, 0.1, {
        [role]: run('thin', 0.985),
        differences: [{ ...known, part: 'coverage', baseline: '1', candidate: '0.985', severity: 'SCOPE' }],
      });
      expect(check(comparison, 'comparable')?.status).toBe('passed');
      expect(check(comparison, 'coverage')?.status).toBe('failed');
      expect(outcome(comparison, { minCoverage: 0.98 })).toBe('passed');
    }
  });
});

describe('the reports of a gate', () => {
  const nasty = compared(-0.05, 0.03, {
    candidate: { ...run('new'), name: 'a <b> & "c" | [x](y) @all\u0000\n' },
    warnings: [{ code: 'SIMULATED', message: 'Made up.' }],
    worsened: [
      { baselineScore: 0.9, candidateScore: 0.1, difference: -0.8, candidate: { promptId: 'p-1', theme: 'hedging' } },
    ],
  });
  const gate = { candidate: nasty.candidate, comparison: nasty, rules, result: judged(nasty) };

  it('are JUnit with a case for each check, whatever is in a name', () => {
    const text = renderJunit(gate);
    expect(text).toContain('tests="5" failures="1" errors="0" skipped="0"');
    expect(text).toContain('name="a &lt;b&gt; &amp; &quot;c&quot; | [x](y) @all against old"');
    expect(text).toContain('<property name="low" value="-0.05"/>');
    expect(text).toContain('<property name="maxDrop" value="0.02"/>');
    expect(text.match(/<testcase /g)).toHaveLength(5);
    expect(text).toMatch(/<failure message="-0\.010 \[-0\.050, \+0\.030\] at 95 %/);
  });

  it('are Markdown in which a name is no markup and mentions nobody', () => {
    const text = renderMarkdown(gate);
    expect(text).toContain('### ❌ Gate failed: a \\<b\\> & "c" \\| \\[x\\](y) @\u200ball against old');
    expect(text).toContain('**-0.010 [-0.050, +0.030] at 95 %**');
    expect(text).toContain('| p-1 | hedging | 0.900 | 0.100 | -0.800 |');
    expect(text).toContain('> ⚠️ Made up.');
  });

  it('are a few lines for a terminal', () => {
    const lines = renderGate(gate).split('\n');
    expect(lines.at(-1)).toBe('FAILED');
    expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(4);
  });

  it('tell what could not be judged from what failed', () => {
    const candidate = { ...run('new'), status: 'RUNNING' as const };
    const result = judge({ candidate, comparison: null }, { ...rules, minScore: 0.4 });
    const open = { candidate, comparison: null, rules, result };
    expect(renderJunit(open)).toMatch(/failures="0" errors="1" skipped="2"[\s\S]*<error message="“new” is RUNNING/);
    expect(renderMarkdown(open)).toMatch(/^### ❓ Gate could not judge: new\n/);
    expect(renderGate(open)).toMatch(/\? completed[\s\S]*\nNOT JUDGED$/);
  });

  it('write a difference with its sign, and no minus before nothing', () => {
    expect([signed(0.0123), signed(-0.0123), signed(-0.0001), signed(0)]).toEqual([
      '+0.012',
      '-0.012',
      '0.000',
      '0.000',
    ]);
  });
});
