// Builds the system text of a turn. It is built again for each turn, so that edits take effect at the next one. Rarely changing parts come first,
// for the model server's prompt cache. The same files give the same bytes.

import type { Namespace } from "../../../fs/namespace.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Prompt, PromptPart } from "../../abi/process/prompt.ts";
import type { Callers } from "../../kernel/accounts/accounts.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import type { Clock } from "../../lib/clock.ts";
import { quoted } from "../../lib/text/quote.ts";
import {
  type ContextFile,
  type ContextRoot,
  filled,
  rootPrompt,
  type SkillLine,
  skillsPrompt,
  type TemplateValues,
} from "../../prompts/context.ts";
import { dayOf, dayPrompt, processPrompt, systemPrompt } from "../../prompts/system.ts";
import type { Account } from "../../store/kernel/people/accounts.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import { ContextFiles, filesAt, type KnownTexts } from "./context-files.ts";
import { profilePrompt } from "./profiles.ts";
import { trustedPlace, workspaceRoot } from "./workspace-context.ts";

export interface PromptPorts {
  readonly kernel: KernelStore;
  readonly store: Pick<ProcessStore, "contextFiles">;
  readonly callers: Callers;
  readonly namespace: Namespace;
  /** Filesystem of a host directory. */
  readonly diskAt: (directory: string) => Namespace;
  readonly texts: KnownTexts;
  readonly clock: Clock;
}

export interface Assembled extends Prompt {
  readonly home: string;
}

/** Attached directories besides the workspace, the newest first. */
const ATTACHED_MAX = 4;
const SYSTEM_ROOT = "/sys/config/ai/context.d";
const DAY_MS = 86_400_000;
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export async function assemblePrompt(ports: PromptPorts, row: ProcessRow): Promise<Assembled> {
  const { kernel, clock } = ports;
  const owner = await kernel.accounts.byUid(row.ownerUid);
  const runAs = await kernel.accounts.byUid(row.uid);
  const home = owner?.home ?? "/";
  const names = { username: runAs?.username ?? "agent", owner: owner?.username ?? "nobody" };
  const own = (text: string, source: PromptPart["source"]): Prompt => ({
    parts: [{ source, path: null, text }],
    leftOut: [],
  });
  const first = own(systemPrompt(names), "gsv");
  const caller = await callerOf(ports, row);
  const real = caller === null ? row.cwd : await ports.namespace.shown(caller, row.cwd);
  // The name of a directory must not speak to the agent.
  const where = real === row.cwd || ODD.test(real) ? { cwd: row.cwd } : { cwd: real, mounted: row.cwd };
  const place = own(processPrompt({ home, ...where, pid: row.pid, profile: row.profile }), "process");
  const day = own(dayPrompt(clock.now()), "memory");
  // The account is locked: each call will be refused with the reason.
  if (caller === null || owner === null || runAs === null) return { ...joined([first, place, day]), home };
  const parts = await promptPartsOf(ports, row, { caller, owner, runAs });
  return {
    ...joined([first, ...(await parts.seldom()), place, ...(await parts.ofProcess()), ...(await parts.memory()), day]),
    home,
  };
}

async function callerOf({ callers }: PromptPorts, row: ProcessRow): Promise<Caller | null> {
  try {
    // Dropped rights of the process do not limit its prompt.
    return { ...(await callers.process(row)), dropped: [] };
  } catch (error) {
    if (error instanceof SysError && error.code === "EAUTH") return null;
    throw error;
  }
}

interface People {
  readonly caller: Caller;
  readonly owner: Account;
  readonly runAs: Account;
}

async function promptPartsOf(ports: PromptPorts, row: ProcessRow, people: People) {
  const setting = await settingsFor(ports.kernel.config, { uid: row.ownerUid, client: undefined });
  const bytesMax = Number(setting("ai.maxContextBytes").text);
  const files = new ContextFiles(ports.namespace, people.caller, bytesMax, ports.texts);
  return new PromptParts(ports, row, {
    ...people,
    files,
    bytesMax,
    skills: setting("ai.skills.indexMode").text as "summary" | "names" | "off",
  });
}

interface PromptInputs extends People {
  readonly files: ContextFiles;
  readonly bytesMax: number;
  readonly skills: "summary" | "names" | "off";
}

class PromptParts {
  private readonly values: TemplateValues;

  constructor(
    private readonly ports: PromptPorts,
    private readonly row: ProcessRow,
    private readonly inputs: PromptInputs,
  ) {
    this.values = templateValues(row, inputs, ports.clock.now());
  }

  async seldom(): Promise<Prompt[]> {
    const { files, owner, runAs } = this.inputs;
    const isOne = owner.home === runAs.home;
    const agentsOwn = `Your own instructions (${runAs.username})`;
    return [
      this.root({
        source: "system",
        from: "Instructions for all agents",
        files: await files.contextIn(SYSTEM_ROOT),
      }),
      this.root({
        source: "owner",
        from: isOne ? agentsOwn : `Instructions from ${owner.username}`,
        files: await files.contextIn(`${owner.home}/context.d`),
      }),
      this.root({
        source: "agent",
        from: agentsOwn,
        files: isOne ? [] : await files.contextIn(`${runAs.home}/context.d`),
      }),
      this.root({ source: "persona", from: "Who you are", files: await files.fileAt(`${runAs.home}/persona.md`) }),
      ...(await this.profile()),
      await this.skills(),
      ...(await this.workspaces()),
    ];
  }

