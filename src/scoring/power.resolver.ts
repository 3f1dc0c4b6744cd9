import { Arg, FieldResolver, Float, Int, Resolver, Root } from 'type-graphql';
import { InvalidInput } from '../errors.js';
import { conversationsNeeded, minimalDetectableDifference } from '../healthbench/power.js';
import { PairedDifference, TagDifference } from './comparison.types.js';

/** GraphQL's Int ends here. */
const MAX_INT = 2 ** 31 - 1;
const POWER = 'Two-sided at 5 %, with a power of 80 %.';

/** Of one conversation's difference; repeats are taken into account, because the standard error does. */
function deviation({ standardError, conversations }: PairedDifference): number | null {
  return standardError === null ? null : standardError * Math.sqrt(conversations);
}

function detectable(of: PairedDifference): number | null {
  const sd = deviation(of);
  return sd === null ? null : minimalDetectableDifference(sd, of.conversations);
}

function needed(of: PairedDifference, difference: number | null | undefined): number | null {
  if (difference === 0) throw new InvalidInput('must not be 0: no number of conversations shows that.', ['difference']);
  const sd = deviation(of);
  const wanted = difference ?? of.difference;
  if (sd === null || sd === 0 || wanted === 0) return null;
  const count = conversationsNeeded(sd, wanted);
  return count > MAX_INT ? null : count;
}

const DETECTABLE = `The smallest true difference that so many conversations would show. ${POWER} Null for a single one.`;
const NEEDED = `Conversations that it takes to show a true difference, by default the one that was seen. ${POWER} Null where no number is enough.`;
const DIFFERENCE = { nullable: true, description: 'For example 0.02; its sign does not matter.' };

/** Is there enough data? */
@Resolver(() => PairedDifference)
export class PairedDifferencePowerResolver {
  @FieldResolver(() => Float, { nullable: true, description: DETECTABLE })
  minimalDetectableDifference(@Root() of: PairedDifference): number | null {
    return detectable(of);
  }

  @FieldResolver(() => Int, { nullable: true, description: NEEDED })
  conversationsNeeded(
    @Root() of: PairedDifference,
    @Arg('difference', () => Float, DIFFERENCE) difference?: number | null,
  ): number | null {
    return needed(of, difference);
  }
}

/** The same for a tag: type-graphql does not hand a field resolver down to a subclass. */
@Resolver(() => TagDifference)
export class TagDifferencePowerResolver {
  @FieldResolver(() => Float, { nullable: true, description: DETECTABLE })
  minimalDetectableDifference(@Root() of: TagDifference): number | null {
    return detectable(of);
  }

  @FieldResolver(() => Int, { nullable: true, description: NEEDED })
  conversationsNeeded(
    @Root() of: TagDifference,
    @Arg('difference', () => Float, DIFFERENCE) difference?: number | null,
  ): number | null {
    return needed(of, difference);
  }
}
