import { type Command, InvalidArgumentError, Option } from 'commander';
import { CreateApiKeyDocument, RevokeApiKeyDocument, type Role } from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { contextOf } from '../context.js';

const DAY_MS = 86_400_000;

function days(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 36_500)) throw new InvalidArgumentError('A number of days is needed.');
  return value;
}

/** `assay keys create | revoke`. */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').summary('create and revoke API keys').description('API keys of the team.');
  keys
    .command('create')
    .argument('<name>', 'what the key is for')
    .addOption(
      new Option('--role <role>', 'viewer reads, runner also imports and runs, admin also manages keys and endpoints')
        .choices(['viewer', 'runner', 'admin'])
        .default('runner'),
    )
    .option('--days <days>', 'ends by itself after so many days', days)
    .option('--json', 'print JSON')
    .description('Creates an API key and prints it: this once and never again.')
    .addHelpText('after', '\nExample:\n  assay keys create ci --role runner --days 90')
    .action(async (name: string, options: { role: string; days?: number; json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const expiresAt = options.days === undefined ? null : new Date(Date.now() + options.days * DAY_MS).toISOString();
      const input = { name, role: options.role.toUpperCase() as Role, expiresAt };
      const answer = await request(settings, CreateApiKeyDocument, { input });
      const { apiKey, secret } = accepted(answer.createApiKey);
      if (options.json) return output.json({ apiKey, secret });
      output.note(`Key ${apiKey.name} with the role ${apiKey.role} (id ${apiKey.id}). It is shown only now:`);
      output.line(secret);
    });
  keys
    .command('revoke')
    .argument('<id>', 'id of the key, as "keys create" printed it')
    .option('--json', 'print JSON')
    .description('Revokes an API key at once.')
    .addHelpText('after', '\nExample:\n  assay keys revoke QXBpS2V5OjAx')
    .action(async (id: string, options: { json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const answer = await request(settings, RevokeApiKeyDocument, { input: { apiKeyId: id } });
      const { apiKey } = accepted(answer.revokeApiKey);
      if (options.json) output.json({ apiKey });
      else output.line(`Revoked key ${apiKey.name}.`);
    });
}
