import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DatasetType } from '../datasets/dataset.types.js';
import type { Team } from '../platform/database.js';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';
import type { RowCounts } from './teamTables.js';

@ObjectType({ simpleResolvers: true, description: 'How many rows of one kind were deleted.' })
export class DeletedRows {
  @Field(() => String, { description: 'For example criterionVerdict.' })
  kind!: string;

  @Field(() => Int)
  count!: number;
}

/** The counts as the API shows them, in the order of the kinds. */
export const deletedRows = (counts: RowCounts): DeletedRows[] =>
  Object.entries(counts)
    .map(([kind, count]) => ({ kind, count }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));

@ObjectType()
export class DeletionPayload {
  @Field(() => [DeletedRows], { description: 'Empty when nothing was deleted.' })
  deleted!: DeletedRows[];

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@InputType()
export class DeleteRunInput {
  @Field(() => ID)
  runId!: string;
}

@InputType()
export class DeleteDatasetInput {
  @Field(() => ID)
  datasetId!: string;

  @Field(() => Boolean, { nullable: true, description: 'Archive it instead, which is possible with runs.' })
  archive?: boolean | null;
}

@ObjectType()
export class DeleteDatasetPayload extends DeletionPayload {
  @Field(() => DatasetType, { nullable: true, description: 'The archived dataset; null when it was deleted.' })
  dataset!: DatasetType | null;
}

@InputType()
export class ArchiveDatasetInput {
  @Field(() => ID)
  datasetId!: string;

  @Field(() => Boolean, { nullable: true, description: 'False: put it back into the list. True by default.' })
  archived?: boolean | null;
}

@ObjectType()
export class ArchiveDatasetPayload {
  @Field(() => DatasetType, { nullable: true })
  dataset!: DatasetType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType({ description: 'How long the team keeps its runs.' })
export class Retention {
  team!: Team;

  @Field(() => Int, { nullable: true, description: 'After their end. Null: until somebody deletes them.' })
  deleteRunsAfterDays!: number | null;

  @Field(() => Boolean, { description: 'Keeps the numbers of a run and deletes its texts.' })
  keepAggregates!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'It is applied once a day.' })
  lastAppliedAt!: Date | null;
}

@InputType()
export class UpdateRetentionInput {
  @Field(() => Int, { nullable: true, description: 'Counted from the end of a run. Null: keep the runs.' })
  deleteRunsAfterDays?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'False by default: the whole run is deleted.' })
  keepAggregates?: boolean | null;
}

@InputType()
export class ApplyRetentionInput {
  @Field(() => Int, { description: 'The days as they are set: a confirmation.' })
  deleteRunsAfterDays!: number;
}

@ObjectType()
export class RetentionPayload {
  @Field(() => Retention, { nullable: true })
  retention!: Retention | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@InputType()
export class EraseTeamInput {
  @Field(() => String, { description: "The team's name: a confirmation." })
  confirm!: string;
}

@InputType()
export class EraseTeamByIdInput extends EraseTeamInput {
  @Field(() => ID)
  teamId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What is left of a team that was erased.' })
export class ErasedTeam {
  @Field(() => ID)
  teamId!: string;

  @Field(() => DateTime)
  at!: Date;

  @Field(() => String, { description: 'KEY or PERSON (an admin of it), or OPERATOR.' })
  by!: string;

  @Field(() => [DeletedRows])
  deleted!: DeletedRows[];
}
