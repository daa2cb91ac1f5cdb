// A path or word as a shell reads it back: for commands that a person is to copy. A `~` at the beginning is quoted, because the shell would
// put this machine's home in its place, and the path may be one inside gsv.

export function quoted(text: string): string {
  return /^[A-Za-z0-9_./@%+=:,-][A-Za-z0-9_./~@%+=:,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
