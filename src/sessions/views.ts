// Views of sessions from their rows, processes, histories and usage. Need no kernel.

import type { Caller } from "../abi/identity.ts";
import { isRoot } from "../abi/identity.ts";
import type { Message } from "../abi/process/message.ts";
import { tokensOf, usdOf } from "../abi/process/money.ts";
import type { ProcessInfo } from "../abi/process/process.ts";
import type { Clock } from "../lib/clock.ts";
import { ownSettings } from "../process/life/own-settings.ts";
import { modelOfProcess } from "../process/run/model-choice.ts";
import type { Generation, SessionRow } from "../store/kernel/processes/sessions.ts";
import type { UsageSum } from "../store/kernel/processes/usage.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Histories, Registry } from "../syscalls/services.ts";
import type {
  Conversation,
  SessionDetails,
  SessionLine,
  SessionMessage,
  SessionSettings,
  SessionStatus,
  SessionTokens,
  SessionViews,
} from "../syscalls/session/session-service.ts";
import { addressFor, archivePath, nameOf, sessionNamed } from "./addresses.ts";
import { SYSTEM_PROMPT_FILE, splitModel } from "./model-parts.ts";
import { defaultPolicy } from "./renewal.ts";

export interface ViewPorts {
  readonly kernel: KernelStore;
  readonly registry: Pick<Registry, "get">;
  readonly histories: Pick<Histories, "page">;
  readonly contextFiles: ProcessStore["contextFiles"];
  readonly contextShape: ProcessStore["contextShape"];
  readonly segments: ProcessStore["segments"];
  readonly clock: Clock;
}

const GENERATIONS_MAX = 100;

export function sessionViews(ports: ViewPorts): SessionViews {
  const { kernel, clock } = ports;
  return {
    async list(caller, { limit, details }) {
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.sessions.list({ ...owner, limit });
      const lines = rows.map(async (row) => ({
        ...(await lineOf(ports, caller, row)),
        ...(details && { details: await detailsOf(ports, row) }),
      }));
      return { sessions: await Promise.all(lines) };
    },

    async get(caller, key, details) {
      const session = await sessionNamed(kernel, caller, key);
      const { pid, ownerUid, createdAt } = session;
      const [latest] = await kernel.sessions.generations(session.id, 1);
      return {
        ...(await lineOf(ports, caller, session)),
        owner: (await kernel.accounts.byUid(ownerUid))?.username ?? String(ownerUid),
        ...(await countsIn(ports, caller, pid)),
        tokens: tokensFrom(await usedIn(kernel, pid === null ? null : (latest ?? null))),
        settings: pid === null ? NO_SETTINGS : await settingsOf(ports, pid),
        resetPolicy: session.resetPolicy ?? (await defaultPolicy(kernel, ownerUid)),
        previousSessions: Math.max(0, (latest?.number ?? 0) - (pid === null ? 0 : 1)),
        createdAt,
        ...(details && { details: await detailsOf(ports, session) }),
      };
    },

    async stats(caller, key) {
      const session = await sessionNamed(kernel, caller, key);
      const current = session.pid === null ? null : await kernel.sessions.current(session.pid);
      const used = await usedIn(kernel, current);
      return {
        key: nameOf(session),
        sessionId: current?.id ?? null,
        messages: await messagesIn(ports, caller, session.pid),
        tokens: tokensFrom(used),
        costUsd: usdOf(used?.micros ?? 0),
        uptimeMs: Math.max(0, clock.now() - session.createdAt),
      };
    },

    async history(caller, key) {
      const session = await sessionNamed(kernel, caller, key);
      const [newest, ...others] = await kernel.sessions.generations(session.id, GENERATIONS_MAX);
      const isOpen = newest !== undefined && newest.endedAt === null;
      const ended = isOpen || newest === undefined ? others : [newest, ...others];
      const current = isOpen
        ? { ...(await conversationOf(kernel, session, newest)), messages: await messagesIn(ports, caller, session.pid) }
        : null;
      const previous = await Promise.all(ended.map((each) => conversationOf(kernel, session, each)));
      return { key: nameOf(session), current, previous, count: (newest?.number ?? 0) - (isOpen ? 1 : 0) };
    },

    messages: (caller, query) => sessionMessages(ports, caller, query),
    route: (caller, party) => addressFor(kernel, caller, party),
  };
}

async function lineOf(
  { kernel, registry }: ViewPorts,
  caller: Caller,
  session: SessionRow & { readonly activeAt?: number },
): Promise<SessionLine> {
  const { pid, outcome, updatedAt } = session;
  const process = pid === null ? null : await registry.get(caller, pid).catch(() => null);
  const current = pid === null ? null : await kernel.sessions.current(pid);
  return {
    key: nameOf(session),
    id: session.id,
    status: statusOf(process, outcome),
    sessionId: current?.id ?? null,
    pid: process?.pid ?? null,
    label: process?.label ?? (session.name === "" ? null : session.name),
    state: process?.state ?? outcome ?? "idle",
    ...(process?.interrupted ? { interrupted: true as const } : {}),
    lastActiveAt: process?.lastActiveAt ?? session.activeAt ?? updatedAt,
  };
}

