import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { UserError } from '../platform/relay/userError.type.js';
import type { EndpointTest, Finding } from './endpointFindings.js';

export enum EndpointCheck {
  REACHABLE = 'REACHABLE',
  KEY_VALID = 'KEY_VALID',
  MODEL_FOUND = 'MODEL_FOUND',
  JSON_SCHEMA = 'JSON_SCHEMA',
  SPEED = 'SPEED',
}
registerEnumType(EndpointCheck, { name: 'EndpointCheck' });

@InputType()
export class TestModelEndpointInput {
  @Field(() => ID)
  endpointId!: string;

  @Field(() => String, {
    nullable: true,
    description: "By default the endpoint's default model, or its default grader.",
  })
  model?: string | null;
}

@ObjectType({ simpleResolvers: true })
export class EndpointFinding {
  @Field(() => EndpointCheck)
  check!: EndpointCheck;

  @Field(() => Boolean, { nullable: true, description: 'Null: it could not be found out.' })
  passed!: boolean | null;

  @Field(() => String, { description: 'What was found, and what to do when it did not pass.' })
  message!: string;
}

const UNKNOWN = 'Null: it could not be found out; the findings say why.';

@ObjectType('EndpointTest', { simpleResolvers: true })
export class EndpointTestType {
  @Field(() => String, { nullable: true, description: 'The model that was asked; null: there was none to ask.' })
  model!: string | null;

  @Field(() => Boolean, { nullable: true, description: UNKNOWN })
  reachable!: boolean | null;

  @Field(() => Boolean, { nullable: true, description: UNKNOWN })
  keyValid!: boolean | null;

  @Field(() => Boolean, { nullable: true, description: UNKNOWN })
  modelFound!: boolean | null;

  @Field(() => Boolean, { nullable: true, description: `Replies with JSON by schema. ${UNKNOWN}` })
  jsonSchema!: boolean | null;

  @Field(() => Int, { nullable: true, description: 'Of a tiny call; null when none succeeded.' })
  latencyMs!: number | null;

  @Field(() => Int, { description: 'Tiny calls that were made: two at most.' })
  calls!: number;

  @Field(() => [EndpointFinding], { description: 'One for each check.' })
  findings!: EndpointFinding[];
}

@ObjectType()
export class TestModelEndpointPayload {
  @Field(() => EndpointTestType, { nullable: true })
  test!: EndpointTestType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

/** The findings as the API shows them. */
export function endpointTestType({ findings, ...test }: EndpointTest): EndpointTestType {
  const passed = (check: Finding['check']) => findings.find((finding) => finding.check === check)?.passed ?? null;
  return {
    ...test,
    reachable: passed('REACHABLE'),
    keyValid: passed('KEY_VALID'),
    modelFound: passed('MODEL_FOUND'),
    jsonSchema: passed('JSON_SCHEMA'),
    findings: findings.map((finding) => ({ ...finding, check: EndpointCheck[finding.check] })),
  };
}
