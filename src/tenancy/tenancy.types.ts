import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Role } from '../platform/database.js';
import { BigIntScalar, DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';
import { rolesInWords } from './role.js';

registerEnumType(Role, { name: 'Role', description: rolesInWords });

@ObjectType('Team', { simpleResolvers: true })
export class TeamType {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => Int, {
    nullable: true,
    description: 'Calls in flight at all its endpoints together; null: only the endpoints limit them.',
  })
  maxConcurrency!: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'Who asks.' })
export class Viewer {
  @Field(() => TeamType)
  team!: TeamType;

  @Field(() => Role)
  role!: Role;

  @Field(() => String, { nullable: true, description: 'The name of the API key, or of the person.' })
  keyName!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the key or the sign-in ends by itself.' })
  expiresAt!: Date | null;
}

@ObjectType('ApiKey', { simpleResolvers: true })
export class ApiKeyType {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => String, { description: 'How the key begins, to recognise it by.' })
  prefix!: string;

  @Field(() => DateTime)
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'To the minute.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true })
  revokedAt!: Date | null;
}

@InputType()
export class CreateApiKeyInput {
  @Field(() => String)
  name!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it ends; by default, and at the latest, your own key's.",
  })
  expiresAt?: Date | null;
}

@InputType()
export class UpdateApiKeyInput {
  @Field(() => ID)
  apiKeyId!: string;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => Role, { nullable: true })
  role?: Role | null;

  @Field(() => DateTime, { nullable: true, description: 'Null: it shall not end by itself.' })
  expiresAt?: Date | null;
}

@ObjectType()
export class CreateApiKeyPayload {
  @Field(() => ApiKeyType, { nullable: true })
  apiKey!: ApiKeyType | null;

  @Field(() => String, { nullable: true, description: 'The key itself: shown now and never again.' })
  secret!: string | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@InputType()
export class RevokeApiKeyInput {
  @Field(() => ID)
  apiKeyId!: string;
}

@ObjectType()
export class UpdateApiKeyPayload {
  @Field(() => ApiKeyType, { nullable: true })
  apiKey!: ApiKeyType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType()
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { nullable: true })
  apiKey!: ApiKeyType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@InputType()
export class CreateTeamInput {
  @Field(() => String)
  name!: string;
}

@InputType()
export class UpdateTeamInput {
  @Field(() => String, { description: 'Of the team; the operator finds none by its id.' })
  name!: string;

  @Field(() => Int, { nullable: true, description: 'From 1; null takes the limit away.' })
  maxConcurrency!: number | null;
}

@ObjectType()
export class UpdateTeamPayload {
  @Field(() => TeamType, { nullable: true })
  team!: TeamType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType()
export class CreateTeamPayload {
  @Field(() => TeamType, { nullable: true })
  team!: TeamType | null;

  @Field(() => String, { nullable: true, description: 'The admin key of the team: shown now and never again.' })
  secret!: string | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType({ simpleResolvers: true, description: 'Counts over all teams.' })
export class Installation {
  @Field(() => Int)
  teams!: number;

  @Field(() => Int, { description: 'Neither revoked nor expired.' })
  apiKeys!: number;

  @Field(() => Int)
  datasets!: number;

  @Field(() => Int)
  runs!: number;

  @Field(() => Int, { description: 'Queued, running or paused.' })
  openRuns!: number;

  @Field(() => BigIntScalar)
  verdicts!: bigint;
}
