import { Field, FieldResolver, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import { graderTemplate } from '../healthbench/graderPrompt.js';
import { runWarnings } from '../healthbench/runWarnings.js';
import { RunType } from '../runs/run.types.js';
import { isFinal } from '../runs/runStatus.js';

export enum RunWarningCode {
  SIMULATED = 'SIMULATED',
  SELF_GRADED = 'SELF_GRADED',
  INCOMPLETE_COVERAGE = 'INCOMPLETE_COVERAGE',
  TINY_SAMPLE = 'TINY_SAMPLE',
  UNRECOGNISED_GRADER_PROMPT = 'UNRECOGNISED_GRADER_PROMPT',
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

@Resolver(() => RunType)
export class RunWarningResolver {
  @FieldResolver(() => [RunWarning], { description: 'The gravest first; empty when there is nothing to warn of.' })
  warnings(@Root() run: RunType): RunWarning[] {
    const { progress, modelUnderTest, grader, graderPrompt, scoring } = run;
    return runWarnings({
      model: modelUnderTest,
      grader,
      graderPromptRecognised: graderTemplate(graderPrompt.text).recognised !== null,
      conversations: run.sample.size,
      total: progress.conversationsTotal,
      scored: progress.conversationsScored,
      failed: progress.conversationsFailed,
      ungraded: progress.conversationsUngraded,
      over: isFinal(run.status),
      deviations: scoring.deviations,
      profile: scoring.profile,
    }).map(({ code, message }) => ({ code: RunWarningCode[code], message }));
  }
}
