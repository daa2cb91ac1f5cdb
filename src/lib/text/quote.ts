// Words as a shell reads them back.

export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A word in a command for a person to copy, quoted only if needed. A leading `~` is quoted, because the
 * shell would expand it to the host's home, and the path may be inside gsv.
 */
export function quoted(text: string): string {
  if (/^[A-Za-z0-9_./@%+=:,-][A-Za-z0-9_./~@%+=:,-]*$/.test(text)) return text;
  // With an apostrophe inside, double quotes read better.
  return text.includes("'") && !/["$`\\!]/.test(text) ? `"${text}"` : inQuotes(text);
}
