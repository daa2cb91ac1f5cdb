// `{{names}}` in a file of context: known ones are filled in, one of gsv's that means nothing here leaves nothing, and what is somebody
// else's template stays as it stands.

export type TemplateValues = ReadonlyMap<string, string>;

const OURS = new Set([
  ...["profile", "identity", "workspace", "devices", "known_paths", "program", "owner", "user", "current", "targets"],
  "mcpServers",
]);

export function filled(text: string, values: TemplateValues): string {
  return text.replace(/\{\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}\}/g, (whole: string, name: string) => {
    const [space = ""] = name.split(".");
    return values.get(name) ?? (OURS.has(space) ? "" : whole);
  });
}
