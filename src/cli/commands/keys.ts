import { type Command, InvalidArgumentError } from 'commander';
import {
  ApiKeysDocument,
  type ApiKeysQuery,
  CreateApiKeyDocument,
  RevokeApiKeyDocument,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { moment } from '../format.js';
import { type RoleWord, roleOf, roleOption, roleWord } from '../role.js';
import { listing } from '../table.js';
import { clean } from '../text.js';

const DAY_MS = 86_400_000;

function days(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 36_500)) throw new InvalidArgumentError('A number of days is needed.');
  return value;
}

/** `assay keys`, `assay keys create` and `assay keys revoke`. */
export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .summary('list, create and revoke API keys')
    .description('Lists the API keys of the team, newest first; never the keys themselves.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  assay keys\n  assay keys create ci --role runner --days 90')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const { apiKeys } = await request(settings, ApiKeysDocument);
      if (options.json) output.json(apiKeys);
      else listing(keyColumns, apiKeys.map(keyRow), output.style).forEach(output.line);
    });
  keys
    .command('create')
    .argument('<name>', 'what the key is for')
    .addOption(roleOption())
    .option('--days <days>', 'ends by itself after so many days', days)
    .description('Creates an API key and prints it: this once and never again.')
    .addHelpText('after', '\nExample:\n  assay keys create ci --role runner --days 90')
    .action(async (name: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ role: RoleWord; days?: number; json?: boolean }>();
      const { settings, output } = contextOf(command);
      const expiresAt = options.days === undefined ? null : new Date(Date.now() + options.days * DAY_MS).toISOString();
      const input = { name, role: roleOf(options.role), expiresAt };
      const answer = await request(settings, CreateApiKeyDocument, { input });
      const { apiKey, secret } = accepted(answer.createApiKey);
      if (options.json) return output.json({ apiKey, secret });
      output.note(`Key ${apiKey.name} with the role ${roleWord(apiKey.role)} (id ${apiKey.id}). It is shown only now:`);
      output.line(secret);
    });
  keys
    .command('revoke')
    .argument('<id>', 'id of the key, as "assay keys" lists it')
    .description('Revokes an API key at once.')
    .addHelpText('after', '\nExample:\n  assay keys revoke QXBpS2V5OjAx   # from: assay keys')
    .action(async (id: string, _options: object, command: Command) => {
      const options = command.optsWithGlobals<{ json?: boolean }>();
      const { settings, output } = contextOf(command);
      const answer = await request(settings, RevokeApiKeyDocument, { input: { apiKeyId: id } });
      const { apiKey } = accepted(answer.revokeApiKey);
      if (options.json) output.json({ apiKey });
      else output.line(`Revoked key ${apiKey.name}.`);
    });
}

const keyColumns = [
  { title: 'name' },
  { title: 'role' },
  { title: 'begins' },
  { title: 'made' },
  { title: 'last used' },
  { title: 'ends' },
  { title: 'id' },
];

function keyRow(key: ApiKeysQuery['apiKeys'][number]): string[] {
  const { name, role, prefix, createdAt, lastUsedAt, expiresAt, revokedAt, id } = key;
  const ends = revokedAt === null ? moment(expiresAt) : 'revoked';
  return [clean(name), roleWord(role), prefix, moment(createdAt), moment(lastUsedAt), ends, id];
}
