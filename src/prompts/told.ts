// What an agent is told besides where it is: the context of the whole home, of its owner and of its own account, and which skills there
// are. Each root has its own budget: what does not fit is named, so that nobody wonders why it is not heeded. The same bytes for the
// same files.

export interface ContextRoot {
  /** Whose words these are. */
  readonly from: string;
  readonly files: readonly ContextFile[];
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

/** The first file that would not fit ends its root, so that an order that was meant stays one. */
export function contextText(roots: readonly ContextRoot[], bytesMaxEach: number): string {
  return roots.map((root) => rootText(root, bytesMaxEach)).join("");
}

function rootText({ from, files }: ContextRoot, bytesMax: number): string {
  const told = files.filter(({ text }) => text.trim() !== "");
  if (told.length === 0) return "";
  const parts: string[] = [];
  let left = bytesMax;
  for (const { path, text } of told) {
    const part = `<context path="${path}">\n${text.trim()}\n</context>\n`;
    left -= Buffer.byteLength(part);
    if (left < 0) break;
    parts.push(part);
  }
  const missing = told.slice(parts.length).map(({ path }) => path);
  const note = missing.length === 0 ? "" : `(too long to be shown here, read when needed: ${missing.join(", ")})\n`;
  return `\n${from}:\n${parts.join("")}${note}`;
}

const SKILL_INDEX_BYTES = 8 * 1024;

export function skillsText(skills: readonly SkillLine[], mode: "summary" | "names" | "off"): string {
  if (mode === "off" || skills.length === 0) return "";
  if (mode === "names") return `\nSkills: ${skills.map(({ name }) => name).join(", ")} (files in ~/skills.d).\n`;
  const lines: string[] = [];
  let left = SKILL_INDEX_BYTES;
  for (const { name, description, path } of skills) {
    const line = `- ${name}: ${description} (${path})\n`;
    left -= Buffer.byteLength(line);
    if (left < 0) break;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  const note = more > 0 ? `- and ${more} more in ~/skills.d\n` : "";
  return `\nSkills: when one fits the task, read its file before you begin.\n${lines.join("")}${note}`;
}
