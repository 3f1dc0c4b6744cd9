import { BUILT_IN_TEMPLATE, renderGraderPrompt } from '../../src/healthbench/graderPrompt.js';
import { simulatedReply, simulatedVerdict } from '../../src/simulator/simulatedAnswer.js';
import { line, type TestConversation } from './dataset.js';

export const SEED = 1;

/** Whether the simulated grader finds each criterion of a conversation met: computed without the pipeline. */
export function expectedVerdicts(
  conversation: TestConversation,
  model: string,
  grader: string,
  systemMessage: string | null = null,
): boolean[] {
  const { prompt, rubrics } = JSON.parse(line(conversation));
  const messages = systemMessage === null ? prompt : [{ role: 'system', content: systemMessage }, ...prompt];
  const reply = simulatedReply({ seed: SEED, model, messages });
  return rubrics.map(({ criterion, points }: { criterion: string; points: number }) => {
    const input = { messages, reply, criterion: { text: criterion, pointsText: String(points) } };
    const prompt = renderGraderPrompt(BUILT_IN_TEMPLATE, input);
    return simulatedVerdict({ seed: SEED, model: grader, prompt }).criteriaMet;
  });
}

/**
 * The numbers of a run, by the rules of the reference in the plainest code there is: points of met criteria
 * over positive points, then the mean, then the clip.
 */
export function expectedNumbers(list: TestConversation[], model: string, grader: string) {
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const sums: Record<string, number[]> = {};
  const note = (tag: string, value: number) => {
    sums[tag] = [...(sums[tag] ?? []), value];
  };
  const hits = { positive: { met: 0, graded: 0 }, negative: { met: 0, graded: 0 } };
  const scores = list.map((conversation) => {
    const verdicts = expectedVerdicts(conversation, model, grader);
    const ratio = (tag: string | null) => {
      let earned = 0;
      let possible = 0;
      conversation.criteria.forEach(({ points, tags }, i) => {
        if (tag !== null && !tags.includes(tag)) return;
        if (verdicts[i]) earned += points;
        if (points > 0) possible += points;
      });
      return possible > 0 ? earned / possible : null;
    };
    conversation.criteria.forEach(({ points }, i) => {
      const side = points > 0 ? hits.positive : hits.negative;
      side.graded += 1;
      if (verdicts[i]) side.met += 1;
    });
    const score = ratio(null) as number;
    for (const tag of conversation.tags) note(tag, score);
    for (const tag of new Set(conversation.criteria.flatMap(({ tags }) => tags))) {
      const value = ratio(tag);
      if (value !== null) note(tag, value);
    }
    return score;
  });
  const tags = Object.fromEntries(
    Object.entries(sums).map(([tag, values]) => [tag, { n: values.length, value: clip(mean(values)) }]),
  );
  return { scores, value: clip(mean(scores)), unclippedMean: mean(scores), tags, hits };
}
