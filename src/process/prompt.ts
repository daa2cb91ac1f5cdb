// Gathers what an agent is told from the files it may read, anew for each turn, so that an edit counts at the next one. Read as the agent
// itself: what it may not see, it is not told. A file that cannot be read is left out; a prompt never fails for it.

import { FileError } from "../../fs/error.ts";
import type { Entry } from "../../fs/filesystem.ts";
import type { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../abi/identity.ts";
import { SKILL_BYTES_MAX, skillFrom } from "../abi/skill.ts";
import { type ContextFile, type ContextRoot, contextText, type SkillLine, skillsText } from "../prompts/told.ts";

export interface Told {
  readonly namespace: Namespace;
  readonly caller: Caller;
  /** Home of the owner, and of the account it runs as. */
  readonly owner: { readonly username: string; readonly home: string };
  readonly runAs: { readonly username: string; readonly home: string };
  /** The workspace, where gsv keeps its versions. What a directory of this machine says comes from anybody. */
  readonly workspace: string | null;
  readonly bytesMaxEach: number;
  readonly skills: "summary" | "names" | "off";
}

const SYSTEM_ROOT = "/sys/config/ai/context.d";
const FILES_MAX = 200;

export async function toldText({
  namespace,
  caller,
  owner,
  runAs,
  workspace,
  bytesMaxEach,
  skills,
}: Told): Promise<string> {
  const homes = owner.home === runAs.home ? [owner] : [owner, runAs];
  const roots: ContextRoot[] = [];
  const read = (directory: string) => contextIn(namespace, caller, directory, bytesMaxEach);
  roots.push({ from: "What holds for this whole home", files: await read(SYSTEM_ROOT) });
  for (const { username, home } of homes) {
    const from = username === runAs.username ? `What your own account ${username} keeps` : `What ${username} tells you`;
    roots.push({ from, files: await read(`${home}/context.d`) });
  }
  if (workspace !== null) {
    const told = await read(`${workspace}/.gsv/context.d`);
    const summary = `${workspace}/.gsv/summary.md`;
    const text = told.length > 0 ? null : await textOf(namespace, caller, summary, bytesMaxEach + 1);
    const files = text === null ? told : [{ path: summary, text }];
    roots.push({ from: "What holds in this workspace", files });
  }
  const index: SkillLine[] = [];
  if (skills !== "off") for (const { home } of homes) index.push(...(await skillsIn(namespace, caller, home, index)));
  return contextText(roots, bytesMaxEach) + skillsText(index, skills);
}

async function contextIn(
  namespace: Namespace,
  caller: Caller,
  directory: string,
  bytesMax: number,
): Promise<ContextFile[]> {
  const files: ContextFile[] = [];
  for (const { name, stat } of (await entriesOf(namespace, caller, directory)).slice(0, FILES_MAX)) {
    if (!name.endsWith(".md") || stat.kind === "directory") continue;
    const path = `${directory}/${name}`;
    // One byte more than fits is enough to know that it does not.
    const text = await textOf(namespace, caller, path, bytesMax + 1);
    if (text !== null) files.push({ path, text });
  }
  return files;
}

/** A skill of the owner's goes before one of the same name further down. */
async function skillsIn(
  namespace: Namespace,
  caller: Caller,
  home: string,
  known: readonly SkillLine[],
): Promise<SkillLine[]> {
  const found: SkillLine[] = [];
  const directory = `${home}/skills.d`;
  for (const { name: entry, stat } of (await entriesOf(namespace, caller, directory)).slice(0, FILES_MAX)) {
    const isFile = stat.kind !== "directory";
    if (isFile && !entry.endsWith(".md")) continue;
    const name = isFile ? entry.slice(0, -".md".length) : entry;
    const path = isFile ? `${directory}/${entry}` : `${directory}/${entry}/SKILL.md`;
    const text = await textOf(namespace, caller, path, SKILL_BYTES_MAX + 1);
    const skill = text === null ? null : skillFrom(name, text);
    if (skill === null || "fault" in skill || known.some((each) => each.name === name)) continue;
    found.push({ name, description: skill.description, path });
  }
  return found;
}

async function entriesOf(namespace: Namespace, caller: Caller, directory: string): Promise<readonly Entry[]> {
  return (await unlessRefused(() => namespace.list(caller, directory))) ?? [];
}

function textOf(namespace: Namespace, caller: Caller, path: string, bytesMax: number): Promise<string | null> {
  return unlessRefused(async () => {
    const { bytes } = await namespace.read(caller, path, { bytesMax });
    return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
  });
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