  private async profile(): Promise<Prompt[]> {
    const { persona, skills, project } = await profilePrompt(this.ports.kernel, this.row);
    const own = (source: PromptPart["source"], text: string): Prompt[] =>
      text === "" ? [] : [{ parts: [{ source, path: null, text: `\n${filled(text, this.values)}` }], leftOut: [] }];
    const instructions = project?.instructions.trim() ?? "";
    const about = instructions === "" ? "" : `## Project ${project?.name}\n${instructions}\n`;
    return [...own("persona", persona), ...own("bundles", skills), ...own("project", about)];
  }

  async ofProcess(): Promise<Prompt[]> {
    const { pid } = this.row;
    const files: ContextFile[] = [];
    for (const { name, text } of await this.ports.store.contextFiles(pid))
      files.push({ path: `/proc/${pid}/context.d/${name}`, text });
    return [this.root({ source: "process", from: "Instructions for this process", files })];
  }

  async memory(): Promise<Prompt[]> {
    const { files, runAs } = this.inputs;
    const now = this.ports.clock.now();
    const kept: ContextFile[] = [];
    // The newest first, in case only one fits.
    const directory = `/agents/${runAs.username}/memory`;
    if (await files.isDirectory(directory))
      for (const day of [dayOf(now), dayOf(now - DAY_MS)]) kept.push(...(await files.fileAt(`${directory}/${day}.md`)));
    // A person's text: no placeholders are filled in.
    return [rootPrompt({ source: "memory", from: "Your recent notes", files: kept }, this.inputs.bytesMax)];
  }

  private async skills(): Promise<Prompt> {
    const { files, owner, runAs, skills } = this.inputs;
    const index: SkillLine[] = [];
    if (skills !== "off")
      for (const home of new Set([owner.home, runAs.home])) index.push(...(await files.skillsIn(home, index)));
    return skillsPrompt(index, skills);
  }

  private async workspaces(): Promise<Prompt[]> {
    const { workspaceId, pid, ownerUid, cwd } = this.row;
    const { kernel } = this.ports;
    const workspace = workspaceId === null ? null : await kernel.workspaces.get(workspaceId);
    const prompts: Prompt[] = [];
    if (workspace !== null) {
      const { id, directory } = workspace;
      const trusted = await kernel.trust.of(ownerUid, trustedPlace(workspace));
      const root = `/workspaces/${id}`;
      const place = { root, isOwnTree: directory === null, trusted, cwd, command: `gsv workspace trust ${id}` };
      prompts.push(rootPrompt(await workspaceRoot(this.inputs.files, place), this.inputs.bytesMax));
    }
    const attached = await kernel.attachments.of(workspaceId ?? pid);
    const others = attached.filter((directory) => directory !== workspace?.directory);
    for (const directory of others.slice(0, ATTACHED_MAX)) prompts.push(await this.attached(directory));
    return prompts;
  }

  private async attached(directory: string): Promise<Prompt> {
    const { caller, bytesMax } = this.inputs;
    const files = filesAt(this.ports.diskAt, { directory, caller, bytesMax });
    if (files === null) return { parts: [], leftOut: [] };
    const trusted = await this.ports.kernel.trust.of(this.row.ownerUid, directory);
    const command = `gsv workspace trust ${quoted(directory)}`;
    const place = { root: directory, isOwnTree: false, trusted, cwd: directory, command };
    return rootPrompt(await workspaceRoot(files, place), bytesMax);
  }

  private root(root: ContextRoot): Prompt {
    const files = root.files.map(({ path, text }) => ({ path, text: filled(text, this.values) }));
    return rootPrompt({ ...root, files }, this.inputs.bytesMax);
  }
}

function templateValues(row: ProcessRow, { owner, runAs }: People, now: number): TemplateValues {
  const ofAccount = (space: string, { uid, gid, username, home }: Account): [string, string][] => [
    [`${space}.uid`, String(uid)],
    [`${space}.gid`, String(gid)],
    [`${space}.username`, username],
    [`${space}.home`, home],
  ];
  const workspace = row.workspaceId === null ? "" : `/workspaces/${row.workspaceId}`;
  return new Map([
    ...ofAccount("identity", runAs),
    ...ofAccount("program", runAs),
    ...ofAccount("owner", owner),
    ...ofAccount("user", owner),
    ["identity.cwd", row.cwd],
    ["identity.workspaceId", row.workspaceId ?? ""],
    ["profile", row.profile],
    ["workspace", workspace],
    ["workspace.id", row.workspaceId ?? ""],
    ["workspace.path", workspace],
    ["current.date", dayOf(now)],
    ["current.timezone", "UTC"],
    ["targets", "gsv, host"],
    ["known_paths", [owner.home, runAs.home, workspace].filter((path) => path !== "").join(", ")],
  ]);
}

function joined(prompts: readonly Prompt[]): Prompt {
  return {
    parts: prompts.flatMap(({ parts }) => parts),
    leftOut: prompts.flatMap(({ leftOut }) => leftOut),
  };
}
