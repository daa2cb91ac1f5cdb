// The subject of a call: its command, path, query … Pure.

export function subjectOf(tool: string, args: object): string {
  const values = args as { readonly [name: string]: unknown };
  if (tool === "Search" && typeof values.query === "string") return `${values.query} in ${values.path ?? "~"}`;
  for (const name of ["command", "path", "question", "pattern", "query", "url", "pid", "message", "code", "plan"]) {
    const value = values[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return Object.keys(values).length === 0 ? "" : JSON.stringify(values);
}
