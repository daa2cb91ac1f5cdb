// Values to complete: choices, pids with labels, approvals, archives, syscalls, topics, settings. Reads at most one page of the home;
// without a home, there are fewer.

import type { HookInfo } from "../../src/abi/hook.ts";
import type { McpServer } from "../../src/abi/links/mcp.ts";
import { coreInstant } from "../../src/abi/process/crash.ts";
import type { Approval, ProcessInfo } from "../../src/abi/process/process.ts";
import { SESSION_PATHS } from "../../src/abi/process/session.ts";
import { SIGNAL_NAMES } from "../../src/abi/signal.ts";
import { UNWATCHED, type Watch } from "../../src/abi/watch.ts";
import type { AccountInfo } from "../../src/syscalls/account/account-service.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import type { Fields } from "../../src/syscalls/define.ts";
import type { NotificationList } from "../../src/syscalls/due/notify-service.ts";
import type { EntryPage } from "../../src/syscalls/fs/fs-tree.ts";
import type { WorkspacePage } from "../../src/syscalls/repo/workspace.ts";
import type { ArchiveInfo } from "../../src/syscalls/services.ts";
import { PROCESS_SIGNALS } from "../../src/syscalls/services.ts";
import type { SessionHistory, SessionLine } from "../../src/syscalls/session/session-service.ts";
import type { Commands, Io } from "../command.ts";

export interface Candidate {
  readonly value: string;
  readonly note?: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The shell completes file names. */
  readonly files?: true;
}

export interface ValueRequest {
  readonly key: string;
  readonly field: Fields[string];
  readonly command: string;
  readonly current?: string;
  readonly before: readonly string[];
  readonly io: Io;
  readonly commands: Commands;
}

export async function valuesOf(request: ValueRequest): Promise<Completion> {
  const { field, before } = request;
  if (field.choices !== undefined) return { candidates: field.choices.map((value) => ({ value })) };
  const { io, current = "" } = request;
  if (field.of === "file" || (field.of === "host-or-file" && !current.startsWith("host:")))
    return { candidates: (await pathsFrom(io, current)).filter(({ value }) => !before.includes(value)) };
  if (field.kind === "path" || field.kind === "paths") return { candidates: [], files: true };
  const candidates = await namesOf(request);
  const many = field.kind === "pids" || field.of === "process";
  return { candidates: many ? candidates.filter(({ value }) => !before.includes(value)) : candidates };
}

function namesOf({ key, field, command, before, io, commands }: ValueRequest): Candidate[] | Promise<Candidate[]> {
  if (field.kind === "pid" || field.kind === "pids" || field.of === "process") return processes(io);
  switch (field.of) {
    case "approval":
      return approvals(io);
    case "remote":
      return remotes(io);
    case "archive":
      return archives(io);
    case "core":
      return cores(io);
    case "workspace":
      return workspaces(io);
    case "hook":
      return hooks(io);
    case "syscall":
      return [...SYSCALLS.values()].map(({ name, summary }) => ({ value: name, note: summary }));
    case "session":
      return sessions(io);
    case "session-path":
      return SESSION_PATHS.map((value) => ({ value }));
    case "conversation":
      return conversations(io);
    case "agent":
      return named(io, "agent.list", "agents");
    case "bundle":
      return named(io, "bundle.list", "bundles");
    case "notification":
      return notifications(io);
    case "event":
      return SIGNAL_NAMES.filter((name) => !UNWATCHED.includes(name)).map((value) => ({ value }));
    case "watch":
      return watches(io);
    case "mcp":
      return mcpServers(io);
    case "schedule":
      return named(io, "sched.list", "schedules");
    case "project":
      return named(io, "project.list", "projects");
    case "signal":
      return PROCESS_SIGNALS.map((value) => ({ value }));
    case "topic":
      return topics(before, io, commands);
    default:
      return command.startsWith("config ") && key === "key" ? configKeys(io) : [];
  }
}

async function look<Result>(io: Io, name: string, args: object = {}): Promise<Result | null> {
  const sys = await io.peek();
  try {
    return sys === null ? null : await sys.call<Result>(name, args);
  } finally {
    await sys?.close();
  }
}

/** Names inside gsv. Hidden ones only after a typed dot. */
async function pathsFrom(io: Io, current: string): Promise<Candidate[]> {
  const head = current.slice(0, current.lastIndexOf("/") + 1);
  const typed = current.slice(head.length);
  const page = await look<EntryPage>(io, "fs.list", { path: head === "" ? "." : head });
  return (page?.entries ?? [])
    .filter(({ name }) => name.startsWith(typed) && (typed !== "" || !name.startsWith(".")) && !/[\p{Cc}]/u.test(name))
    .map(({ name, kind }) => ({ value: `${head}${name}${kind === "directory" ? "/" : ""}` }));
}

async function notifications(io: Io): Promise<Candidate[]> {
  const list = await look<NotificationList>(io, "notify.list");
  return (list?.notifications ?? []).map(({ id, title }) => ({ value: id, note: title }));
}

async function mcpServers(io: Io): Promise<Candidate[]> {
  const list = await look<{ servers: readonly McpServer[] }>(io, "sys.mcp.list");
  return (list?.servers ?? []).map(({ name, state }) => ({ value: name, note: state }));
}

