import { randomUUID } from 'node:crypto';
import { RULES } from '../healthbench/fingerprint.js';
import type { Dataset, Queryable, Run } from '../platform/database.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { chooseScoring, requireProfile, scoringColumn } from '../runs/chooseScoring.js';
import { frozenFingerprint, selectionSha256 } from '../runs/runFingerprint.js';
import type { OriginPart, RunOrigin } from '../runs/runOrigin.js';
import { VERSION } from '../version.js';
import { importedModel } from './importConditions.js';
import type { importedPrompt } from './importedPrompt.js';
import type { ImportedRun, ImportFormat } from './importedRun.js';
import { importedSample } from './importedSample.js';
import type { ImportRunRequest } from './importRun.js';
import type { ImportWriter } from './importWriter.js';

/** How each harness writes the conversation for its grader; null: not known. */
const RENDERINGS: Readonly<Record<ImportFormat, string | null>> = {
  SIMPLE_EVALS: RULES.graderRendering,
  // As with a template of its own kind here.
  SOURCE_HARNESS: RULES.graderRendering,
  // It puts a single line break between turns.
  HEALTHBENCH_RUNNER: 'healthbench-runner',
  INSPECT: null,
};

/** The row that an imported run's conversations refer to while they are read; what only the file's end tells follows. */
export async function draftImport(tx: Queryable, teamId: string, dataset: Dataset): Promise<Run> {
  const run = await tx.run.create({
    data: {
      teamId,
      name: '',
      datasetId: dataset.id,
      datasetSha256: dataset.sha256,
      sample: {},
      repeats: 1,
      model: '',
      modelUnderTest: {},
      graderModel: '',
      grader: {},
      scoringProfile: '',
      scoring: {},
      version: VERSION,
      fingerprint: [],
      conversationCount: 1,
      criterionCount: 1,
      origin: {},
      importKey: randomUUID(),
    },
  });
  await tx.runProgress.create({ data: { teamId, runId: run.id } });
  await tx.verdictLog.create({ data: { teamId, runId: run.id } });
  return run;
}

/** A file that has been read to its end. */
export interface ReadFile {
  dataset: Dataset;
  prompt: Awaited<ReturnType<typeof importedPrompt>>;
  read: ImportedRun;
  written: ImportWriter;
  repeats: number;
  sha256: string;
}

/**
 * What an imported run is frozen with: the conditions that its file says, those that were declared, and who said
 * which. Throws InvalidInput or NotFound with the path in the declaration.
 */
export async function importConditions(tx: Queryable, request: ImportRunRequest, file: ReadFile) {
  const { dataset, prompt, read, written, repeats } = file;
  const { systemMessage, numbers } = written;
  const facts = { ...read.facts.modelUnderTest, ...(systemMessage === undefined ? {} : { systemMessage }) };
  const model = importedModel('modelUnderTest', facts, request.modelUnderTest ?? {});
  const { templateId, promptSha256, ...declaredGrader } = request.grader ?? {};
  const grader = importedModel('grader', read.facts.grader, declaredGrader);
  const { sample, source } = await importedSample(tx, dataset, numbers, request.sample ?? null);
  const scoring = chooseScoring(
    requireProfile(request.scoringProfile ?? null),
    dataset,
    grader.settings,
    request.scoring ?? {},
  );
  const columns = {
    name: request.name == null ? nameOf(model.settings.model, dataset) : cleanText(request.name, ['name']),
    sample: { ...sample },
    repeats,
    model: model.settings.model,
    modelUnderTest: { ...model.settings },
    graderModel: grader.settings.model,
    grader: { ...grader.settings },
    ...prompt.columns,
    scoringProfile: scoring.profile,
    scoring: scoringColumn(scoring),
    fingerprint: frozenFingerprint({
      datasetSha256: dataset.sha256,
      sample,
      selectionSha256: selectionSha256(numbers),
      repeats,
      modelUnderTest: model.settings,
      grader: grader.settings,
      graderPromptSha256: prompt.columns.graderPromptSha256,
      graderRendering: RENDERINGS[read.format],
      scoring,
    }),
    conversationCount: written.conversations,
    criterionCount: written.criteria,
  };
  const parts: OriginPart[] = [
    ...contentParts(file),
    { part: 'sample', value: `${sample.method} ${sample.size}`, source },
    { part: 'repeats', value: String(repeats), source: request.repeats == null ? 'RECOVERED' : 'DECLARED' },
    ...model.parts,
    ...grader.parts,
    prompt.part,
  ];
  return { columns, parts };
}

const nameOf = (model: string, dataset: Dataset): string => [...`${model} on ${dataset.name}`].slice(0, 200).join('');

/** Where the contents come from. */
function contentParts({ dataset, read, written }: ReadFile): OriginPart[] {
  const recorded = (part: string, value: string | null = null): OriginPart => ({ part, value, source: 'RECORDED' });
  const recovered = (part: string): OriginPart => ({ part, value: null, source: 'RECOVERED' });
  const { systemMessage, saysTexts, saysPoints } = written;
  return [
    { part: 'dataset', value: dataset.sha256, source: 'DECLARED' },
    ...(read.facts.dataset === undefined ? [] : [recorded('datasetName', read.facts.dataset)]),
    systemMessage === undefined ? recovered('messages') : recorded('messages'),
    recorded('replies'),
    recorded('verdicts'),
    saysPoints ? recorded('points') : recovered('points'),
    saysTexts ? recorded('criteria') : recovered('criteria'),
    recovered('tags'),
  ];
}

/** What the run's row keeps of where it comes from. */
export function importOrigin(
  request: ImportRunRequest,
  { read, sha256 }: ReadFile,
  parts: OriginPart[],
  recomputedScore: number | null,
): RunOrigin {
  return {
    format: read.format,
    fileName: request.fileName == null ? null : cleanText(request.fileName, ['fileName']),
    sha256,
    importedAt: new Date().toISOString(),
    importedBy: request.importedBy,
    recordedAt: read.facts.recordedAt ?? null,
    reportedScore: read.facts.score ?? null,
    recomputedScore,
    parts,
  };
}
