import { ArgsType, type ClassType, Field, Int, ObjectType, Root } from 'type-graphql';
import type { Connection } from './page.js';

@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: 'How many; 50 by default, at most 200 (verdicts: 500).' })
  first?: number;

  @Field(() => String, { nullable: true, description: 'The endCursor of the page before.' })
  after?: string;
}

@ObjectType({ simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean)
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

/** The Relay connection type of `node`, with the names that clients expect. */
export function connectionType<T extends object>(node: ClassType<T>, name: string): ClassType {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class EdgeType {
    @Field(() => String)
    cursor!: string;

    @Field(() => node)
    node!: T;
  }

  @ObjectType(`${name}Connection`)
  class ConnectionType {
    @Field(() => [EdgeType])
    edges!: EdgeType[];

    @Field(() => [node])
    nodes!: T[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;

    @Field(() => Int, { description: 'Of all pages; counted only when selected.' })
    totalCount(@Root() page: Connection<T>): Promise<number> {
      return page.count();
    }
  }
  return ConnectionType;
}
