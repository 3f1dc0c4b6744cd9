import { Field, ID, InterfaceType } from 'type-graphql';

/** Class `DatasetType` is GraphQL type `Dataset`. */
const typeName = (value: object): string => value.constructor.name.replace(/Type$/, '');

/** What has a global id. The class of an object decides its GraphQL type, so rows are mapped to classes. */
@InterfaceType({ description: 'An object with a global id.', resolveType: (value) => typeName(value) })
export abstract class Node {
  @Field(() => ID)
  id!: string;
}
