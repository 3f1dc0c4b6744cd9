/** As Prisma's filter of a text column. */
export interface TextFilter {
  contains: string;
  mode: 'insensitive';
}

/**
 * Rows whose text holds this one, in any case (of letters beyond a to z as the database's locale has it). Prisma hands the text to ILIKE as it is, where % and _ stand for
 * other characters: here they stand for themselves.
 */
export function textFilter(part: string): TextFilter {
  return { contains: part.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' };
}
