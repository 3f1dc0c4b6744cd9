import { Option } from 'commander';
import type { Role } from '../client/generated/operations.js';

/** Every role of the API, as it is written on the command line, from low to high. */
const roles = { viewer: 'VIEWER', runner: 'RUNNER', admin: 'ADMIN' } as const satisfies {
  [R in Role as Lowercase<R>]: R;
};

export type RoleWord = keyof typeof roles;

/** `--role`, runner by default: what CI needs. */
export function roleOption(): Option {
  return new Option(
    '--role <role>',
    'viewer reads, runner also imports and starts runs, admin also manages keys and endpoints',
  )
    .choices(Object.keys(roles))
    .default('runner' satisfies RoleWord);
}

/** The role of the API that a word of the command line names. */
export const roleOf = (word: RoleWord): Role => roles[word];

/** A role as it is written on the command line. */
export const roleWord = (role: Role): RoleWord => role.toLowerCase() as RoleWord;
