import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { type Conversation, type Dataset, DatasetSource, type RubricCriterion } from '../platform/database.js';
import { connectionType, PageArgs } from '../platform/relay/connection.js';
import { globalId } from '../platform/relay/globalId.js';
import { Node } from '../platform/relay/node.type.js';
import { BigIntScalar, DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';
import { DatasetDownloadType } from './download.types.js';

@ObjectType('Dataset', { implements: Node, description: 'An imported, immutable list of conversations.' })
export class DatasetType extends Node {
  /** The row's id. */
  key!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Of the file as it was imported, hex: the identity of the dataset.' })
  sha256!: string;

  @Field(() => String, { nullable: true, description: 'The official HealthBench file with this sha256, if it is one.' })
  officialName!: string | null;

  @Field(() => String, { description: 'HEALTHBENCH or PROFESSIONAL.' })
  format!: string;

  @Field(() => BigIntScalar)
  byteSize!: bigint;

  @Field(() => Int)
  conversationCount!: number;

  @Field(() => Int)
  criterionCount!: number;

  @Field(() => [String], { description: 'What was odd in the file and yet imported, with the line.' })
  warnings!: string[];

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'Since when it is no longer listed.' })
  archivedAt!: Date | null;
}

export const DatasetConnection = connectionType(DatasetType, 'Dataset');

@ArgsType()
export class DatasetsArgs extends PageArgs {
  @Field(() => Boolean, { nullable: true, description: 'True: the archived ones instead.' })
  archived?: boolean;

  @Field(() => String, { nullable: true, description: 'Part of the name, in any case.' })
  name?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class Message {
  @Field(() => String)
  role!: string;

  @Field(() => String)
  content!: string;
}

@ObjectType('RubricCriterion', { simpleResolvers: true, description: "One line of a conversation's rubric." })
export class RubricCriterionType {
  @Field(() => Int, { description: 'Position in the rubric, from 0.' })
  no!: number;

  @Field(() => String)
  text!: string;

  @Field(() => Float, { description: 'Signed: a negative criterion describes something undesirable.' })
  points!: number;

  @Field(() => [String])
  tags!: string[];

  @Field(() => String, { nullable: true, description: 'Without the prefix, for example accuracy.' })
  axis!: string | null;
}

@ObjectType('Conversation', { implements: Node, description: 'One record of a dataset.' })
export class ConversationType extends Node {
  datasetKey!: string;

  @Field(() => Int, { description: 'Position in the file, from 0.' })
  no!: number;

  @Field(() => String)
  promptId!: string;

  @Field(() => [Message])
  messages!: Message[];

  @Field(() => [String])
  tags!: string[];

  @Field(() => String, { nullable: true, description: 'Without the prefix, for example hedging.' })
  theme!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Of the record: keep it with every copy of the text, so that the text can be kept out of training data.',
  })
  canary!: string | null;
}

export const ConversationConnection = connectionType(ConversationType, 'Conversation');

@InputType()
export class ImportDatasetInput {
  @Field(() => String, { nullable: true, description: 'The same key and input again returns the first result.' })
  idempotencyKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Needed with jsonl; by default a source lends its own.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The file as text. Large files: POST /datasets?name=… with the file as body.',
  })
  jsonl?: string | null;

  @Field(() => DatasetSource, {
    nullable: true,
    description: 'Instead of jsonl: the service fetches this file. If the team has it, the dataset is there at once.',
  })
  source?: DatasetSource | null;
}

@ObjectType()
export class ImportDatasetPayload {
  @Field(() => DatasetType, { nullable: true })
  dataset!: DatasetType | null;

  @Field(() => Boolean, { description: 'False: the team had this content already, or it is still to be fetched.' })
  created!: boolean;

  @Field(() => DatasetDownloadType, {
    nullable: true,
    description: 'How far a source has come that the team does not have yet.',
  })
  download!: DatasetDownloadType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

/** The row as the API shows it. */
export function datasetType(row: Dataset): DatasetType {
  return Object.assign(new DatasetType(), row, { key: row.id, id: globalId('Dataset', row.id) });
}

export function conversationType(row: Conversation): ConversationType {
  const { raw, teamId, messages, ...shown } = row;
  return Object.assign(new ConversationType(), shown, {
    id: globalId('Conversation', row.datasetId, row.no),
    datasetKey: row.datasetId,
    messages: messages as unknown as Message[],
  });
}

export function criterionType(row: RubricCriterion): RubricCriterionType {
  const { no, text, points, tags, axis } = row;
  return Object.assign(new RubricCriterionType(), { no, text, points, tags, axis });
}
