import { Role } from '../platform/database.js';

/** What each role may do, from low to high: each may also do what the ones before it may. */
const mays: Record<Role, string> = {
  VIEWER: 'reads',
  RUNNER: 'also imports and starts runs',
  ADMIN: 'also manages keys and endpoints',
};

/** From low to high. */
export const roles = [Role.VIEWER, Role.RUNNER, Role.ADMIN] as const;

/** For people: who may do what. */
export const rolesInWords = `${roles.map((role) => `${role} ${mays[role]}`).join(', ')}.`;

/** Whether `role` may do what `needed` may. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
