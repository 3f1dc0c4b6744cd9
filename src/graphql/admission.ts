import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type { RateLimit } from '../tenancy/rateLimit.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { type QueryLimits, refuseExpensive, refuseLongText } from './queryLimits.js';
import { type QueryPrice, rootFieldsOf } from './queryPrice.js';

/** What a caller sends, on either transport. */
export interface Operation {
  query: string;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
}

/** A read of this many objects counts once against the rate limit. */
const COST_PER_READ = 1_000;
/** Changes that end something or take rights away: they must work when others are refused. */
const STOPPING = new Set(['cancelRun', 'pauseRun', 'revokeApiKey', 'deleteModelEndpoint']);

/** Decides what is executed at all. The same on both transports, before anything runs. */
export class Admission {
  readonly #rules;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly limits: QueryLimits,
    private readonly rateLimit: RateLimit,
    introspection: boolean,
  ) {
    this.#rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  }

  /**
   * The parsed document, not validated. Throws LimitExceeded for a document that asks for too much, RateLimited or
   * Unavailable for a key that asks too often, and what the parser throws.
   */
  async admit(operation: Operation, context: RequestContext): Promise<DocumentNode> {
    refuseLongText(operation.query, this.limits);
    const document = parse(operation.query);
    const price = refuseExpensive(this.schema, document, operation.variables ?? {}, this.limits);
    await this.#charge(operation, document, price, context);
    return document;
  }

  /** As admit, and validated: what to execute, or the errors of validation. */
  async prepare(operation: Operation, context: RequestContext): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const document = await this.admit(operation, context);
    const errors = validate(this.schema, document, this.#rules);
    if (errors.length > 0) return errors;
    const { operationName, variables } = operation;
    if (!getOperationAST(document, operationName)) return [new GraphQLError('Unable to identify the operation.')];
    return { schema: this.schema, document, operationName, variableValues: variables, contextValue: context };
  }

  async #charge(asked: Operation, document: DocumentNode, price: QueryPrice, context: RequestContext): Promise<void> {
    const operation = getOperationAST(document, asked.operationName);
    const changes = operation?.operation === OperationTypeNode.MUTATION ? rootFieldsOf(document, operation) : [];
    const starts = changes.filter((name) => !STOPPING.has(name)).length;
    await this.rateLimit.takeStarts(context, starts);
    if (starts === 0) await this.rateLimit.takeReads(context, Math.max(1, Math.ceil(price.cost / COST_PER_READ)));
  }
}
