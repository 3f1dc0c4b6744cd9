import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { InvalidInput } from '../errors.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { findRun } from '../runs/run.queries.js';
import { RunType, runType } from '../runs/run.types.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { importRun } from './importRun.js';
import {
  type ImportFormatEnum,
  ImportRunInput,
  ImportRunPayload,
  type OriginPartType,
  RunOriginType,
} from './importRun.types.js';

@Resolver(() => RunType)
export class ImportRunResolver {
  @Access('RUNNER')
  @Mutation(() => ImportRunPayload, {
    description:
      'Brings a finished run of another harness in: all or nothing, scored here, and no model is ever called for it.',
  })
  importRun(
    @Arg('input', () => ImportRunInput) { file, ...input }: ImportRunInput,
    @Ctx() context: RequestContext,
  ): Promise<ImportRunPayload> {
    return withUserErrors<Omit<ImportRunPayload, 'userErrors'>>({ run: null, created: false }, async () => {
      if (file == null) throw new InvalidInput('is needed; a large one goes to POST /runs/import.', ['file']);
      return importedRun(context, input, chunksOf(file), Number.POSITIVE_INFINITY); // The request is limited already.
    });
  }

  @FieldResolver(() => RunOriginType, { nullable: true, description: 'Null: the run was made here.' })
  origin(@Root() { origin }: RunType): RunOriginType | null {
    if (origin === null) return null;
    return {
      ...origin,
      format: origin.format as ImportFormatEnum,
      importedAt: new Date(origin.importedAt),
      parts: origin.parts as OriginPartType[],
    };
  }
}

/** Imports a file and answers with the run. Throws InvalidInput, NotFound or Conflict. */
export async function importedRun(
  context: RequestContext,
  input: Omit<ImportRunInput, 'file'>,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Omit<ImportRunPayload, 'userErrors'>> {
  const { db, teamId, actor } = context;
  const importedBy = actor?.keyName ?? null;
  const { runId, created } = await importRun({ db, queue: context.services.queue }, teamId, {
    ...input,
    chunks,
    maxBytes,
    importedBy,
  });
  const run = await findRun(db, teamId, runId);
  return { run: run === null ? null : runType(run), created };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
