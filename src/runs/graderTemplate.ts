import { InvalidInput, NotFound } from '../errors.js';
import { BUILT_IN_TEMPLATE, type GraderTemplate, graderTemplate } from '../healthbench/graderPrompt.js';
import type { GraderTemplate as GraderTemplateRow, Queryable } from '../platform/database.js';
import { cleanText } from '../platform/relay/wellFormed.js';

/** Stores a grader prompt of the team; the same text again is the same template. Throws InvalidInput. */
export async function createGraderTemplate(
  db: Queryable,
  teamId: string,
  input: { name: string; text: string },
): Promise<GraderTemplateRow> {
  const name = cleanText(input.name, ['name']);
  const { text, sha256 } = checked(input.text, name);
  return db.graderTemplate.upsert({
    where: { teamId_sha256: { teamId, sha256 } },
    create: { teamId, name, text, sha256 },
    update: {},
  });
}

function checked(text: string, name: string): GraderTemplate {
  if (text.length > 100_000) throw new InvalidInput('must not be longer than 100,000 characters.', ['text']);
  if (text.includes('\u0000') || !text.isWellFormed()) throw new InvalidInput('is not well-formed text.', ['text']);
  try {
    return graderTemplate(text, name);
  } catch (error) {
    throw new InvalidInput((error as Error).message, ['text']);
  }
}

/** How a template is frozen into a run. */
export const promptColumns = ({ text, name, recognised, sha256 }: GraderTemplate) => ({
  graderPrompt: text,
  graderPromptName: recognised ?? name,
  graderPromptSha256: sha256,
});

/** The template to freeze into a run: the team's, or the built-in one for null. Throws NotFound. */
export async function findGraderTemplate(db: Queryable, teamId: string, id: string | null): Promise<GraderTemplate> {
  if (id === null) return BUILT_IN_TEMPLATE;
  const row = await db.graderTemplate.findFirst({ where: { id, teamId } });
  if (row === null) throw new NotFound('Grader template', ['grader', 'templateId']);
  return graderTemplate(row.text, row.name);
}
