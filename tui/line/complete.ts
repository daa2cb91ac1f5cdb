// TAB: completes words of gsv's commands, programs, processes by pid or label, models, and paths of gsv's files or of the host. It only looks;
// if a look fails there are no candidates.

import type { Io } from "../../commands/command.ts";
import { completionOf } from "../../commands/man/complete.ts";
import { COMMANDS } from "../../commands/table.ts";
import type { McpPrompt, McpServer } from "../../src/abi/links/mcp.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { EntryPage } from "../../src/syscalls/fs/fs-tree.ts";
import type { ModelPage } from "../../src/syscalls/run/ai.ts";
import type { Candidate } from "../state/line.ts";
import type { Route } from "../verdict/route.ts";
import { SLASHES } from "./slash.ts";

export interface Completed {
  readonly from: number;
  readonly candidates: readonly Candidate[];
}

export interface CompleteContext {
  readonly io: Io;
  readonly cwd: string;
  readonly home: string;
  readonly pid: string;
  readonly programs: () => readonly string[];
}

interface CompleteRequest {
  readonly before: readonly string[];
  readonly current: string;
  readonly to: Route["to"];
  readonly context: CompleteContext;
}

const CANDIDATES_MAX = 200;
const MODELS_MS = 400;
const HOST = "host:";

/** `text` ends at the cursor. */
export async function complete(text: string, to: Route["to"], context: CompleteContext): Promise<Completed> {
  const isMessage = to === "chat" || to === "nothing";
  const line = to === "host" ? text.replace(/^\s*!/, (mark) => " ".repeat(mark.length)) : text;
  const statement = isMessage ? line : (/(?:^|[|;&(\n])\s*(?<rest>[^|;&(\n]*)$/.exec(line)?.groups?.rest ?? "");
  const words = statement.split(/(?<!\\)\s+/);
  const current = words.pop() ?? "";
  const from = text.length - current.length;
  const before = words.filter((word) => word !== "" && word !== "gsv");
  const found = await candidates({ before, current, to, context });
  const unique = new Map(found.map((each) => [each.text, each]));
  const shown = [...unique.values()].filter((each) => reveal(each.text) === each.text);
  return { from, candidates: shown.slice(0, CANDIDATES_MAX) };
}

async function candidates(asked: CompleteRequest): Promise<readonly Candidate[]> {
  const { before, current, to, context } = asked;
  if (current.startsWith("@")) {
    const found = await pathsOf(current.slice(1), { ...context, cwd: await cwdOf(context) });
    return found.map(({ text, note }) => ({ text: `@${text}`, note }));
  }
  if (/^(?:init|task):/.test(current)) return processes(current, context);
  if (to === "host") return hostPaths(current, context);
  if (before.length === 0) return firstWords(current, context);
  if (before[0]?.startsWith("/") && (before.length === 1 || before[0].includes(":")))
    return slashWords(before[0].slice(1), current, context);
  if (isModelPlace(before)) return models(current, context);
  return argumentsOf(asked);
}

/** The attached process resolves `@path` from its own directory. */
async function cwdOf({ io, pid, cwd }: CompleteContext): Promise<string> {
  const asked = io.sys().call<ProcessInfo>("proc.get", { pid });
  return await asked.then(
    (process) => process.cwd,
    () => cwd,
  );
}

async function argumentsOf({ before, current, to, context }: CompleteRequest): Promise<readonly Candidate[]> {
  const { candidates: offered, files } = await completionOf(COMMANDS, { before, current }, context.io);
  const ours = offered.map(({ value, note = "" }) => ({ text: value + (/[=/]$/.test(value) ? "" : " "), note }));
  if (ours.length > 0 && !files) return ours;
  const named = ours.length > 0 || current === "" ? [] : await byLabel(before, current, context);
  if (named.length > 0) return named;
  return to === "shell" || to === "slash" || /[/~.]/.test(current)
    ? [...ours, ...(await pathsOf(current, context))]
    : ours;
}

async function firstWords(current: string, context: CompleteContext): Promise<readonly Candidate[]> {
  const slash = current.startsWith("/") ? "/" : "";
  const typed = current.slice(slash.length);
  const own =
    slash === ""
      ? []
      : [...[...SLASHES].map(([name, { summary }]) => ({ name, note: summary })), ...(await serverPrompts(context))];
  const isOwn = (name: string) => slash !== "" && SLASHES.has(name);
  const programs = context.programs().flatMap((name) => (isOwn(name) ? [] : [{ name, note: "" }]));
  const named = [...own, ...programs]
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, note }) => ({ text: `${slash}${name} `, note }));
  if (current === "") return [];
  // `/` alone could be any of hundreds: only slash commands.
  if (current === "/") return named.slice(0, own.length);
  return named.length > 0 && !typed.includes("/") ? named : pathsOf(current, context);
}

type ServerPrompt = Pick<McpPrompt, "args"> & { readonly name: string; readonly note: string };

async function serverPrompts({ io }: Pick<CompleteContext, "io">): Promise<readonly ServerPrompt[]> {
  const asked = io.sys().call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
  const { servers } = await asked.catch(() => ({ servers: [] as readonly McpServer[] }));
  return servers
    .filter(({ state }) => state !== "pending" && state !== "off")
    .flatMap(({ name, prompts }) =>
      prompts
        .filter((prompt) => /^[\w.-]{1,128}$/.test(prompt.name))
        .map(({ name: prompt, description, args }) => ({ name: `${name}:${prompt}`, note: reveal(description), args })),
    );
}

