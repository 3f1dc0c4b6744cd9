import type {
  ModelSettingsFragment,
  RunOriginFragment,
  ScoreCardFragment,
  UsageFragment,
} from '../client/generated/operations.js';
import { counted, grouped, moment } from './format.js';
import type { Style } from './paint.js';
import { clean, cut, wrap } from './text.js';

const LABEL = 11;
type Row = [label: string, value: string];

/** How the number came about: without it no two scores can be compared. */
export function originSection(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const { graderPrompt, dataset } = run;
  const rows: Row[] = [
    ['Model', settings(run.modelUnderTest)],
    ['Grader', settings(run.grader)],
    ['Prompt', graderPrompt ? `${clean(graderPrompt.name)}, sha256 ${graderPrompt.sha256.slice(0, 8)}` : 'not known'],
    ['Profile', clean(run.scoringProfile)],
    ['Dataset', `${clean(dataset.officialName ?? dataset.name)}, sha256 ${dataset.sha256.slice(0, 8)}`],
    ['Sample', sample(run)],
    ...(run.origin === null
      ? [['Replies', usage(run.usage.model)] as Row, ['Gradings', usage(run.usage.grader)] as Row]
      : importRows(run.origin)),
    ['Run', run.id],
  ];
  const lines = rows.flatMap(([label, value]) => {
    return wrap(value, width - LABEL, 4).map(
      (line, index) => (index === 0 ? label.padEnd(LABEL) : ' '.repeat(LABEL)) + line,
    );
  });
  return [paint.strong(cut('How it was made', width)), ...lines];
}

function settings(model: ModelSettingsFragment): string {
  const parameters = [
    model.temperature === null ? '' : `temperature ${model.temperature}`,
    model.reasoningEffort ? `reasoning effort ${clean(model.reasoningEffort)}` : '',
    model.maxTokens === null ? '' : `at most ${counted(model.maxTokens, 'token')}`,
    model.systemMessage ? 'with a system message' : '',
  ].filter(Boolean);
  // Where it was called is never known of an imported run, and has its own line.
  const unknown = model.unknown.filter((name) => name !== 'baseUrl');
  const where = model.baseUrl === null ? '' : ` at ${clean(model.endpointName ?? '')} (${clean(model.baseUrl)})`;
  const missing = unknown.length === 0 ? [] : [`not known: ${unknown.join(', ')}`];
  return [`${clean(model.model)}${where}`, ...parameters, ...missing].join(', ');
}

/** Where an imported run comes from, and who says which part of it. */
function importRows(origin: RunOriginFragment): Row[] {
  const by = origin.importedBy ? ` by ${clean(origin.importedBy)}` : '';
  const made = origin.recordedAt ? `, made ${clean(origin.recordedAt)}` : '';
  const own = origin.recomputedScore === null ? '' : `, recomputed ${(origin.recomputedScore * 100).toFixed(2)} %`;
  const score =
    origin.reportedScore === null ? [] : [['Reported', `${(origin.reportedScore * 100).toFixed(2)} %${own}`] as Row];
  const of = (source: string) => origin.parts.filter((part) => part.source === source).map(({ part }) => part);
  const who = (['RECORDED', 'RECOVERED', 'DECLARED', 'UNKNOWN'] as const)
    .filter((source) => of(source).length > 0)
    .map((source): Row => [source.charAt(0) + source.slice(1).toLowerCase(), of(source).map(clean).join(', ')]);
  return [
    ['Imported', `${moment(origin.importedAt)}${by}, nothing was called for it`],
    ['File', `${clean(origin.fileName ?? 'no name')}, ${origin.format}, sha256 ${origin.sha256.slice(0, 8)}${made}`],
    ...score,
    ...who,
  ];
}

function sample(run: ScoreCardFragment): string {
  const { method, seed, size } = run.sample;
  const how = method.toLowerCase().replaceAll('_', ' ');
  const chosen =
    method === 'ALL' ? `all ${counted(size, 'conversation')}` : `${counted(size, 'conversation')} by ${how}`;
  const seeded = seed === null || method === 'ALL' || method === 'FIRST' ? '' : `, seed ${seed}`;
  return `${chosen}${seeded}${run.repeats > 1 ? `, ${run.repeats} repeats each` : ''}`;
}

function usage({ calls, promptTokens, completionTokens }: UsageFragment): string {
  return `${counted(calls, 'call')}, ${grouped(Number(promptTokens))} tokens in, ${grouped(Number(completionTokens))} out`;
}
