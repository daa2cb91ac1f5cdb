// Words as a shell reads them back.

/** As it is, whatever it holds. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A path or word for a command that a person is to copy: in quotes only where it needs them. A `~` at the beginning is quoted, because the
 * shell would put this machine's home in its place, and the path may be one inside gsv.
 */
export function quoted(text: string): string {
  if (/^[A-Za-z0-9_./@%+=:,-][A-Za-z0-9_./~@%+=:,-]*$/.test(text)) return text;
  // Where a sentence says don't, the other quotes read better.
  return text.includes("'") && !/["$`\\!]/.test(text) ? `"${text}"` : inQuotes(text);
}
