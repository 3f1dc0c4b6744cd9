import { describe, expect, it } from '@jest/globals';
import type { GateComparisonFragment } from '../client/generated/operations.js';
import { type GateRules, judge, signed } from './gateChecks.js';
import { renderGate, renderJunit, renderMarkdown } from './gateReport.js';

const rules: GateRules = {
  maxDrop: 0.02,
  confidence: 0.95,
  mode: 'strict',
  minCoverage: 0.99,
  minConversations: 20,
  allowDifferent: false,
};

const run = (name: string, coverage = 1) => ({
  id: `id-${name}`,
  name,
  status: 'COMPLETED' as const,
  statusReason: null,
  modelUnderTest: { model: `${name}-model` },
  grader: { model: 'grader' },
  score: { value: 0.5, n: 100, coverage },
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

const check = (comparison: GateComparisonFragment, name: string, more: Partial<GateRules> = {}) =>
  judge(comparison, { ...rules, ...more }).checks.find((found) => found.name === name);

describe('a gate over a drop of at most 0.02', () => {
  it.each([
    ['certainly better', 0.01, 0.05, true, true],
    ['at most a little worse', -0.02, 0.01, true, true],
    ['perhaps too much worse', -0.05, 0.03, false, true],
    ['too much worse on average, and not proven', -0.06, -0.01, false, true],
    ['proven too much worse', -0.09, -0.03, false, false],
  ])('when the candidate is %s [%f, %f]: strict %p, lenient %p', (_, low, high, strict, lenient) => {
    expect(judge(compared(low, high), rules).passed).toBe(strict);
    expect(judge(compared(low, high), { ...rules, mode: 'lenient' }).passed).toBe(lenient);
  });

  it('passes equal runs even when no drop is allowed', () => {
    expect(judge(compared(0, 0), { ...rules, maxDrop: 0 }).passed).toBe(true);
  });

  it('says whether a failure is a proven drop or too little data, and then how much it takes', () => {
    expect(check(compared(-0.09, -0.03), 'score')?.message).toContain('a drop of more than 0.02 is proven');
    expect(check(compared(-0.05, 0.03), 'score')?.message).toMatch(/cannot be ruled out. It takes about 900 conv/);
  });

  it('fails a handful of conversations, whose interval is too narrow to trust', () => {
    const few = compared(0, 0);
    if (few.overall) few.overall.conversations = 19;
    expect(check(few, 'score')?.message).toContain('fewer than 20');
    expect(judge(few, { ...rules, mode: 'lenient' }).passed).toBe(true);
    expect(judge(few, { ...rules, minConversations: 2 }).passed).toBe(true);
  });

  it('fails without an interval: one conversation, or none that is shared', () => {
    const [one, none] = [compared(0, 0), compared(0, 0)];
    if (one.overall) one.overall.interval = null;
    none.overall = null;
    none.unavailableReason = 'No shared conversation has a score in both runs.';
    for (const comparison of [one, none]) {
      expect(judge(comparison, { ...rules, mode: 'lenient' }).passed).toBe(false);
    }
  });

  it('fails when a run is not completed, and judges no score then', () => {
    const paused = { ...run('new'), status: 'PAUSED' as const, statusReason: 'budget' };
    const result = judge(compared(0, 0.1, { candidate: paused }), rules);
    expect(result.checks.map(({ status }) => status)).toEqual(['failed', 'passed', 'passed', 'skipped']);
    expect(result.checks[0]?.message).toContain('“new” is PAUSED (budget)');
  });

  it.each(['SCOPE', 'UNKNOWN', 'BREAKING'] as const)(
    'refuses runs with a %s difference, unless told otherwise',
    (severity) => {
      const differences = [{ ...known, part: 'graderPrompt', baseline: 'a', candidate: 'b', severity }];
      const comparison = compared(0, 0.1, { differences });
      expect(judge(comparison, rules).passed).toBe(false);
      expect(check(comparison, 'comparable')?.message).toContain('graderPrompt (a → b)');
      expect(judge(comparison, { ...rules, allowDifferent: true }).passed).toBe(true);
    },
  );

  it('refuses two gradings of the same replies', () => {
    expect(judge(compared(0, 0.1, { sameReplies: true }), rules).passed).toBe(false);
  });

  it('fails when either run covers too little, however good the rest is', () => {
    for (const role of ['baseline', 'candidate'] as const) {
      const comparison = compared(0.05, 0.1, {
        [role]: run('thin', 0.985),
        differences: [{ ...known, part: 'coverage', baseline: '1', candidate: '0.985', severity: 'SCOPE' }],
      });
      expect(check(comparison, 'comparable')?.status).toBe('passed');
      expect(check(comparison, 'coverage')?.status).toBe('failed');
      expect(judge(comparison, { ...rules, minCoverage: 0.98 }).passed).toBe(true);
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
  const gate = { comparison: nasty, rules, result: judge(nasty, rules) };

  it('are JUnit with a case for each check, whatever is in a name', () => {
    const text = renderJunit(gate);
    expect(text).toContain('tests="4" failures="1" errors="0" skipped="0"');
    expect(text).toContain('name="a &lt;b&gt; &amp; &quot;c&quot; | [x](y) @all against old"');
    expect(text).toContain('<property name="low" value="-0.05"/>');
    expect(text).toContain('<property name="maxDrop" value="0.02"/>');
    expect(text.match(/<testcase /g)).toHaveLength(4);
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
    expect(lines.filter((line) => line.startsWith('✓'))).toHaveLength(3);
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
