import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray, type PubSub } from 'type-graphql';
import { AuditResolver } from '../audit/audit.resolver.js';
import { auditMutations } from '../audit/auditMutations.js';
import { ConversationResolver, DatasetResolver } from '../datasets/dataset.resolver.js';
import { DatasetDownloadResolver } from '../datasets/download.resolver.js';
import { EndpointTestResolver } from '../endpoints/endpointTest.resolver.js';
import { ModelEndpointResolver } from '../endpoints/modelEndpoint.resolver.js';
import { RunExportResolver } from '../exports/export.resolver.js';
import { RegradeResolver } from '../generation/regrade.resolver.js';
import { ReplyUsageResolver, RunConversationReplyResolver } from '../generation/reply.resolver.js';
import { ImportRunResolver } from '../imports/importRun.resolver.js';
import { DeletionResolver } from '../lifecycle/deletion.resolver.js';
import { ErasureResolver, RetentionResolver } from '../lifecycle/team.resolver.js';
import { RunBudgetResolver } from '../runs/budget.resolver.js';
import { RunFingerprintResolver } from '../runs/fingerprint.resolver.js';
import { GraderTemplateResolver } from '../runs/graderTemplate.resolver.js';
import { DatasetRunsResolver, RunConversationResolver, RunResolver } from '../runs/run.resolver.js';
import {
  FailedCallResolver,
  RunConversationFailedCallsResolver,
  RunFailedCallsResolver,
} from '../scheduling/failedCall.resolver.js';
import {
  ComparisonAgreementResolver,
  GraderAgreementResolver,
  RunAgreementResolver,
} from '../scoring/agreement.resolver.js';
import { RunComparisonResolver } from '../scoring/comparison.resolver.js';
import { ChangedConversationResolver, FlippedCriterionResolver } from '../scoring/comparisonRows.resolver.js';
import { CriterionHitRateResolver } from '../scoring/criterionHitRate.resolver.js';
import { MissingReasonResolver } from '../scoring/missingReason.resolver.js';
import { PublishedResultResolver, RunPublishedResultResolver } from '../scoring/publishedResult.resolver.js';
import { RunWarningResolver } from '../scoring/runWarning.resolver.js';
import { RunScorePowerResolver, RunScoreResolver } from '../scoring/score.resolver.js';
import { enforceAccess } from '../tenancy/access.js';
import { TenancyResolver } from '../tenancy/tenancy.resolver.js';
import { CriterionFailedCallsResolver, VerdictUsageResolver } from '../verdicts/criterionCalls.resolver.js';
import {
  CriterionVerdictResolver,
  RunConversationVerdictsResolver,
  RunVerdictsResolver,
  VerdictEventsResolver,
  VerdictSubscriptions,
} from '../verdicts/verdict.resolver.js';
import { WebhookDeliveryResolver } from '../webhooks/delivery.resolver.js';
import { WebhookResolver } from '../webhooks/webhook.resolver.js';
import { NodeResolver } from './node.resolver.js';

const resolvers = [
  TenancyResolver,
  AuditResolver,
  ModelEndpointResolver,
  EndpointTestResolver,
  DatasetResolver,
  DatasetDownloadResolver,
  ConversationResolver,
  RunResolver,
  RunConversationResolver,
  DatasetRunsResolver,
  RunFingerprintResolver,
  GraderTemplateResolver,
  RunBudgetResolver,
  VerdictSubscriptions,
  VerdictEventsResolver,
  RunVerdictsResolver,
  CriterionVerdictResolver,
  RunConversationVerdictsResolver,
  RegradeResolver,
  RunConversationReplyResolver,
  ReplyUsageResolver,
  FailedCallResolver,
  RunFailedCallsResolver,
  RunConversationFailedCallsResolver,
  CriterionFailedCallsResolver,
  VerdictUsageResolver,
  RunScoreResolver,
  RunComparisonResolver,
  FlippedCriterionResolver,
  ChangedConversationResolver,
  ComparisonAgreementResolver,
  RunAgreementResolver,
  GraderAgreementResolver,
  WebhookResolver,
  WebhookDeliveryResolver,
  DeletionResolver,
  RetentionResolver,
  ErasureResolver,
  RunExportResolver,
  ImportRunResolver,
  RunScorePowerResolver,
  MissingReasonResolver,
  RunWarningResolver,
  PublishedResultResolver,
  RunPublishedResultResolver,
  CriterionHitRateResolver,
  NodeResolver,
] as unknown as NonEmptyArray<() => void>;

/** type-graphql insists on one; every subscription here has a source of its own. */
const noPubSub: PubSub = {
  publish() {},
  subscribe() {
    throw new Error('a subscription needs its own subscribe function');
  },
};

let schema: GraphQLSchema | undefined;

/** The schema, with access rules in force and every mutation written down. Built once: type-graphql keeps its metadata in a global. */
export function assaySchema(): GraphQLSchema {
  schema ??= auditMutations(
    enforceAccess(
      buildSchemaSync({
        resolvers,
        validate: false,
        pubSub: noPubSub,
      }),
    ),
  );
  return schema;
}
