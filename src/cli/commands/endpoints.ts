import type { Command } from 'commander';
import type { EndpointFragment } from '../../client/generated/operations.js';
import { contextOf } from '../context.js';
import { listEndpoints } from '../findThings.js';
import { UNDEFINED } from '../format.js';
import { listing } from '../table.js';
import { clean } from '../text.js';
import { registerEndpointChanges } from './endpointChanges.js';
import { registerEndpointTest } from './endpointTest.js';

/** `assay endpoints` and its subcommands. */
export function registerEndpoints(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .summary('list, add, change and test model endpoints')
    .description('Lists the OpenAI-compatible APIs that runs can use.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  assay endpoints\n  assay endpoints test openai')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const found = await listEndpoints(settings);
      if (options.json) output.json(found);
      else if (found.length === 0) output.note('No model endpoints. Add one with: assay endpoints add');
      else listing(endpointColumns, found.map(endpointRow), output.style).forEach(output.line);
    });
  registerEndpointTest(endpoints);
  registerEndpointChanges(endpoints);
}

const endpointColumns = [
  { title: 'name' },
  { title: 'base URL' },
  { title: 'key' },
  { title: 'calls', align: 'right' as const },
  { title: 'model' },
  { title: 'grader' },
  { title: 'id' },
];

function endpointRow(endpoint: EndpointFragment): string[] {
  return [
    clean(endpoint.name) + (endpoint.simulated && endpoint.name !== 'simulated' ? ' (simulated)' : ''),
    endpoint.baseUrl,
    endpoint.hasApiKey ? 'stored' : 'none',
    String(endpoint.maxConcurrency),
    clean(endpoint.defaultModel ?? UNDEFINED),
    clean(endpoint.defaultGrader ?? UNDEFINED),
    endpoint.id,
  ];
}
