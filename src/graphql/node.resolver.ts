import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { findConversation, findDownload } from '../datasets/dataset.queries.js';
import { conversationType, datasetType } from '../datasets/dataset.types.js';
import { datasetDownloadType } from '../datasets/download.types.js';
import { modelEndpointType } from '../endpoints/modelEndpoint.resolver.js';
import { compoundKey, parseGlobalId, uuidOf } from '../platform/relay/globalId.js';
import { Node } from '../platform/relay/node.type.js';
import { findRun } from '../runs/run.queries.js';
import { runConversationType, runType } from '../runs/run.types.js';
import { loadRunConversations, runConversationKey } from '../runs/runConversation.queries.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { findVerdict } from '../verdicts/verdict.queries.js';
import { verdictType } from '../verdicts/verdict.types.js';

type Finder = (context: RequestContext, id: string, parts: string[]) => Promise<Node | null>;

/** How to find an object of each type. A missing and a foreign id both find nothing. */
const finders: Record<string, Finder> = {
  async Dataset({ db, teamId }, id) {
    const row = await db.dataset.findFirst({ where: { id: uuidOf('Dataset', id) ?? NO_ROW, teamId } });
    return row && datasetType(row);
  },
  async DatasetDownload({ db, teamId }, id) {
    const row = await findDownload(db, teamId, uuidOf('DatasetDownload', id));
    return row && datasetDownloadType(row);
  },
  async Conversation({ db, teamId }, _id, parts) {
    const key = compoundKey(parts, 1);
    const row = key && (await findConversation(db, teamId, key.uuid, key.numbers[0] as number));
    return row && conversationType(row);
  },
  async ModelEndpoint({ db, teamId }, id) {
    const where = { id: uuidOf('ModelEndpoint', id) ?? NO_ROW, teamId, deletedAt: null };
    const row = await db.modelEndpoint.findFirst({ where });
    return row && modelEndpointType(row);
  },
  async Run({ db, teamId }, id) {
    const row = await findRun(db, teamId, uuidOf('Run', id));
    return row && runType(row);
  },
  async RunConversation({ db, teamId }, _id, parts) {
    const key = compoundKey(parts, 1);
    if (key === null) return null;
    const rows = await loadRunConversations(db, teamId, [runConversationKey(key.uuid, key.numbers[0] as number)]);
    const row = [...rows.values()][0];
    return row === undefined ? null : runConversationType(row);
  },
  async CriterionVerdict({ db, teamId }, _id, parts) {
    const key = compoundKey(parts, 2);
    if (key === null) return null;
    const [ordinal, criterionNo] = key.numbers as [number, number];
    const row = await findVerdict(db, teamId, { runId: key.uuid, ordinal, criterionNo });
    return row && verdictType(row);
  },
};

const NO_ROW = '00000000-0000-0000-0000-000000000000';

@Resolver()
export class NodeResolver {
  @Access('VIEWER')
  @Query(() => Node, { nullable: true, description: 'Any object by its global id; null when there is none.' })
  async node(@Arg('id', () => ID) id: string, @Ctx() context: RequestContext): Promise<Node | null> {
    const parsed = parseGlobalId(id);
    const find = parsed === null ? undefined : finders[parsed.type];
    return parsed === null || find === undefined ? null : find(context, id, parsed.parts);
  }
}
