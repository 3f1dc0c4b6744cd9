import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import {
  CreateModelEndpointDocument,
  type CreateModelEndpointInput,
  DeleteModelEndpointDocument,
  type EndpointFragment,
  type ModelPriceInput,
  UpdateModelEndpointDocument,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { UsageError } from '../cliError.js';
import { contextOf } from '../context.js';
import { findEndpoint } from '../findThings.js';
import { wholeNumber } from '../numbers.js';
import type { Settings } from '../settings.js';

interface EndpointOptions {
  baseUrl?: string;
  apiKeyEnv?: string;
  apiKeyStdin?: boolean;
  maxConcurrency?: number;
  model?: string;
  grader?: string;
  price?: ModelPriceInput[];
  json?: boolean;
}

const ADD_EXAMPLES = `
Examples:
  assay endpoints add openai --base-url https://api.openai.com/v1 --api-key-env OPENAI_API_KEY --grader gpt-4.1 --price gpt-4.1=2,8
  assay endpoints add local --base-url http://127.0.0.1:11434/v1 --model llama3.2 --max-concurrency 2
  pass show groq | assay endpoints add groq --base-url https://api.groq.com/openai/v1 --api-key-stdin`;

const UPDATE_EXAMPLES = `
Examples:
  assay endpoints update openai --price gpt-4.1=2,8 --price gpt-4.1-mini=0.4,1.6
  assay endpoints update openai --api-key-env OPENAI_API_KEY`;

/** `assay endpoints add | update | remove`. */
export function registerEndpointChanges(endpoints: Command): void {
  withOptions(endpoints.command('add').argument('<name>'))
    .description(
      'Adds a model endpoint; needs --base-url. The key is never an argument: other users could read it there.',
    )
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (name: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<EndpointOptions>();
      const { baseUrl } = options;
      if (!baseUrl) throw new UsageError('Say where it is: --base-url https://api.openai.com/v1');
      const { settings, output } = contextOf(command);
      const endpoint = await addEndpoint(settings, { name, ...(await fieldsOf(options)), baseUrl });
      if (options.json) output.json(endpoint);
      else output.line(`Added model endpoint ${endpoint.name} (${endpoint.id}).`);
    });
  withOptions(endpoints.command('update').argument('<endpoint>', 'id or name'))
    .description('Changes what is given of a model endpoint. The prices given replace all that there were.')
    .addHelpText('after', UPDATE_EXAMPLES)
    .action(async (reference: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<EndpointOptions>();
      const { settings, output } = contextOf(command);
      const input = { endpointId: await findEndpoint(settings, reference), ...(await fieldsOf(options)) };
      const answer = await request(settings, UpdateModelEndpointDocument, { input });
      const { modelEndpoint } = accepted(answer.updateModelEndpoint);
      if (options.json) output.json(modelEndpoint);
      else output.line(`Changed model endpoint ${modelEndpoint.name} (${modelEndpoint.id}).`);
    });
  endpoints
    .command('remove')
    .argument('<endpoint>', 'id or name')
    .description('Removes a model endpoint that no unfinished run uses. Finished runs keep their settings.')
    .addHelpText('after', '\nExample:\n  assay endpoints remove local')
    .action(async (reference: string, _options: object, command: Command) => {
      const { settings, output } = contextOf(command);
      const input = { endpointId: await findEndpoint(settings, reference) };
      const answer = await request(settings, DeleteModelEndpointDocument, { input });
      const { modelEndpoint } = accepted(answer.deleteModelEndpoint);
      if (command.optsWithGlobals<{ json?: boolean }>().json) output.json(modelEndpoint);
      else output.line(`Removed model endpoint ${modelEndpoint.name}.`);
    });
}

function withOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'such as https://api.openai.com/v1')
    .option('--api-key-env <variable>', 'environment variable that holds the API key')
    .option('--api-key-stdin', 'read the API key from standard input')
    .option('--max-concurrency <n>', 'calls in flight at most', wholeNumber(1))
    .option('--model <model>', 'model under test where a run names none')
    .option('--grader <model>', 'grader where a run names none')
    .option('--price <model=in,out>', 'USD per million prompt and completion tokens; once per model', addPrice);
}

async function fieldsOf(options: EndpointOptions) {
  const { baseUrl, maxConcurrency, model, grader, price } = options;
  const apiKey = await readKey(options);
  return { baseUrl, apiKey, maxConcurrency, defaultModel: model, defaultGrader: grader, prices: price };
}

/** One more `MODEL=PROMPT,COMPLETION`. */
function addPrice(written: string, before: ModelPriceInput[] = []): ModelPriceInput[] {
  const [, model, prompt, completion] = /^(.+)=([\d.]+),([\d.]+)$/.exec(written) ?? [];
  if (model === undefined) throw new InvalidArgumentError('It is written like gpt-4.1=2,8.');
  return [...before, { model, promptUsdPerMillion: Number(prompt), completionUsdPerMillion: Number(completion) }];
}

/** Adds an endpoint; throws RefusedInput when that cannot be. */
export async function addEndpoint(settings: Settings, input: CreateModelEndpointInput): Promise<EndpointFragment> {
  return accepted((await request(settings, CreateModelEndpointDocument, { input })).createModelEndpoint).modelEndpoint;
}

async function readKey({ apiKeyEnv, apiKeyStdin }: EndpointOptions): Promise<string | undefined> {
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