async function slashWords(name: string, current: string, context: CompleteContext): Promise<readonly Candidate[]> {
  if (name === "attach") {
    const found = await processes(current, context);
    return found.length > 0 ? found : byLabel(["proc", "get"], current, context);
  }
  if (name === "model") return models(current, context);
  if (name.includes(":")) {
    const prompt = (await serverPrompts(context)).find((each) => each.name === name);
    return (prompt?.args ?? [])
      .filter((arg) => /^[\w.-]+$/.test(arg.name) && arg.name.startsWith(current))
      .map((arg) => ({ text: `${arg.name}=`, note: reveal(arg.description) }));
  }
  const slash = SLASHES.get(name);
  const line = slash !== undefined && "line" in slash ? slash.line(context.pid, "") : name === "new" ? "spawn" : name;
  const before = line.split(" ");
  return argumentsOf({ before, current, to: "slash", context });
}

function isModelPlace(before: readonly string[]): boolean {
  return before.at(-1) === "--model" || (before[0] === "model" && before.length === 2);
}

async function models(current: string, { io }: CompleteContext): Promise<readonly Candidate[]> {
  const late = new AbortController();
  const stop = io.clock.after(MODELS_MS, () => late.abort());
  const asking = io.sys().call<ModelPage>("ai.models", {}, { signal: late.signal });
  const { models: found } = await asking.catch(() => ({ models: [] })).finally(stop);
  return found
    .filter(({ model }) => model.startsWith(current) || model.split("/").at(-1)?.startsWith(current))
    .map(({ model, windowTokens }) => ({
      text: `${model} `,
      note: windowTokens === null ? "" : `${windowTokens.toLocaleString("en-US")} tokens`,
    }));
}

async function processes(current: string, context: CompleteContext): Promise<readonly Candidate[]> {
  return (await listed(context)).filter(({ pid }) => pid.startsWith(current)).map(candidateOf);
}

/** Finds a pid by the words of its label. */
async function byLabel(
  before: readonly string[],
  current: string,
  context: CompleteContext,
): Promise<readonly Candidate[]> {
  const { candidates: offered } = await completionOf(COMMANDS, { before, current: "" }, context.io);
  const pids = new Set(offered.map(({ value }) => value));
  const wanted = current.toLowerCase();
  return (await listed(context))
    .filter(
      ({ pid, label }) =>
        pids.has(pid) &&
        label
          ?.toLowerCase()
          .split(/\s+/)
          .some((word) => word.startsWith(wanted)),
    )
    .map(candidateOf);
}

async function listed({ io }: CompleteContext): Promise<readonly ProcessInfo[]> {
  return (await io.sys().call<{ processes: readonly ProcessInfo[] }>("proc.list", {})).processes;
}

function candidateOf({ pid, label, state }: ProcessInfo): Candidate {
  return { text: `${pid} `, note: label === null ? state : `${label} · ${state}` };
}

async function pathsOf(current: string, context: CompleteContext): Promise<readonly Candidate[]> {
  if (current.startsWith(HOST)) {
    const found = await hostPaths(current.slice(HOST.length), context);
    return found.map(({ text, note }) => ({ text: HOST + text, note }));
  }
  const { io, cwd, home } = context;
  const { folder, name } = splitPath(current);
  if (current === "~") return [{ text: "~/", note: "" }];
  const path = folder.startsWith("/")
    ? folder
    : folder.startsWith("~/")
      ? home + folder.slice(1)
      : folder === ""
        ? cwd
        : `${cwd}/${folder}`;
  try {
    const { entries } = await io.sys().call<EntryPage>("fs.list", { path });
    const found = entries.map((entry) => ({ name: entry.name, isFolder: entry.kind === "directory" }));
    return named(found, folder, name);
  } catch {
    return [];
  }
}

/** Host files, from the directory where gsv was started. */
async function hostPaths(current: string, { io }: CompleteContext): Promise<readonly Candidate[]> {
  const { folder, name } = splitPath(current);
  if (current === "~") return [{ text: "~/", note: "" }];
  try {
    const side = await io.host();
    const path = folder.startsWith("~/") ? `${io.env.HOME ?? ""}${folder.slice(1)}` : folder === "" ? "." : folder;
    const names = (await side.names(path)).filter((each) => fits(each, name)).slice(0, CANDIDATES_MAX);
    const found = names.map(async (each) => {
      const thing = await side.look(side.within(path, each), { follow: true });
      return { name: each, isFolder: thing?.kind === "directory" };
    });
    return named(await Promise.all(found), folder, name);
  } catch {
    return [];
  }
}

function splitPath(current: string): { readonly folder: string; readonly name: string } {
  const plain = current.replace(/\\(.)/g, "$1");
  const slash = plain.lastIndexOf("/");
  return { folder: plain.slice(0, slash + 1), name: plain.slice(slash + 1) };
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

function named(entries: readonly Entry[], folder: string, name: string): readonly Candidate[] {
  return entries
    .filter((entry) => fits(entry.name, name))
    .map((entry) => ({ text: `${escaped(folder)}${escaped(entry.name)}${entry.isFolder ? "/" : " "}`, note: "" }));
}

/** Hidden files only after a dot. */
function fits(entry: string, typed: string): boolean {
  return entry.startsWith(typed) && (typed !== "" || !entry.startsWith("."));
}

function escaped(name: string): string {
  return name.replace(/[\s'"\\$`|&;()<>*?[\]{}!#]/g, "\\$&");
}
