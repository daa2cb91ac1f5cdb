// A skill: a Markdown file that begins with name and description between two lines of `---`. `skills.d/NAME.md`, or
// `skills.d/NAME/SKILL.md` with other files next to it.

export interface Skill {
  readonly name: string;
  /** One line: when to read the text. */
  readonly description: string;
  readonly text: string;
}

const SKILL_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const DESCRIPTION_CHARS_MAX = 300;
export const SKILL_BYTES_MAX = 64 * 1024;

/** The skill in a file, or its fault. `name` comes from the path. */
export function skillFrom(name: string, content: string): Skill | { readonly fault: string } {
  if (!SKILL_NAME.test(name)) return { fault: "its name must be lower-case letters, digits and hyphens" };
  if (Buffer.byteLength(content) > SKILL_BYTES_MAX)
    return { fault: `it is longer than ${SKILL_BYTES_MAX / 1024} KiB: move parts to files next to it` };
  const found = /^\ufeff?---\r?\n(.*?)\r?\n---(?:\r?\n|$)(.*)$/s.exec(content);
  if (found === null) return { fault: "it must begin with ---, name:, description: and ---" };
  const fields = fieldsIn(found[1] ?? "");
  const text = (found[2] ?? "").trim();
  const description = fields.get("description") ?? "";
  if (fields.get("name") !== name) return { fault: `name: must be ${name}, the name of the file` };
  if (description === "") return { fault: "description: is missing: add one line that says when to read it" };
  if (description.length > DESCRIPTION_CHARS_MAX)
    return { fault: `description: is longer than ${DESCRIPTION_CHARS_MAX} characters` };
  if (text === "") return { fault: "there is nothing after the second ---" };
  return { name, description, text };
}

function fieldsIn(head: string): Map<string, string> {
  const lines = head.split(/\r?\n/).map((line) => /^([a-zA-Z][\w-]*):\s*(.*?)\s*$/.exec(line));
  return new Map(
    lines.flatMap((found) =>
      found === null ? [] : [[found[1] ?? "", (found[2] ?? "").replace(/^(["'])(.*)\1$/, "$2")]],
    ),
  );
}
