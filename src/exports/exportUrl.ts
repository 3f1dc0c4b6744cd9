import type { SecretBox } from '../platform/secretBox.js';
import type { ExportFormat } from './formats.js';

export type ExportTable = 'verdicts' | 'conversations' | 'runs';

/** What a link lets its holder read, and until when (ms since 1970). */
export interface ExportLink {
  teamId: string;
  runId: string;
  table: ExportTable;
  format: ExportFormat;
  expires: number;
}

const PURPOSE = 'export link';
/** A link is for the download that follows at once. */
export const LINK_MINUTES = 15;

const signed = (link: ExportLink): string =>
  [link.teamId, link.runId, link.table, link.format, link.expires].join('\n');

/** The path of a download that needs no key: signed, for one table of one run, for some minutes. */
export function exportPath(secrets: SecretBox, runGlobalId: string, link: ExportLink): string {
  const query = new URLSearchParams({
    table: link.table,
    format: link.format,
    team: link.teamId,
    expires: String(link.expires),
    signature: secrets.sign(PURPOSE, signed(link)),
  });
  return `/runs/${runGlobalId}/export?${query}`;
}

/** Whether the signature is good and the link has not expired. */
export function isValidLink(secrets: SecretBox, link: ExportLink, signature: string, now: number): boolean {
  return link.expires > now && secrets.verify(PURPOSE, signed(link), signature);
}
