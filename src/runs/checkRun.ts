import { Conflict, InvalidInput, NotFound } from '../errors.js';
import type { GraderTemplate } from '../healthbench/graderPrompt.js';
import type { Scoring, ScoringProfile } from '../healthbench/scoringProfile.js';
import type { Dataset, Queryable } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';
import { type BudgetInput, type BudgetLimits, budgetLimits } from './budgetLimits.js';
import { chooseScoring, requireProfile, type ScoringInput } from './chooseScoring.js';
import { findGraderTemplate } from './graderTemplate.js';
import { type EndpointSettings, type ModelInput, modelSettings } from './modelSettings.js';
import { chooseConversations, type Sample, type SampleInput } from './sample.js';

const MAX_REPEATS = 100;
const MAX_CONVERSATIONS = 1_000_000;

export interface StartRunRequest {
  idempotencyKey?: string | null;
  name?: string | null;
  datasetId: string;
  sample?: SampleInput | null;
  repeats?: number | null;
  modelUnderTest?: ModelInput | null;
  grader?: (ModelInput & { templateId?: string | null }) | null;
  scoringProfile?: string | null;
  scoring?: ScoringInput | null;
  budget?: BudgetInput | null;
}

/** A run that may be started: everything it will be frozen with. */
export interface CheckedRun {
  name: string;
  dataset: Dataset;
  sample: Sample;
  /** Numbers of the chosen conversations, in the order of the choice. */
  numbers: number[];
  repeats: number;
  modelUnderTest: EndpointSettings;
  grader: EndpointSettings;
  template: GraderTemplate;
  profile: ScoringProfile;
  scoring: Scoring;
  /** Null: none was asked for. */
  budget: BudgetLimits | null;
}

/**
 * Checks everything that can be checked without spending money. Throws InvalidInput, NotFound or Conflict with
 * the path in the input.
 */
export async function checkRun(
  tx: Queryable,
  secrets: SecretBox,
  teamId: string,
  input: StartRunRequest,
): Promise<CheckedRun> {
  const dataset = await findDataset(tx, teamId, input.datasetId);
  const repeats = checkRepeats(input.repeats ?? 1);
  const profile = requireProfile(input.scoringProfile ?? null);
  const { sample, numbers } = await chooseConversations(tx, dataset, input.sample ?? {});
  if (numbers.length * repeats > MAX_CONVERSATIONS) {
    throw new InvalidInput(`makes more than ${MAX_CONVERSATIONS} conversations: choose fewer, or fewer repeats.`, [
      'repeats',
    ]);
  }
  const { templateId, ...graderInput } = input.grader ?? {};
  const modelUnderTest = await modelSettings(tx, secrets, teamId, 'modelUnderTest', input.modelUnderTest ?? {});
  // The preset of Professional sends no temperature; it is the one profile that decides about the grader.
  if (profile.name === 'healthbench-professional') graderInput.temperature ??= null;
  const grader = await modelSettings(tx, secrets, teamId, 'grader', graderInput);
  const scoring = chooseScoring(profile, dataset, grader, input.scoring ?? {});
  const template = await findGraderTemplate(
    tx,
    teamId,
    templateId == null ? null : requireUuid('GraderTemplate', templateId, 'grader', 'templateId'),
  );
  const budget = budgetLimits(input.budget ?? null, [modelUnderTest, grader]);
  const name = input.name == null ? `${modelUnderTest.model} on ${dataset.name}` : cleanText(input.name, ['name']);
  return { name, dataset, sample, numbers, repeats, modelUnderTest, grader, template, profile, scoring, budget };
}

/** The dataset, kept from being deleted until the transaction ends. Throws NotFound, or Conflict when it is archived. */
export async function findDataset(tx: Queryable, teamId: string, id: string): Promise<Dataset> {
  const uuid = requireUuid('Dataset', id, 'datasetId');
  // Until the run refers to it, so that it is not deleted meanwhile.
  await tx.$queryRaw`SELECT 1 FROM dataset WHERE id = ${uuid}::uuid FOR KEY SHARE`;
  const dataset = await tx.dataset.findFirst({ where: { teamId, id: uuid } });
  if (dataset === null) throw new NotFound('Dataset', ['datasetId']);
  if (dataset.archivedAt !== null)
    throw new Conflict(
      'The dataset is archived: put it back with archiveDataset (archived: false), or import it again.',
      ['datasetId'],
    );
  return dataset;
}

function checkRepeats(repeats: number): number {
  if (repeats >= 1 && repeats <= MAX_REPEATS) return repeats;
  throw new InvalidInput(`must be between 1 and ${MAX_REPEATS}.`, ['repeats']);
}
