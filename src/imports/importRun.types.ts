import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';
import { SampleInputType } from '../runs/run.inputs.js';
import { RunType } from '../runs/run.types.js';
import { ScoringInputType } from '../runs/scoring.types.js';

export enum ImportFormatEnum {
  SIMPLE_EVALS = 'SIMPLE_EVALS',
  SOURCE_HARNESS = 'SOURCE_HARNESS',
  HEALTHBENCH_RUNNER = 'HEALTHBENCH_RUNNER',
  INSPECT = 'INSPECT',
}
registerEnumType(ImportFormatEnum, {
  name: 'ImportFormat',
  description:
    'SIMPLE_EVALS: a file …_allresults.json. SOURCE_HARNESS: results.jsonl, with the text of description.md beside it. ' +
    'HEALTHBENCH_RUNNER: its result file. INSPECT: a log of Inspect in JSON.',
});

export enum OriginSourceEnum {
  RECORDED = 'RECORDED',
  DECLARED = 'DECLARED',
  RECOVERED = 'RECOVERED',
  UNKNOWN = 'UNKNOWN',
}
registerEnumType(OriginSourceEnum, {
  name: 'OriginSource',
  description:
    'RECORDED: the file says it. DECLARED: whoever imported it said it. RECOVERED: joined from the dataset or worked ' +
    'out, and checked. UNKNOWN: nobody said it.',
});

@InputType({
  description:
    'A model of the imported run. What is left out is unknown, unless the file says it; null declares that it was not sent.',
})
export class ImportedModelInput {
  @Field(() => String, { nullable: true, description: 'Needed where the file does not say it.' })
  model?: string | null;

  @Field(() => Float, { nullable: true })
  temperature?: number | null;

  @Field(() => String, { nullable: true })
  reasoningEffort?: string | null;

  @Field(() => Int, { nullable: true })
  maxTokens?: number | null;

  @Field(() => String, { nullable: true })
  systemMessage?: string | null;
}

@InputType()
export class ImportedGraderInput extends ImportedModelInput {
  @Field(() => ID, {
    nullable: true,
    description: 'A grader template of the team with the prompt that was used; null: the built-in one.',
  })
  templateId?: string | null;

  @Field(() => String, { nullable: true, description: 'Or only the sha256 of its trimmed text, in hex.' })
  promptSha256?: string | null;
}

@InputType({ description: 'A finished run of another harness, and what its file does not say.' })
export class ImportRunInput {
  @Field(() => String, { nullable: true, description: 'The same key and input again returns the first run.' })
  idempotencyKey?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => ID, { description: 'The dataset that the run was made from: texts and tags are joined from it.' })
  datasetId!: string;

  @Field(() => ImportFormatEnum, { nullable: true, description: 'Found out from the file by default.' })
  format?: ImportFormatEnum | null;

  @Field(() => String, { nullable: true, description: 'Its text. A large one goes to POST /runs/import.' })
  file?: string | null;

  @Field(() => String, { nullable: true })
  fileName?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the source harness, the text of description.md.' })
  description?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How often the file has the whole list. Needed for more than one, but in SIMPLE_EVALS.',
  })
  repeats?: number | null;

  @Field(() => SampleInputType, {
    nullable: true,
    description: 'How the conversations were chosen: it must give the ones of the file. Worked out by default.',
  })
  sample?: SampleInputType | null;

  @Field(() => ImportedModelInput, { nullable: true })
  modelUnderTest?: ImportedModelInput | null;

  @Field(() => ImportedGraderInput, { nullable: true })
  grader?: ImportedGraderInput | null;

  @Field(() => String, { nullable: true, description: 'healthbench by default.' })
  scoringProfile?: string | null;

  @Field(() => ScoringInputType, { nullable: true })
  scoring?: ScoringInputType | null;
}

@ObjectType()
export class ImportRunPayload {
  @Field(() => RunType, { nullable: true })
  run!: RunType | null;

  @Field(() => Boolean, { description: 'False: the same file was imported before with the same declaration.' })
  created!: boolean;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType('OriginPart', { simpleResolvers: true, description: 'A part of an imported run, and who says it.' })
export class OriginPartType {
  @Field(() => String, { description: 'For example grader.temperature, verdicts or tags.' })
  part!: string;

  @Field(() => String, { nullable: true, description: 'Null: set to nothing, not known, or no single value.' })
  value!: string | null;

  @Field(() => OriginSourceEnum)
  source!: OriginSourceEnum;
}

@ObjectType('RunOrigin', { simpleResolvers: true, description: 'Where an imported run comes from.' })
export class RunOriginType {
  @Field(() => ImportFormatEnum)
  format!: ImportFormatEnum;

  @Field(() => String, { nullable: true })
  fileName!: string | null;

  @Field(() => String, { description: "Of the file's bytes." })
  sha256!: string;

  @Field(() => DateTime)
  importedAt!: Date;

  @Field(() => String, { nullable: true, description: 'Name of the key or person.' })
  importedBy!: string | null;

  @Field(() => String, { nullable: true, description: 'When the file says that it was made, in its own words.' })
  recordedAt!: string | null;

  @Field(() => Float, { nullable: true, description: 'As the file has it, 0..1; null: it does not say.' })
  reportedScore!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'As its verdicts give it here, before any length adjustment; null: none has a score.',
  })
  recomputedScore!: number | null;

  @Field(() => [OriginPartType])
  parts!: OriginPartType[];
}
