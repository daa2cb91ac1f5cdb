// The context of an agent besides gsv's system prompt: files by their author, and the index of skills. Each root has its own budget; the
// prompt names the files that do not fit. The same bytes for the same files; no file can end its own part and speak as another.

import type { LeftOut, Prompt, PromptPart, PromptSource } from "../abi/process/prompt.ts";

export interface ContextRoot {
  readonly source: PromptSource;
  readonly from: string;
  readonly files: readonly ContextFile[];
  readonly untrusted?: { readonly paths: readonly string[]; readonly command: string };
}

export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

export interface SkillLine {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

/** The first file that does not fit ends its root, so that no later file takes its place. */
export function rootPrompt({ source, from, files, untrusted }: ContextRoot, bytesMax: number): Prompt {
  const nonEmpty = files.filter(({ text }) => text.trim() !== "");
  const parts: PromptPart[] = [];
  let left = bytesMax;
  for (const { path, text } of nonEmpty) {
    const body = `<context path="${shown(path)}">\n${closed(text.trim())}\n</context>\n`;
    left -= Buffer.byteLength(body);
    if (left < 0) break;
    parts.push({ source, path, text: parts.length === 0 ? `\n${from}:\n${body}` : body });
  }
  const heading = parts.length === 0 ? `\n${from}:\n` : "";
  const missing = nonEmpty.slice(parts.length).map(({ path }) => path);
  const notes = [
    ...(missing.length === 0
      ? []
      : [`(too long for this prompt, read when needed: ${missing.map(shown).join(", ")})\n`]),
    ...(untrusted === undefined || untrusted.paths.length === 0
      ? []
      : [
          `(left out, not trusted yet: ${untrusted.paths.map(shown).join(", ")}; a person can trust it with ${untrusted.command})\n`,
        ]),
  ];
  const note: PromptPart[] = notes.length === 0 ? [] : [{ source, path: null, text: heading + notes.join("") }];
  const leftOut: LeftOut[] = [
    ...missing.map((path) => ({ source, path, why: "too long" as const })),
    ...(untrusted?.paths ?? []).map((path) => ({ source, path, why: "not trusted" as const })),
  ];
  return { parts: [...parts, ...note], leftOut };
}

const SKILL_INDEX_BYTES = 8 * 1024;

export function skillsPrompt(skills: readonly SkillLine[], mode: "summary" | "names" | "off"): Prompt {
  const one = (text: string, leftOut: readonly LeftOut[] = []): Prompt => ({
    parts: [{ source: "skills", path: null, text }],
    leftOut,
  });
  if (mode === "off" || skills.length === 0) return { parts: [], leftOut: [] };
  if (mode === "names")
    return one(
      `\nSkills: ${skills.map(({ name }) => name).join(", ")}. If one fits the task, read it first: gsv skills show NAME.\n`,
    );
  const lines: string[] = [];
  let left = SKILL_INDEX_BYTES;
  for (const { name, description, path } of skills) {
    const line = `- ${name}: ${description} (${path})\n`;
    left -= Buffer.byteLength(line);
    if (left < 0) break;
    lines.push(line);
  }
  const missing = skills.slice(lines.length);
  const note = missing.length > 0 ? `- and ${missing.length} more: gsv skills list\n` : "";
  return one(
    `\nSkills: if one fits the task, read its file first.\n${lines.join("")}${note}`,
    missing.map(({ path }) => ({ source: "skills", path, why: "too long" })),
  );
}

/** Escapes the closing tag, so that a file cannot speak as another part. */
function closed(text: string): string {
  return text.replace(/<(?=\/?context[\s>])/gi, "&lt;");
}

function shown(path: string): string {
  return path.replace(/["<>\u0000-\u001f\u007f]/g, "?");
}

export type TemplateValues = ReadonlyMap<string, string>;

const OURS = new Set([
  ...["profile", "identity", "workspace", "devices", "known_paths", "program", "owner", "user", "current", "targets"],
  "mcpServers",
]);

/** Fills `{{names}}` in a context file. gsv's names without a value disappear, all others stay unchanged. */
export function filled(text: string, values: TemplateValues): string {
  return text.replace(/\{\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}\}/g, (whole: string, name: string) => {
    const [space = ""] = name.split(".");
    return values.get(name) ?? (OURS.has(space) ? "" : whole);
  });
}
