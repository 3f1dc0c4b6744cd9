import { Conflict } from '../errors.js';
import type { Run } from '../platform/database.js';

/** Throws Conflict for a run of which retention has left only the numbers. @param ways what can be done instead */
export function requireDetails({ detailsDeletedAt }: Run, path: readonly string[], ways: string): void {
  if (detailsDeletedAt === null) return;
  const day = detailsDeletedAt.toISOString().slice(0, 10);
  throw new Conflict(`Its replies and verdicts were deleted on ${day}, its numbers are left: ${ways}.`, path);
}
