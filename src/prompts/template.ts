// `{{names}}` in a context file. Known names get their value, gsv's names without a value disappear, all others stay unchanged.

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
