import { Field, ID, InterfaceType } from 'type-graphql';

/** What has a global id. The class of an object decides its GraphQL type, so rows are mapped to classes. */
@InterfaceType({ description: 'An object with a global id.', resolveType: (value) => value.constructor.name })
export abstract class Node {
  @Field(() => ID)
  id!: string;
}
