// `gsv skills list|show|search|create|validate|update`: instructions for kinds of work, one file each in skills.d of your home and your
// personal agent's. Yours win over the agent's of the same name.

import { SysError } from "../../src/abi/errno.ts";
import { type Skill, skillFrom } from "../../src/abi/process/skill.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { indexSections } from "../../src/lib/text/search.ts";
import type { AccountInfo } from "../../src/syscalls/account/account-service.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileView } from "../../src/syscalls/fs/files-service.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { printResult, printText } from "../print.ts";

interface FoundSkill extends Skill {
  readonly path: string;
}

interface InvalidSkill {
  readonly path: string;
  readonly fault: string;
}

const name = field.text("the skill", { positional: true, longest: 64, meta: "NAME" });

const table = {
  kind: "table" as const,
  rows: ({ skills: rows }: { skills: readonly FoundSkill[] }) =>
    rows.map(({ name: skill, description, path }) => ({ name: skill, description, path })),
  columns: [
    { head: "NAME", cell: (row: FoundSkill) => row.name },
    { head: "DESCRIPTION", cell: (row: FoundSkill) => row.description, shrink: true as const },
    { head: "PATH", cell: (row: FoundSkill) => row.path, minor: 1 },
  ],
  empty: "no skills. To install the built-in ones: gsv skills update",
};

const list = command(
  { name: "skills list", summary: "List the skills", input: {}, examples: ["gsv skills list"] },
  async ({ json }, io) => {
    await printResult(io, table, await skillsOf(io.sys()), json);
    return 0;
  },
);

const show = command(
  { name: "skills show", summary: "Print a skill", input: { name }, examples: ["gsv skills show processes"] },
  async ({ args, json }, io) => {
    const { skills: found } = await skillsOf(io.sys());
    const skill = found.find((each) => each.name === args.name);
    if (skill === undefined) throw new SysError("ENOENT", `no such skill: ${args.name}`, ["gsv skills list shows all"]);
    await printText(io.stdout, json ? jsonLine(skill) : `# ${skill.name}\n${skill.description}\n\n${skill.text}`);
    return 0;
  },
);

const search = command(
  {
    name: "skills search",
    summary: "Search skills",
    input: { query: field.text("words to search for", { positional: true, longest: 1024, meta: "TEXT" }) },
    examples: ['gsv skills search "restore an old version"'],
  },
  async ({ args, json }, io) => {
    const { skills: found } = await skillsOf(io.sys());
    const sections = found.map((skill) => ({ heading: skill.name, words: skill.description, text: skill.text, skill }));
    const hits = indexSections(sections).search(args.query);
    await printResult(
      io,
      { ...table, empty: "no matching skill" },
      { skills: hits.map(({ section }) => section.skill) },
      json,
    );
    return hits.length > 0 ? 0 : 1;
  },
);

const create = command(
  {
    name: "skills create",
    summary: "Create a skill",
    input: { name, description: field.text("one line: when agents should read it", { longest: 300, meta: "TEXT" }) },
    examples: ['gsv skills create release --description "How a release is made here"'],
  },
  async ({ args, json }, io) => {
    const content = `---\nname: ${args.name}\ndescription: ${args.description}\n---\n\n# ${args.name}\n\n1. …\n`;
    const made = skillFrom(args.name, content);
    if ("fault" in made) throw new SysError("EUSAGE", `not a skill: ${made.fault}`);
    const path = `~/skills.d/${args.name}.md`;
    if ((await readOr(io.sys(), path)) !== null) throw new SysError("EEXIST", `${path} exists`);
    const result = await io.sys().call<{ path: string; size: number }>("fs.write", { path, content });
    await printText(io.stdout, json ? jsonLine(result) : `wrote ${result.path}`);
    return 0;
  },
);

const validate = command(
  {
    name: "skills validate",
    summary: "Check the format of skills",
    input: { name: { ...field.optional(name), doc: "one skill (default: all)" } },
    examples: ["gsv skills validate", "gsv skills validate release"],
  },
  async ({ args, json }, io) => {
    const { skills: found, faults } = await skillsOf(io.sys());
    const about = (path: string) => args.name === undefined || path.includes(`/skills.d/${args.name}`);
    const wrong = faults.filter(({ path }) => about(path));
    for (const fault of wrong) await printText(io.stdout, json ? jsonLine(fault) : `${fault.path}: ${fault.fault}`);
    const right = found.filter(({ path }) => about(path)).length;
    if (args.name !== undefined && right + wrong.length === 0)
      throw new SysError("ENOENT", `no such skill: ${args.name}`);
    if (wrong.length === 0 && !json)
      await printText(io.stdout, `${right} ${right === 1 ? "skill is" : "skills are"} valid`);
    return wrong.length === 0 ? 0 : 1;
  },
);

export function skills(): Promise<Command> {
  const verbs = { list, show, search, create, validate, update: "sys.bootstrap" };
  return noun("skills", "Manage skills: instructions for kinds of work", verbs);
}

/** Of the person's home and of the personal agent's; the first of a name counts. */
export async function skillsOf(sys: Sys): Promise<{ skills: FoundSkill[]; faults: InvalidSkill[] }> {
  const { username } = await sys.call<{ username: string }>("system.whoami", {});
  const { accounts } = await sys.call<{ accounts: readonly AccountInfo[] }>("account.list", {});
  const agent = accounts.find(({ kind, owner }) => kind === "personal" && owner === username);
  const found: FoundSkill[] = [];
  const faults: InvalidSkill[] = [];
  for (const home of ["~", ...(agent === undefined ? [] : [`~${agent.username}`])]) {
    const directory = `${home}/skills.d`;
    const view = await readOr(sys, directory);
    if (view?.kind !== "directory") continue;
    const paths = [
      ...view.files.filter((each) => each.endsWith(".md")).map((each) => [each.slice(0, -".md".length), each] as const),
      ...view.directories.map((each) => [each, `${each}/SKILL.md`] as const),
    ];
    for (const [skill, path] of paths) {
      const file = await readOr(sys, `${directory}/${path}`);
      if (file?.kind !== "file" || found.some((each) => each.name === skill)) continue;
      const made = skillFrom(skill, file.content);
      if ("fault" in made) faults.push({ path: file.path, fault: made.fault });
      else found.push({ ...made, path: file.path });
    }
  }
  return { skills: found, faults };
}

async function readOr(sys: Sys, path: string): Promise<FileView | null> {
  try {
    return await sys.call<FileView>("fs.read", { path });
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}
