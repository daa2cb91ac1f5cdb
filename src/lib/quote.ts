// A path or word as a shell reads it back: for commands that a person is to copy.

export function quoted(text: string): string {
  return /^[A-Za-z0-9_./~@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
