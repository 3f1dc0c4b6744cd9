import { InvalidInput } from '../errors.js';
import type { ModelPart } from '../healthbench/fingerprint.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { type ModelInput, type ModelSettings, modelParameters } from '../runs/modelSettings.js';
import type { OriginPart, OriginSource } from '../runs/runOrigin.js';
import type { ModelFacts } from './importedRun.js';

/** What somebody says of a model: undefined is not known, null the provider's default. */
export type DeclaredModel = Omit<ModelInput, 'endpointId'>;

const PARAMETERS = ['temperature', 'reasoningEffort', 'maxTokens', 'systemMessage'] as const;

/**
 * A model of an imported run, from what its file says and what was declared, and who said what. Throws InvalidInput
 * when the two contradict each other, and when nobody named the model.
 */
export function importedModel(
  role: 'modelUnderTest' | 'grader',
  facts: ModelFacts,
  declared: DeclaredModel,
): { settings: ModelSettings; parts: OriginPart[] } {
  const model = said(role, 'model', facts.model, declared.model ?? undefined);
  if (model.value === undefined) {
    const which = role === 'grader' ? 'which model graded' : 'which model answered';
    throw new InvalidInput(`The file does not say ${which}: name it.`, [role, 'model']);
  }
  const checked = modelParameters(role, { ...declared, ...facts }, null);
  const found = PARAMETERS.map((name) => ({ name, ...said<unknown>(role, name, facts[name], declared[name]) }));
  const unknown: ModelPart[] = [
    'baseUrl',
    ...found.filter(({ source }) => source === 'UNKNOWN').map(({ name }) => name),
  ];
  const settings = {
    endpointId: null,
    endpointName: null,
    baseUrl: null,
    model: cleanText(model.value as string, [role, 'model']),
    ...checked,
    simulated: false,
    price: null,
    unknown,
  };
  const parts = found.map(({ name, source }) => {
    const value = checked[name];
    return { part: `${role}.${name}`, value: value === null ? null : String(value), source };
  });
  return { settings, parts: [{ part: `${role}.model`, value: settings.model, source: model.source }, ...parts] };
}

function said<T>(role: string, name: string, recorded: T | undefined, declared: T | undefined) {
  if (recorded === undefined) {
    const source: OriginSource = declared === undefined ? 'UNKNOWN' : 'DECLARED';
    return { value: declared, source };
  }
  if (declared !== undefined && declared !== recorded) {
    const shown = recorded === null ? 'none' : String(recorded).slice(0, 100);
    throw new InvalidInput(`The file says otherwise (${shown}): leave it out.`, [role, name]);
  }
  return { value: recorded, source: 'RECORDED' as OriginSource };
}
