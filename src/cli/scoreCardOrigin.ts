import type { ModelSettingsFragment, ScoreCardFragment, UsageFragment } from '../client/generated/operations.js';
import { counted, grouped } from './format.js';
import type { Style } from './paint.js';
import { clean, cut, wrap } from './text.js';

const LABEL = 11;

/** How the number came about: without it no two scores can be compared. */
export function originSection(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const { graderPrompt, dataset } = run;
  const rows: [string, string][] = [
    ['Model', settings(run.modelUnderTest)],
    ['Grader', settings(run.grader)],
    ['Prompt', `${clean(graderPrompt.name)}, sha256 ${graderPrompt.sha256.slice(0, 8)}`],
    ['Profile', clean(run.scoringProfile)],
    ['Dataset', `${clean(dataset.officialName ?? dataset.name)}, sha256 ${dataset.sha256.slice(0, 8)}`],
    ['Sample', sample(run)],
    ['Replies', usage(run.usage.model)],
    ['Gradings', usage(run.usage.grader)],
    ['Run', run.id],
  ];
  const lines = rows.flatMap(([label, value]) => {
    return wrap(value, width - LABEL, 2).map(
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
  return [`${clean(model.model)} at ${clean(model.endpointName)} (${clean(model.baseUrl)})`, ...parameters].join(', ');
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
