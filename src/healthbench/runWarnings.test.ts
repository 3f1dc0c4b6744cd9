import { describe, expect, it } from '@jest/globals';
import { runWarnings, type WarningFacts } from './runWarnings.js';

const clean: WarningFacts = {
  model: { model: 'model-a', simulated: false },
  grader: { model: 'judge-b', simulated: false },
  graderPromptRecognised: true,
  conversations: 500,
  total: 1000,
  scored: 1000,
  failed: 0,
  ungraded: 0,
  over: true,
  deviations: [],
  profile: 'healthbench',
  imported: null,
};
const warn = (changes: Partial<WarningFacts>) => runWarnings({ ...clean, ...changes });

describe('warnings of a run', () => {
  it('are absent when there is nothing to warn of', () => {
    expect(warn({})).toEqual([]);
  });

  it.each([
    [{ model: { model: 'model-a', simulated: true } }, 'SIMULATED', /^The replies were made up/],
    [{ grader: { model: 'openai/Model-A', simulated: false } }, 'SELF_GRADED', /its own replies/],
    [{ conversations: 99 }, 'TINY_SAMPLE', /Only 99 conversations/],
    [{ conversations: 1 }, 'TINY_SAMPLE', /Only 1 conversation:/],
    [{ graderPromptRecognised: false }, 'UNRECOGNISED_GRADER_PROMPT', /none of the known/],
    [{ deviations: ['another grader'] }, 'OFF_PRESET', /not comparable .* another grader\.$/],
    [{ scored: 990, failed: 4, ungraded: 6 }, 'INCOMPLETE_COVERAGE', /^10 of 1000 .* \(4 without a reply, 6 with/],
    [{ scored: 100, failed: 4 }, 'INCOMPLETE_COVERAGE', /^900 of 1000 .* 896 never finished/],
    [
      { imported: { reportedScore: 0.5, recomputedScore: 0.4, unknown: [] } },
      'REPORTED_SCORE_DIFFERS',
      /reports 50\.00 %; its verdicts give 40\.00 % by the rules of healthbench/,
    ],
    [
      { imported: { reportedScore: 0.5, recomputedScore: 0.50004, unknown: ['graderPrompt'] } },
      'UNKNOWN_CONDITIONS',
      /nobody said: graderPrompt\./,
    ],
  ] as const)('%j: %s', (changes, code, message) => {
    expect(warn(changes)).toEqual([{ code, message: expect.stringMatching(message) }]);
  });

  it('do not blame a run that is going for what is still to come', () => {
    expect(warn({ over: false, scored: 10 })).toEqual([]);
    expect(warn({ over: false, scored: 10, failed: 1 })[0]?.message).toMatch(/^1 of 1000/);
  });
});
