import { type Command, Option } from 'commander';
import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
  type WebhookEvent,
  type WebhookFragment,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { type CliContext, contextOf } from '../context.js';
import { findWebhook, listWebhooks } from '../findThings.js';
import { UNDEFINED } from '../format.js';
import { table } from '../table.js';
import { clean } from '../text.js';
import { registerDeliveries } from './webhookDeliveries.js';

interface Json {
  json?: boolean;
}

const EVENTS = ['run-completed', 'run-failed', 'run-paused', 'run-cancelled', 'run-budget-reached'];

const EXAMPLES = `
Examples:
  assay webhooks
  assay webhooks create ci https://ci.example.org/assay --event run-completed run-failed
  assay webhooks test ci
  assay webhooks deliveries ci --failed`;

/** `assay webhooks`, and below it `create | test | deliveries | redeliver | rotate | enable | disable | delete`. */
export function registerWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('list and manage who is told when a run ends or pauses')
    .description(
      'Lists the addresses that are told of the team’s runs, signed after Standard Webhooks (docs/webhooks.md).',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Json, command: Command) => {
      const { settings, output } = contextOf(command);
      const found = await listWebhooks(settings);
      if (options.json) output.json(found);
      else if (found.length === 0) output.note('No webhooks. Add one with: assay webhooks create');
      else webhooksTable(found).forEach(output.line);
    });
  webhooks
    .command('create')
    .argument('<name>')
    .argument('<address>', 'gets a POST of JSON for each event')
    .addOption(new Option('--event <events...>', 'only these; all by default').choices(EVENTS))
    .description('Adds a webhook and prints its signing secret: this once and never again.')
    .addHelpText('after', '\nExample:\n  assay webhooks create ci https://ci.example.org/assay')
    .action(async (name: string, url: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ event?: string[] } & Json>();
      const { settings, output } = contextOf(command);
      const events = options.event?.map((event) => event.toUpperCase().replaceAll('-', '_') as WebhookEvent);
      const input = { name, url, ...(events === undefined ? {} : { events }) };
      const made = accepted((await request(settings, CreateWebhookDocument, { input })).createWebhook);
      showSecret({ settings, output }, options, made, 'Added webhook');
    });
  registerDeliveries(webhooks);
  webhooks
    .command('rotate')
    .argument('<webhook>', 'id or unique name')
    .description('Gives it a new signing secret and prints it; for 24 hours messages are signed with both.')
    .addHelpText('after', '\nExample:\n  assay webhooks rotate ci')
    .action(async (reference: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<Json>();
      const { settings, output } = contextOf(command);
      const input = { webhookId: await findWebhook(settings, reference) };
      const made = accepted((await request(settings, RotateWebhookSecretDocument, { input })).rotateWebhookSecret);
      showSecret({ settings, output }, options, made, 'A new secret for webhook');
    });
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    webhooks
      .command(verb)
      .argument('<webhook>', 'id or unique name')
      .description(enabled ? 'Sends to it again; what happened meanwhile is not sent.' : 'Sends nothing to it.')
      .addHelpText('after', `\nExample:\n  assay webhooks ${verb} ci`)
      .action(async (reference: string, _options: object, command: Command) => {
        const options = command.optsWithGlobals<Json>();
        const { settings, output } = contextOf(command);
        const input = { webhookId: await findWebhook(settings, reference), enabled };
        const { webhook } = accepted((await request(settings, UpdateWebhookDocument, { input })).updateWebhook);
        if (options.json) output.json(webhook);
        else output.line(`Webhook ${clean(webhook.name)} is ${enabled ? 'on' : 'off'}.`);
      });
  }
  webhooks
    .command('delete')
    .argument('<webhook>', 'id or unique name')
    .description('Deletes it with the record of its deliveries; nothing more is sent.')
    .addHelpText('after', '\nExample:\n  assay webhooks delete ci')
    .action(async (reference: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<Json>();
      const { settings, output } = contextOf(command);
      const input = { webhookId: await findWebhook(settings, reference) };
      const { webhook } = accepted((await request(settings, DeleteWebhookDocument, { input })).deleteWebhook);
      if (options.json) output.json(webhook);
      else output.line(`Deleted webhook ${clean(webhook.name)}.`);
    });
}

function showSecret(
  { output }: CliContext,
  { json }: Json,
  { webhook, secret }: { webhook: WebhookFragment; secret: string },
  what: string,
): void {
  if (json) output.json({ webhook, secret });
  else {
    output.note(`${what} ${clean(webhook.name)} (${webhook.id}). Its signing secret is shown only now:`);
    output.line(secret);
  }
}

function webhooksTable(webhooks: readonly WebhookFragment[]): string[] {
  return table(
    [{ title: 'id' }, { title: 'name' }, { title: 'URL' }, { title: 'state' }, { title: 'events' }],
    webhooks.map(({ id, name, url, enabled, disabledReason, events }) => [
      id,
      clean(name),
      clean(url),
      enabled ? 'on' : `off${disabledReason === null ? '' : `: ${clean(disabledReason)}`}`,
      events.map((event) => event.toLowerCase().replaceAll('_', '-')).join(' ') || UNDEFINED,
    ]),
  );
}
