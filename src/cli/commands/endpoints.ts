import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import {
  CreateModelEndpointDocument,
  type CreateModelEndpointInput,
  type EndpointFragment,
  type ModelPriceInput,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { UsageError } from '../cliError.js';
import { contextOf } from '../context.js';
import { listEndpoints } from '../findThings.js';
import { UNDEFINED } from '../format.js';
import { wholeNumber } from '../numbers.js';
import type { Settings } from '../settings.js';
import { listing } from '../table.js';
import { clean } from '../text.js';
import { registerEndpointTest } from './endpointTest.js';

interface AddOptions {
  baseUrl: string;
  apiKeyEnv?: string;
  apiKeyStdin?: boolean;
  maxConcurrency?: number;
  model?: string;
  grader?: string;
  price?: ModelPriceInput[];
  json?: boolean;
}

const EXAMPLES = `
Examples:
  assay endpoints add openai --base-url https://api.openai.com/v1 --api-key-env OPENAI_API_KEY --grader gpt-4.1 --price gpt-4.1=2,8
  assay endpoints add local --base-url http://127.0.0.1:11434/v1 --model llama3.2 --max-concurrency 2
  pass show groq | assay endpoints add groq --base-url https://api.groq.com/openai/v1 --api-key-stdin`;

/** `assay endpoints`, `assay endpoints add` and `assay endpoints test`. */
export function registerEndpoints(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .summary('list and add model endpoints')
    .description('Lists the OpenAI-compatible APIs that runs can use.')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const found = await listEndpoints(settings);
      if (options.json) output.json(found);
      else if (found.length === 0) output.note('No model endpoints. Add one with: assay endpoints add');
      else listing(endpointColumns, found.map(endpointRow), output.style).forEach(output.line);
    });
  registerEndpointTest(endpoints);
  endpoints
    .command('add')
    .argument('<name>')
    .requiredOption('--base-url <url>', 'such as https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'environment variable that holds the API key')
    .option('--api-key-stdin', 'read the API key from standard input')
    .option('--max-concurrency <n>', 'calls in flight at most', wholeNumber(1))
    .option('--model <model>', 'model under test where a run names none')
    .option('--grader <model>', 'grader where a run names none')
    .option('--price <model=in,out>', 'USD per million prompt and completion tokens; once per model', addPrice)
    .description('Adds a model endpoint. The key is never an argument: other users could read it there.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, _options: AddOptions, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const { settings, output } = contextOf(command);
      const endpoint = await addEndpoint(settings, {
        name,
        baseUrl: options.baseUrl,
        apiKey: await readKey(options),
        maxConcurrency: options.maxConcurrency,
        defaultModel: options.model,
        defaultGrader: options.grader,
        prices: options.price,
      });
      if (options.json) output.json(endpoint);
      else output.line(`Added model endpoint ${endpoint.name} (${endpoint.id}).`);
    });
}

/** One more `MODEL=PROMPT,COMPLETION`. */
function addPrice(text: string, before: ModelPriceInput[] = []): ModelPriceInput[] {
  const [, model, prompt, completion] = /^(.+)=([\d.]+),([\d.]+)$/.exec(text) ?? [];
  if (model === undefined) throw new InvalidArgumentError('It is written like gpt-4.1=2,8.');
  return [...before, { model, promptUsdPerMillion: Number(prompt), completionUsdPerMillion: Number(completion) }];
}

/** Adds an endpoint; throws RefusedInput when that cannot be. */
export async function addEndpoint(settings: Settings, input: CreateModelEndpointInput): Promise<EndpointFragment> {
  return accepted((await request(settings, CreateModelEndpointDocument, { input })).createModelEndpoint).modelEndpoint;
}

async function readKey({ apiKeyEnv, apiKeyStdin }: AddOptions): Promise<string | undefined> {
  if (apiKeyEnv && apiKeyStdin) throw new UsageError('Give one of --api-key-env and --api-key-stdin.');
  if (apiKeyStdin) {
    const key = (await text(process.stdin)).trim();
    if (!key) throw new UsageError('Standard input holds no key.');
    return key;
  }
  if (!apiKeyEnv) return undefined;
  const key = process.env[apiKeyEnv]?.trim();
  if (!key)
    throw new UsageError(
      `There is no environment variable of the name given with --api-key-env. It takes a name, not the key.`,
    );
  return key;
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