async function watches(io: Io): Promise<Candidate[]> {
  const list = await look<{ watches: readonly Watch[] }>(io, "signal.list");
  return (list?.watches ?? []).map(({ key, signal }) => ({ value: key, note: signal }));
}

async function workspaces(io: Io): Promise<Candidate[]> {
  const page = await look<WorkspacePage>(io, "workspace.list", { all: true });
  return (page?.workspaces ?? []).map(({ id, label, directory }) => ({ value: id, note: label ?? directory ?? "" }));
}

async function hooks(io: Io): Promise<Candidate[]> {
  const page = await look<{ hooks: readonly HookInfo[] }>(io, "hooks.list");
  return (page?.hooks ?? []).map(({ hook, state }) => ({ value: hook, note: state }));
}

async function processes(io: Io): Promise<Candidate[]> {
  const page = await look<{ processes: readonly ProcessInfo[] }>(io, "proc.list");
  return (page?.processes ?? []).map(({ pid, label, state }) => ({
    value: pid,
    note: label === null ? state : `${label} · ${state}`,
  }));
}

async function sessions(io: Io): Promise<Candidate[]> {
  const page = await look<{ sessions: readonly SessionLine[] }>(io, "session.list", {});
  return (page?.sessions ?? []).map(({ key, label, state }) => ({
    value: key,
    note: label === null ? state : `${label} · ${state}`,
  }));
}

/** Conversations of your own session; session history lists those of others. */
async function conversations(io: Io): Promise<Candidate[]> {
  const history = await look<SessionHistory>(io, "session.history", {});
  return (history?.previous ?? []).flatMap(({ sessionId, messages, endedAt }) =>
    messages === null
      ? []
      : [{ value: sessionId, note: `${messages} messages, ${new Date(endedAt ?? 0).toISOString()}` }],
  );
}

async function named(io: Io, call: string, rows: string): Promise<Candidate[]> {
  const page = await look<{ readonly [rows: string]: readonly { name: string; description?: string | null }[] }>(
    io,
    call,
  );
  return (page?.[rows] ?? []).map(({ name, description }) => ({ value: name, note: description ?? "" }));
}

async function approvals(io: Io): Promise<Candidate[]> {
  const page = await look<{ approvals: readonly Approval[] }>(io, "hil.list");
  return (page?.approvals ?? []).map(({ id, tool, pid, why }) => ({ value: id, note: `${tool} of ${pid}: ${why}` }));
}

async function archives(io: Io): Promise<Candidate[]> {
  const page = await look<{ archives: readonly ArchiveInfo[] }>(io, "archive.list");
  return (page?.archives ?? []).map(({ id, pid, reason, createdAt }) => ({
    value: id,
    note: `${reason} of ${pid}, ${new Date(createdAt).toISOString()}`,
  }));
}

async function cores(io: Io): Promise<Candidate[]> {
  const page = await look<EntryPage>(io, "fs.list", { path: "/var/crash" });
  const newestFirst = (page?.entries ?? []).toSorted(
    (left, right) => (coreInstant(right.name) ?? 0) - (coreInstant(left.name) ?? 0),
  );
  return newestFirst.map(({ name }) => ({ value: name }));
}

async function topics(before: readonly string[], io: Io, commands: Commands): Promise<Candidate[]> {
  const { Book } = await import("./man-book.ts");
  const lines = await new Book(await io.manual(), commands).contents();
  const head = before.map((word) => `${word} `).join("");
  const seen = new Map<string, string>();
  for (const { name, summary } of lines) {
    const [word = "", ...more] = name.startsWith(head) ? name.slice(head.length).split(" ") : [];
    if (word !== "" && !seen.has(word)) seen.set(word, more.length > 0 ? `Commands on ${word}` : summary);
  }
  return [...seen].map(([value, note]) => ({ value, note }));
}

/** Accounts to act as: root and the visible humans. Agents have no password. */
export async function accountNames(io: Io): Promise<Candidate[]> {
  const page = await look<{ accounts: readonly AccountInfo[] }>(io, "account.list");
  const humans = (page?.accounts ?? []).filter(({ kind }) => kind === "human");
  return ["root", ...humans.map(({ username }) => username)].map((value) => ({ value }));
}

/** `KEY=`, then the values of the setting. */
export async function settings(typed: string, io: Io): Promise<Candidate[]> {
  const [key = "", value] = typed.split(/=(.*)/s);
  if (value === undefined) return (await configKeys(io)).map((each) => ({ ...each, value: `${each.value}=` }));
  const { choicesOf } = await import("../config/config-text.ts");
  return choicesOf(key).map((choice) => ({ value: `${key}=${choice}` }));
}

// Takes any list with rows that have a `key`.
async function configKeys(io: Io): Promise<Candidate[]> {
  const result = (await look<{ readonly [name: string]: unknown }>(io, "config.list")) ?? {};
  const rows = Object.values(result).filter(Array.isArray).flat() as readonly { key?: unknown; doc?: unknown }[];
  return rows.flatMap(({ key, doc }) =>
    typeof key === "string" ? [{ value: key, ...(typeof doc === "string" ? { note: doc } : {}) }] : [],
  );
}

export async function remotes(io: Io): Promise<Candidate[]> {
  const saved = (await io.remotes.saved()).list();
  return saved.map(({ name, account, url }) => ({ value: name, note: `${account} at ${url}` }));
}
