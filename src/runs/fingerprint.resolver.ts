import { Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { RunType } from './run.types.js';
import { comparisonKey } from './runFingerprint.js';

@ObjectType('FingerprintPart', { simpleResolvers: true, description: 'A condition under which a score came about.' })
export class FingerprintPartType {
  @Field(() => String, { description: 'For example graderPrompt or modelUnderTest.temperature.' })
  part!: string;

  @Field(() => String, { nullable: true, description: "Null: not set, so the provider's default." })
  value!: string | null;

  @Field(() => Boolean, { description: 'False: the run was imported, and nobody said it.' })
  known!: boolean;
}

/** What makes the scores of two runs comparable. */
@Resolver(() => RunType)
export class RunFingerprintResolver {
  @FieldResolver(() => [FingerprintPartType], {
    description: 'The conditions that two scores must share to be comparable, frozen at the start.',
  })
  fingerprint(@Root() run: RunType): FingerprintPartType[] {
    return run.fingerprint.map(({ part, value, unknown }) => ({ part, value, known: !unknown }));
  }

  @FieldResolver(() => String, {
    description:
      'The same for all runs that differ in the model under test only: their scores are comparable. A run of which not ' +
      'everything is known has one of its own.',
  })
  comparisonKey(@Root() run: RunType): string {
    return comparisonKey(run.key, run.fingerprint);
  }
}
