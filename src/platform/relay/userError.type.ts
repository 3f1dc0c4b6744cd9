import { Field, ObjectType } from 'type-graphql';
import { Conflict, InvalidInput, NotFound } from '../../errors.js';

@ObjectType({ simpleResolvers: true, description: 'An expected failure of a mutation.' })
export class UserError {
  @Field(() => String)
  code!: string;

  @Field(() => String, { description: 'What is wrong and what to do.' })
  message!: string;

  @Field(() => [String], { description: 'Where in the input.' })
  path!: string[];
}

/**
 * Runs a mutation. What the caller can mend becomes user errors in its payload; authentication, limits
 * and bugs stay top-level errors.
 */
export async function withUserErrors<T extends object>(
  empty: T,
  run: () => Promise<T>,
): Promise<T & { userErrors: UserError[] }> {
  try {
    return { ...(await run()), userErrors: [] };
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof NotFound || error instanceof Conflict) {
      return { ...empty, userErrors: [{ code: error.code, message: error.message, path: [...error.inputPath] }] };
    }
    throw error;
  }
}
