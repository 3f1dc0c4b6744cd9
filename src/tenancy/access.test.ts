import { describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { enforceAccess } from './access.js';

describe('access rules', () => {
  it.each([
    'type Query { open: Int }',
    'type Query { a: Int } type Mutation { open: Int }',
    'type Query { a: Int } type Subscription { open: Int }',
  ])('do not let a schema be built in which a root field declares no role: %s', (text) => {
    const schema = buildSchema(text);
    const a = schema.getQueryType()?.getFields().a;
    if (a !== undefined) a.extensions = { access: 'VIEWER' };
    expect(() => enforceAccess(schema)).toThrow(/open declares no role/);
  });
});
