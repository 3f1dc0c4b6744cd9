import { Arg, Ctx, FieldResolver, Resolver, Root, registerEnumType } from 'type-graphql';
import { RunType } from '../runs/run.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { exportPath, LINK_MINUTES } from './exportUrl.js';

export enum ExportTableEnum {
  VERDICTS = 'verdicts',
  CONVERSATIONS = 'conversations',
  RUNS = 'runs',
}
registerEnumType(ExportTableEnum, { name: 'ExportTable' });

export enum ExportFormatEnum {
  JSONL = 'jsonl',
  CSV = 'csv',
  PARQUET = 'parquet',
}
registerEnumType(ExportFormatEnum, { name: 'ExportFormat' });

/** `Run.exportUrl`. */
@Resolver(() => RunType)
export class RunExportResolver {
  @FieldResolver(() => String, {
    description: `A path on this server that downloads a table of the run without a key, for ${LINK_MINUTES} minutes.`,
  })
  exportUrl(
    @Root() run: RunType,
    @Ctx() context: RequestContext,
    @Arg('table', () => ExportTableEnum, { defaultValue: ExportTableEnum.VERDICTS }) table: ExportTableEnum,
    @Arg('format', () => ExportFormatEnum, { defaultValue: ExportFormatEnum.JSONL }) format: ExportFormatEnum,
  ): string {
    const expires = Date.now() + LINK_MINUTES * 60_000;
    return exportPath(context.services.secrets, run.id, {
      teamId: context.teamId,
      runId: run.key,
      table,
      format,
      expires,
    });
  }
}
