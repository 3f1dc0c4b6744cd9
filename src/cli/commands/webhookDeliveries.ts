import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  RedeliverWebhookDocument,
  TestWebhookDocument,
  WebhookDeliveriesDocument,
  type WebhookDeliveryFragment,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { CliError } from '../cliError.js';
import { contextOf } from '../context.js';
import { findWebhook } from '../findThings.js';
import { moment, UNDEFINED } from '../format.js';
import { wholeNumber } from '../numbers.js';
import type { Settings } from '../settings.js';
import { table } from '../table.js';
import { clean } from '../text.js';

const POLL_MS = 300;
/** An attempt takes 15 s at most. */
const WAIT_MS = 30_000;

/** `assay webhooks test | deliveries | redeliver`. */
export function registerDeliveries(webhooks: Command): void {
  webhooks
    .command('test')
    .argument('<webhook>', 'id or unique name')
    .description('Sends a test event and says how that went: exit code 0 when it was taken, 1 when not.')
    .addHelpText('after', '\nExample:\n  assay webhooks test ci')
    .action(async (reference: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ json?: boolean }>();
      const { settings, output } = contextOf(command);
      const webhookId = await findWebhook(settings, reference);
      const { delivery } = accepted((await request(settings, TestWebhookDocument, { input: { webhookId } })).sent);
      const ended = await untilTried(settings, webhookId, delivery.id);
      if (options.json) output.json(ended);
      else output.line(resultText(ended));
      process.exitCode = ended.status === 'SUCCEEDED' ? 0 : 1;
    });
  webhooks
    .command('deliveries')
    .argument('<webhook>', 'id or unique name')
    .option('--failed', 'only those that were given up')
    .option('--limit <n>', 'how many, at most 200', wholeNumber(1), 20)
    .description('Lists what was sent or is to be sent, newest first; kept for 30 days.')
    .addHelpText('after', '\nExample:\n  assay webhooks deliveries ci --failed')
    .action(async (reference: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ failed?: boolean; limit: number; json?: boolean }>();
      const { settings, output } = contextOf(command);
      const id = await findWebhook(settings, reference);
      const found = await deliveriesOf(settings, id, options.limit, options.failed ?? false);
      if (options.json) output.json(found);
      else if (found.length === 0) output.note(options.failed ? 'None was given up.' : 'Nothing was sent yet.');
      else deliveriesTable(found).forEach(output.line);
    });
  webhooks
    .command('redeliver')
    .argument('<delivery>', 'id, as "webhooks deliveries" prints it')
    .description('Sends the same message again, under the same webhook-id.')
    .addHelpText('after', '\nExample:\n  assay webhooks redeliver DELIVERY')
    .action(async (deliveryId: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ json?: boolean }>();
      const { settings, output } = contextOf(command);
      const { delivery } = accepted(
        (await request(settings, RedeliverWebhookDocument, { input: { deliveryId } })).sent,
      );
      if (options.json) output.json(delivery);
      else output.line(`Is sent again as delivery ${delivery.id}.`);
    });
}

async function deliveriesOf(
  settings: Settings,
  id: string,
  first: number,
  failed: boolean,
): Promise<WebhookDeliveryFragment[]> {
  const variables = { id, first, status: failed ? ('FAILED' as const) : null };
  const { webhook } = await request(settings, WebhookDeliveriesDocument, variables);
  if (webhook === null) throw new CliError('The webhook is gone.');
  return webhook.deliveries.nodes;
}

/** The delivery of a test once its one attempt has ended. */
async function untilTried(settings: Settings, webhookId: string, id: string): Promise<WebhookDeliveryFragment> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(POLL_MS)) {
    const found = (await deliveriesOf(settings, webhookId, 50, false)).find((delivery) => delivery.id === id);
    if (found !== undefined && found.status !== 'PENDING') return found;
  }
  throw new CliError('Nothing was sent within 30 s: is a worker running?');
}

function resultText({ status, responseStatus, durationMs, error }: WebhookDeliveryFragment): string {
  if (status === 'SUCCEEDED') return `The receiver took it (HTTP ${responseStatus}, ${durationMs} ms).`;
  return clean(error ?? status);
}

function deliveriesTable(deliveries: readonly WebhookDeliveryFragment[]): string[] {
  return table(
    [
      { title: 'id' },
      { title: 'created' },
      { title: 'event' },
      { title: 'run' },
      { title: 'state' },
      { title: 'tries', align: 'right' },
      { title: 'HTTP', align: 'right' },
      { title: 'what happened' },
    ],
    deliveries.map(({ id, createdAt, event, run, status, attempts, responseStatus, error, nextAttemptAt }) => [
      id,
      moment(createdAt),
      event.toLowerCase().replaceAll('_', '-'),
      run === null ? UNDEFINED : clean(run.name),
      status,
      String(attempts),
      responseStatus === null ? UNDEFINED : String(responseStatus),
      [error === null ? '' : clean(error), nextAttemptAt === null ? '' : `next ${moment(nextAttemptAt)}`]
        .filter((part) => part !== '')
        .join('; '),
    ]),
  );
}
