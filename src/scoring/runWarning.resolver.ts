import { Field, FieldResolver, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import { severityOf } from '../healthbench/fingerprint.js';
import { recognisedPrompt } from '../healthbench/graderPrompt.js';
import { runWarnings, type WarningFacts } from '../healthbench/runWarnings.js';
import { RunType } from '../runs/run.types.js';
import { isFinal } from '../runs/runStatus.js';

export enum RunWarningCode {
  SIMULATED = 'SIMULATED',
  SELF_GRADED = 'SELF_GRADED',
  INCOMPLETE_COVERAGE = 'INCOMPLETE_COVERAGE',
  TINY_SAMPLE = 'TINY_SAMPLE',
  UNRECOGNISED_GRADER_PROMPT = 'UNRECOGNISED_GRADER_PROMPT',
  REPORTED_SCORE_DIFFERS = 'REPORTED_SCORE_DIFFERS',
  UNKNOWN_CONDITIONS = 'UNKNOWN_CONDITIONS',
  OFF_PRESET = 'OFF_PRESET',
}
registerEnumType(RunWarningCode, { name: 'RunWarningCode' });

@ObjectType({ simpleResolvers: true, description: 'What a reader must know before quoting a number of the run.' })
export class RunWarning {
  @Field(() => RunWarningCode)
  code!: RunWarningCode;

  @Field(() => String)
  message!: string;
}

/** What of an imported run a reader must know; unknown is said only where it decides whether numbers compare. */
function importedFacts({ origin, fingerprint }: RunType): WarningFacts['imported'] {
  if (origin === null) return null;
  const decides = (part: string) => ['SCOPE', 'BREAKING'].includes(severityOf(part));
  const unknown = fingerprint.filter((part) => part.unknown && decides(part.part)).map(({ part }) => part);
  return { reportedScore: origin.reportedScore, recomputedScore: origin.recomputedScore, unknown };
}

@Resolver(() => RunType)
export class RunWarningResolver {
  @FieldResolver(() => [RunWarning], { description: 'The gravest first; empty when there is nothing to warn of.' })
  warnings(@Root() run: RunType): RunWarning[] {
    const { progress, modelUnderTest, grader, graderPrompt, scoring } = run;
    return runWarnings({
      model: modelUnderTest,
      grader,
      graderPromptRecognised: graderPrompt === null || recognisedPrompt(graderPrompt.sha256) !== null,
      conversations: run.sample.size,
      total: progress.conversationsTotal,
      scored: progress.conversationsScored,
      failed: progress.conversationsFailed,
      ungraded: progress.conversationsUngraded,
      over: isFinal(run.status),
      deviations: scoring.deviations,
      profile: scoring.profile,
      imported: importedFacts(run),
    }).map(({ code, message }) => ({ code: RunWarningCode[code], message }));
  }
}
