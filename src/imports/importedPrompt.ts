import { InvalidInput } from '../errors.js';
import { recognisedPrompt } from '../healthbench/graderPrompt.js';
import type { Queryable } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { findGraderTemplate, promptColumns } from '../runs/graderTemplate.js';
import type { OriginPart } from '../runs/runOrigin.js';

/** What somebody says of the text that asked the grader: one of the two, or nothing. */
export interface DeclaredPrompt {
  /** A grader template of the team; null: the built-in one. */
  templateId?: string | null;
  /** Of a template whose text is not at hand. */
  promptSha256?: string | null;
}

/** The prompt's columns of an imported run; all null where nobody said. Throws InvalidInput or NotFound. */
export async function importedPrompt(tx: Queryable, teamId: string, declared: DeclaredPrompt) {
  const { templateId, promptSha256 } = declared;
  const columns = await columnsOf();
  const part: OriginPart = {
    part: 'graderPrompt',
    value: columns.graderPromptSha256,
    source: columns.graderPromptSha256 === null ? 'UNKNOWN' : 'DECLARED',
  };
  return { columns, part };

  async function columnsOf() {
    if (promptSha256 != null) {
      if (templateId !== undefined) throw new InvalidInput('Give either templateId or promptSha256.', ['grader']);
      return hashOnly(promptSha256.toLowerCase());
    }
    if (templateId === undefined) return { graderPrompt: null, graderPromptName: null, graderPromptSha256: null };
    const id = templateId === null ? null : requireUuid('GraderTemplate', templateId, 'grader', 'templateId');
    return promptColumns(await findGraderTemplate(tx, teamId, id));
  }
}

function hashOnly(sha256: string) {
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    throw new InvalidInput('must be the sha256 of a template, 64 hexadecimal digits.', ['grader', 'promptSha256']);
  }
  const graderPromptName = recognisedPrompt(sha256) ?? `template ${sha256.slice(0, 8)}`;
  return { graderPrompt: null, graderPromptName, graderPromptSha256: sha256 };
}
