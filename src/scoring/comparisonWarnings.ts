import type { Severity } from '../healthbench/fingerprint.js';
import { TINY_SAMPLE } from '../healthbench/runWarnings.js';
import type { Comparison } from './comparison.js';

export interface ComparisonWarning {
  code: string;
  message: string;
}

/** What a reader must know before quoting a number of the comparison; the gravest first. */
export function comparisonWarnings(comparison: Comparison): ComparisonWarning[] {
  const all = [
    ...[sameReplies, gradedDifferently, unknown, differentConversations],
    ...[unscored, detailsDeleted, notFinal, few, simulated],
  ];
  return all.map((warning) => warning(comparison)).filter((warning) => warning !== null);
}

type Check = (comparison: Comparison) => ComparisonWarning | null;

const partsWith = ({ differences }: Comparison, severity: Severity): string =>
  differences.list
    .filter((difference) => difference.severity === severity)
    .map(({ part }) => part)
    .join(', ');

const sameReplies: Check = ({ differences, pair }) => {
  if (!differences.sameReplies || pair.baseline.id === pair.candidate.id) return null;
  const message =
    'Both runs grade the same replies: every difference is one between graders and says nothing of a model.';
  return { code: 'SAME_REPLIES', message };
};

const gradedDifferently: Check = (comparison) => {
  const parts = partsWith(comparison, 'BREAKING');
  if (parts === '' || comparison.differences.sameReplies) return null;
  const message = `Graded or scored differently (${parts}): no number here tells the models apart. regradeRun grades the replies of one run as the other's.`;
  return { code: 'GRADED_DIFFERENTLY', message };
};

const unknown: Check = (comparison) => {
  const parts = partsWith(comparison, 'UNKNOWN');
  if (parts === '' || comparison.differences.sameReplies) return null;
  const message =
    `Of an imported run it is not known how it was made (${parts}): whether the two may be compared cannot be told. ` +
    'Import it again and declare what you know.';
  return { code: 'UNKNOWN_CONDITIONS', message };
};

const differentConversations: Check = (comparison) => {
  const parts = partsWith(comparison, 'SCOPE');
  if (parts === '') return null;
  const { baseline, candidate } = comparison.pair;
  const message =
    `The scores of the two runs cover different conversations (${parts}): do not put them side by side. The numbers ` +
    `here are over the ${comparison.shared.conversations} conversations that both have (baseline ` +
    `${baseline.conversationCount / baseline.repeats}, candidate ${candidate.conversationCount / candidate.repeats}).`;
  return { code: 'DIFFERENT_CONVERSATIONS', message };
};

const unscored: Check = ({ shared }) => {
  const missing = shared.conversations - shared.scored;
  if (missing === 0) return null;
  const message = `${missing} of ${shared.conversations} shared conversations have no score in one of the runs and are left out.`;
  return { code: 'INCOMPLETE_COVERAGE', message };
};

const detailsDeleted: Check = ({ pair: { baseline, candidate } }) => {
  const names = [baseline, candidate].filter((run) => run.detailsDeletedAt !== null).map(({ name }) => `“${name}”`);
  if (names.length === 0) return null;
  const message = `The verdicts of ${names.join(' and ')} were deleted: which verdicts differ, and how graders agree, cannot be shown.`;
  return { code: 'DETAILS_DELETED', message };
};

const notFinal: Check = ({ pair: { baseline, candidate } }) => {
  const open = [baseline, candidate].filter(({ status }) => status !== 'COMPLETED');
  if (open.length === 0) return null;
  const message = `${open.map(({ name, status }) => `“${name}” is ${status}`).join(', ')}: the numbers may still change or cover only a part.`;
  return { code: 'NOT_COMPLETED', message };
};

const few: Check = ({ shared }) => {
  if (shared.scored >= TINY_SAMPLE) return null;
  const message = `Only ${shared.scored} conversations are compared: see the smallest difference that they could show.`;
  return { code: 'TINY_SAMPLE', message };
};

const simulated: Check = ({ pair: { baseline, candidate } }) => {
  const models = [baseline, candidate].flatMap((run) => [run.modelUnderTest, run.grader]);
  if (!models.some((model) => (model as { simulated?: boolean }).simulated)) return null;
  const message = 'Replies or verdicts were made up by a simulated provider: the numbers say nothing about any model.';
  return { code: 'SIMULATED', message };
};
