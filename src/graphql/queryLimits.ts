import { type DocumentNode, type GraphQLSchema, Lexer, Source, TokenKind } from 'graphql';
import { LimitExceeded } from '../errors.js';
import { priceOf, type QueryPrice } from './queryPrice.js';

/** What one operation may ask for. */
export interface QueryLimits {
  /** Objects that may be returned, as priced by `priceOf`. */
  maxCost: number;
  maxDepth: number;
  maxAliases: number;
  maxRootFields: number;
  /** Fields and spreads, fragments spelled out. */
  maxFields: number;
  /** Lexical tokens of the text. A string is one, however long. */
  maxTokens: number;
}

export const standardLimits: QueryLimits = {
  maxCost: 20_000,
  maxDepth: 16,
  maxAliases: 100,
  maxRootFields: 50,
  maxFields: 600,
  maxTokens: 20_000,
};

/** Brackets within each other: graphql's parser is recursive, and deeper texts would overflow its stack. */
const MOST_NESTING = 100;

/**
 * Throws LimitExceeded for a text that is not worth parsing: too many tokens, or nested too deeply. A text that is no
 * GraphQL passes: the parser says what is wrong with it.
 */
export function refuseLongText(text: string, limits: QueryLimits): void {
  const lexer = new Lexer(new Source(text));
  let nesting = 0;
  for (let tokens = 1; ; tokens += 1) {
    let kind: TokenKind;
    try {
      kind = lexer.advance().kind;
    } catch {
      return;
    }
    if (kind === TokenKind.EOF) return;
    if (tokens > limits.maxTokens) {
      throw new LimitExceeded('QUERY_TOO_LONG', `The document has more than ${limits.maxTokens} tokens.`);
    }
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) nesting += 1;
    if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) nesting -= 1;
    if (nesting > MOST_NESTING) throw tooDeep(limits);
  }
}

/**
 * Throws LimitExceeded for a document that asks for too much. Called before validation, whose own rules take long on
 * large documents, so nothing has been checked yet.
 */
export function refuseExpensive(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  limits: QueryLimits,
): QueryPrice {
  const price = priceOf(schema, document, variables);
  if (price.aliases > limits.maxAliases) {
    throw new LimitExceeded('TOO_MANY_ALIASES', `An operation may have ${limits.maxAliases} aliases at most.`);
  }
  if (price.rootFields > limits.maxRootFields) {
    throw new LimitExceeded(
      'TOO_MANY_ROOT_FIELDS',
      `An operation may have ${limits.maxRootFields} root fields at most.`,
    );
  }
  if (price.depth > limits.maxDepth) throw tooDeep(limits);
  if (price.fields > limits.maxFields) {
    const message = `A document may have ${limits.maxFields} fields at most, its fragments spelled out.`;
    throw new LimitExceeded('TOO_MANY_FIELDS', message);
  }
  if (price.cost > limits.maxCost) {
    const message = `This asks for up to ${price.cost} objects; ${limits.maxCost} are allowed. Ask for smaller pages (first).`;
    throw new LimitExceeded('QUERY_TOO_EXPENSIVE', message);
  }
  return price;
}

const tooDeep = (limits: QueryLimits): LimitExceeded =>
  new LimitExceeded('QUERY_TOO_DEEP', `Fields may be nested ${limits.maxDepth} deep at most.`);