async function detailsOf({ kernel }: ViewPorts, session: SessionRow): Promise<SessionDetails> {
  const { source, agentId: agent, projectId: project, name, workDir, initialPrompt } = session;
  const { councilLaunchId, councilRole, createdAt, updatedAt } = session;
  const generations = await kernel.sessions.generations(session.id, GENERATIONS_MAX);
  const sums = await Promise.all(generations.map((each) => usedIn(kernel, each)));
  const total = (of: "turns" | "micros") => sums.reduce((sum, each) => sum + (each?.[of] ?? 0), 0);
  return {
    ...{ source, agent, project, name, workDir, initialPrompt, councilLaunchId, councilRole, createdAt, updatedAt },
    turns: total("turns"),
    costUsd: usdOf(total("micros")),
  };
}

function statusOf(process: ProcessInfo | null, outcome: SessionRow["outcome"]): SessionStatus {
  if (process === null) return outcome ?? "idle";
  if (process.state === "queued" || process.state.startsWith("waiting_")) return "running";
  return process.state === "idle" && process.lastStatus === "error" ? "error" : (process.state as SessionStatus);
}

async function messagesIn({ histories }: ViewPorts, caller: Caller, pid: string | null): Promise<number> {
  return pid === null ? 0 : (await histories.page({ caller }, pid, { limit: 1 })).messageCount;
}

async function countsIn(ports: ViewPorts, caller: Caller, pid: string | null) {
  const messages = await messagesIn(ports, caller, pid);
  const shape = pid === null || messages === 0 ? null : await ports.contextShape(pid);
  if (pid === null || shape === null || shape.segment === null) return { messages, summarized: 0 };
  // Summaries are not counted as messages.
  const written = messages - (await ports.segments(pid)).length;
  return { messages: written, summarized: written - shape.rows.length };
}

export async function usedIn({ usage }: Pick<KernelStore, "usage">, generation: Generation | null) {
  if (generation === null) return null;
  const { pid, startedAt: since, endedAt } = generation;
  const [sum] = await usage.sums({ by: "process", pid, since, ...(endedAt === null ? {} : { until: endedAt }) });
  return sum ?? null;
}

export function tokensFrom(sum: UsageSum | null): SessionTokens {
  if (sum === null) return { input: 0, output: 0, total: 0 };
  const total = tokensOf(sum);
  return { input: total - sum.output, output: sum.output, total };
}

const NO_SETTINGS: SessionSettings = {
  model: { provider: null, id: null },
  thinkingLevel: null,
  maxTokens: null,
  systemPrompt: null,
};

async function settingsOf({ kernel, contextFiles }: ViewPorts, pid: string): Promise<SessionSettings> {
  const { thinkingLevel, maxTokens } = await ownSettings(kernel, pid);
  const prompt = (await contextFiles(pid)).find(({ name }) => name === SYSTEM_PROMPT_FILE);
  const row = await kernel.processes.get(pid);
  return {
    model: splitModel(row === null ? null : await modelOfProcess(kernel, row)),
    thinkingLevel,
    maxTokens: maxTokens === null ? null : Number(maxTokens),
    systemPrompt: prompt?.text ?? null,
  };
}

async function conversationOf(
  { archives }: KernelStore,
  session: SessionRow,
  generation: Generation,
): Promise<Conversation> {
  const { id: sessionId, pid, startedAt, endedAt, restoredFrom, closingId, key } = generation;
  const archive = closingId === null ? null : await archives.get(closingId);
  const archivedTo = key ?? archive?.key ?? null;
  return {
    ...{ sessionId, pid, startedAt, endedAt, restoredFrom },
    messages: archive?.messages ?? null,
    archiveId: archive?.id ?? null,
    archivedTo: archivedTo === null ? null : archivePath(session, archivedTo),
  };
}

/** The history of the process as rows of `session_messages`, without tool results. Long texts are cut to fit a page. */
async function sessionMessages(
  { kernel, histories }: Pick<ViewPorts, "kernel" | "histories">,
  caller: Caller,
  { key, after: afterSeq, limit }: Parameters<SessionViews["messages"]>[1],
): ReturnType<SessionViews["messages"]> {
  const { id, pid } = await sessionNamed(kernel, caller, key);
  if (pid === null) return { messages: [], next: null };
  const page = await histories.page({ caller }, pid, { limit, afterSeq });
  const last = page.messages.at(-1)?.id ?? null;
  return {
    messages: page.messages.flatMap((message) => rowOf(id, message)),
    next: page.hasMoreAfter ? last : null,
  };
}

function rowOf(sessionId: string, message: Message): SessionMessage[] {
  const { id, role, timestamp } = message;
  if (role === "toolResult") return [];
  return [{ id, sessionId, role, content: role === "assistant" ? message.content.text : message.content, timestamp }];
}
