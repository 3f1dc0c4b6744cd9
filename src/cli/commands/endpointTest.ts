import type { Command } from 'commander';
import { type EndpointTestFragment, TestModelEndpointDocument } from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { findEndpoint } from '../findThings.js';
import { table } from '../table.js';
import { clean } from '../text.js';

/** `assay endpoints test`: exit code 1 when the endpoint, the key or the model will not do. */
export function registerEndpointTest(endpoints: Command): void {
  endpoints
    .command('test')
    .argument('<endpoint>', 'id or name')
    .option('--model <model>', "model to ask (default: the endpoint's)")
    .description(
      'Tries an endpoint: reachable, key valid, model there, JSON by schema, how fast. Two tiny calls at most.',
    )
    .addHelpText(
      'after',
      '\nThe exit code is 1 when the endpoint, the key or the model will not do.\n\nExample:\n  assay endpoints test openai --model gpt-4.1-mini',
    )
    .action(async (reference: string, _options: object, command: Command) => {
      const { settings, output } = contextOf(command);
      const options = command.optsWithGlobals<{ model?: string; json?: boolean }>();
      const input = { endpointId: await findEndpoint(settings, reference), model: options.model };
      const answer = await request(settings, TestModelEndpointDocument, { input });
      const { test } = accepted(answer.testModelEndpoint);
      if (options.json) output.json(test);
      else findingsTable(test).forEach(output.line);
      const needed = ['REACHABLE', 'KEY_VALID', 'MODEL_FOUND'];
      if (test.findings.some(({ check, passed }) => needed.includes(check) && passed === false)) process.exitCode = 1;
    });
}

function findingsTable({ findings }: EndpointTestFragment): string[] {
  const words = (passed: boolean | null) => (passed === null ? 'unknown' : passed ? 'yes' : 'no');
  const names: Record<string, string> = {
    REACHABLE: 'reachable',
    KEY_VALID: 'key valid',
    MODEL_FOUND: 'model there',
    JSON_SCHEMA: 'JSON by schema',
    SPEED: 'speed',
  };
  return table(
    [{ title: 'check' }, { title: '' }, { title: 'finding' }],
    findings.map(({ check, passed, message }) => [names[check] ?? check, words(passed), clean(message)]),
  );
}
