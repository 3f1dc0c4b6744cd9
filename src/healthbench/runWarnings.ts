/** What a reader must know before quoting a number. */
export interface RunWarning {
  code: WarningCode;
  message: string;
}

export type WarningCode =
  | 'SIMULATED'
  | 'SELF_GRADED'
  | 'INCOMPLETE_COVERAGE'
  | 'TINY_SAMPLE'
  | 'UNRECOGNISED_GRADER_PROMPT'
  | 'REPORTED_SCORE_DIFFERS'
  | 'UNKNOWN_CONDITIONS'
  | 'OFF_PRESET';

/** With fewer conversations a 95 % interval is, at the usual spread of scores, wider than 10 points. */
export const TINY_SAMPLE = 100;

export interface WarningFacts {
  model: { model: string; simulated: boolean };
  grader: { model: string; simulated: boolean };
  /** False: the text is none that is known by its sha256. */
  graderPromptRecognised: boolean;
  /** Selected conversations, without repeats. */
  conversations: number;
  /** Of the run, repeats included. */
  total: number;
  scored: number;
  failed: number;
  ungraded: number;
  /** Nothing more will be scored unless somebody asks for it. */
  over: boolean;
  /** Where the run leaves the preset of its profile, in words. */
  deviations: readonly string[];
  profile: string;
  /** Of an imported run; null: made here. */
  imported: { reportedScore: number | null; recomputedScore: number | null; unknown: readonly string[] } | null;
}

/** The warnings of a run, the gravest first; empty when there is nothing to warn of. */
export function runWarnings(facts: WarningFacts): RunWarning[] {
  const found: (RunWarning | null)[] = [
    simulated(facts),
    selfGraded(facts),
    coverage(facts),
    tinySample(facts),
    reportedScore(facts),
    unknownConditions(facts),
    facts.graderPromptRecognised
      ? null
      : {
          code: 'UNRECOGNISED_GRADER_PROMPT',
          message: 'The grader prompt is none of the known ones: the numbers compare only with runs that use the same.',
        },
    facts.deviations.length === 0
      ? null
      : {
          code: 'OFF_PRESET',
          message: `Deliberately not comparable with ${facts.profile}: ${facts.deviations.join('; ')}.`,
        },
  ];
  return found.filter((warning) => warning !== null);
}

function simulated({ model, grader }: WarningFacts): RunWarning | null {
  if (!model.simulated && !grader.simulated) return null;
  const what =
    model.simulated && grader.simulated ? 'Replies and verdicts' : model.simulated ? 'The replies' : 'The verdicts';
  return { code: 'SIMULATED', message: `${what} were made up: the numbers say nothing about any model.` };
}

function selfGraded({ model, grader }: WarningFacts): RunWarning | null {
  if (bareName(model.model) !== bareName(grader.model)) return null;
  return {
    code: 'SELF_GRADED',
    message: `${grader.model} judged its own replies; models tend to be kind to themselves.`,
  };
}

/** Routers put a provider in front of the same model's name: `openai/gpt-4.1`. */
const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1).toLowerCase();

function coverage({ total, scored, failed, ungraded, over }: WarningFacts): RunWarning | null {
  const missing = over ? total - scored : failed + ungraded;
  if (missing === 0) return null;
  const rest = missing - failed - ungraded;
  const parts = [
    `${failed} without a reply`,
    `${ungraded} with an ungraded criterion`,
    ...(rest > 0 ? [`${rest} never finished`] : []),
  ];
  const message = `${missing} of ${total} conversations are not scored (${parts.join(', ')}) and count nowhere in the score.`;
  return { code: 'INCOMPLETE_COVERAGE', message };
}

/** Beyond what adding up in another order or rounding to four places does. */
const SCORE_TOLERANCE = 1e-4;

function reportedScore({ imported, profile }: WarningFacts): RunWarning | null {
  if (imported === null) return null;
  const { reportedScore: reported, recomputedScore: own } = imported;
  if (reported === null || own === null || Math.abs(reported - own) <= SCORE_TOLERANCE) return null;
  const percent = (score: number) => `${(score * 100).toFixed(2)} %`;
  const message =
    `The imported file reports ${percent(reported)}; its verdicts give ${percent(own)} by the rules of ${profile}. ` +
    'Harnesses differ in what they clip and in what they count for a failure.';
  return { code: 'REPORTED_SCORE_DIFFERS', message };
}

function unknownConditions({ imported }: WarningFacts): RunWarning | null {
  if (imported === null || imported.unknown.length === 0) return null;
  const message = `Imported, and nobody said: ${imported.unknown.join(', ')}. Whether its number compares with others is not known.`;
  return { code: 'UNKNOWN_CONDITIONS', message };
}

function tinySample({ conversations }: WarningFacts): RunWarning | null {
  if (conversations >= TINY_SAMPLE) return null;
  const message = `Only ${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}: chance alone moves the score by many points; read the interval.`;
  return { code: 'TINY_SAMPLE', message };
}
