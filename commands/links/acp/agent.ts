// gsv as an agent for editors (Agent Client Protocol 1). A session is a process, which a terminal can open at the same
// time. Requests of its children are asked in the session that the editor knows.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../../../src/abi/process/workspace.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { HistoryPage, Spawned } from "../../../src/syscalls/services.ts";
import { fenced } from "../../io/fenced.ts";
import { type Attached, messageFrom } from "./content.ts";
import { EditorServers } from "./editor-servers.ts";
import { Follower } from "./follow.ts";
import { Options } from "./options.ts";
import { Requests } from "./requests.ts";
import { ERRORS, type Json, Rpc, RpcError } from "./rpc.ts";
import { placeOf, Session } from "./session.ts";
import { availableCommands, slashed } from "./slash.ts";
import { chunk } from "./translate.ts";

export interface AgentPorts {
  readonly sys: Sys;
  readonly clock: Clock;
  readonly print: (message: Json) => void;
  /** For people: stdout is for the protocol. */
  readonly note: (text: string) => void;
  readonly upload: (pid: string, bytes: Uint8Array) => Promise<Attached>;
  /** The agent that new sessions act as; by default the personal one. */
  readonly as?: string;
}

type Method = (params: Json, answered: Promise<void>) => Promise<Json>;

const LIST_MAX = 200;

export class AcpAgent {
  private readonly sessions = new Map<string, Session>();
  /** The session of each child. */
  private readonly roots = new Map<string, string>();
  private readonly rpc: Rpc;
  private readonly options: Options;
  private readonly requests: Requests;
  private readonly follower: Follower;
  private readonly servers: EditorServers;
  private readonly stopListening: () => void;

  constructor(private readonly ports: AgentPorts) {
    const { sys, clock, print, note } = ports;
    const update = (session: Session, content: Json) => this.update(session, content);
    this.rpc = new Rpc({
      ...{ print, note, lasts: (method) => method === "session/prompt" },
      serve: (method, params, answered) => this.carryOut(method, params, answered),
      unwanted: (method, params) => {
        if (method === "session/prompt") void this.cancel(params).catch((error) => note(messageOf(error)));
      },
    });
    this.options = new Options(sys, clock);
    this.requests = new Requests({ sys, rpc: this.rpc, update });
    this.follower = new Follower({ sys, options: this.options, requests: this.requests, update, note });
    this.servers = new EditorServers({ sys, rpc: this.rpc, update, note });
    this.stopListening = sys.on({}, (signal) => this.hear(signal));
  }

  take(line: string): void {
    this.rpc.take(line);
  }

  settled(): Promise<void> {
    return this.rpc.settled();
  }

  close(): void {
    this.stopListening();
  }

  private async carryOut(method: string, params: Json, answered: Promise<void>): Promise<Json> {
    const handle = Object.hasOwn(this.methods, method) ? this.methods[method] : undefined;
    if (handle === undefined) throw new RpcError(ERRORS.method, `unknown method: ${method.slice(0, 80)}`);
    return await handle(params, answered);
  }

  private readonly methods: { readonly [method: string]: Method } = {
    initialize: async () => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true, sse: false },
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      agentInfo: { name: "gsv", title: "gsv", version: await this.version() },
      authMethods: [],
    }),
    authenticate: async () => ({}),
    "session/new": (params, answered) => this.open(params, answered),
    "session/load": (params, answered) => this.load(params, answered),
    "session/resume": (params, answered) => this.resume(params, answered),
    "session/list": (params) => this.list(params),
    "session/prompt": (params) => this.prompt(params),
    "session/cancel": (params) => this.cancel(params),
    "session/set_mode": (params) => this.setOption(params, "mode", textIn(params, "modeId")),
    "session/set_config_option": (params) =>
      this.setOption(params, textIn(params, "configId"), textIn(params, "value")),
    "session/close": async (params) => {
      const session = this.session(params);
      await this.cancel(params);
      this.forget(session);
      return {};
    },
    "session/delete": async (params) => {
      const pid = textIn(params, "sessionId");
      await this.ports.sys.call("proc.kill", { pid });
      const session = this.sessions.get(pid);
      if (session !== undefined) this.forget(session);
      return {};
    },
  };

  private async version(): Promise<string> {
    return (await this.ports.sys.call<{ version: string }>("sys.version", {})).version;
  }

  private async open(params: Json, answered: Promise<void>): Promise<Json> {
    const cwd = textIn(params, "cwd");
    const label = cwd.split("/").filter(Boolean).at(-1) ?? "editor";
    const { as } = this.ports;
    const asked = { label, workspace: cwd, ...(as !== undefined && { as }) };
    const { pid } = await this.ports.sys.call<Spawned>("proc.spawn", asked);
    const session = await this.remember(params, pid, 0);
    this.announce(session, answered);
    return { sessionId: pid, ...(await this.follower.chosen(session)) };
  }

  private async resume(params: Json, answered: Promise<void>): Promise<Json> {
    const { pid } = await this.process(textIn(params, "sessionId"));
    const { messages } = await this.ports.sys.call<HistoryPage>("proc.history", { pid, limit: 1 });
    const session = await this.remember(params, pid, messages.at(-1)?.id ?? 0);
    this.announce(session, answered);
    return await this.follower.chosen(session);
  }

  private async load(params: Json, answered: Promise<void>): Promise<Json> {
    const session = await this.remember(params, textIn(params, "sessionId"), 0);
    await this.follower.before(session, () => this.follower.replay(session, 0));
    this.announce(session, answered);
    return await this.follower.chosen(session);
  }

  /** What an editor takes only after it knows the session. */
  private announce(session: Session, answered: Promise<void>): void {
    const work = async () => {
      await answered;
      const commands = await availableCommands(this.ports.sys);
      this.update(session, { sessionUpdate: "available_commands_update", availableCommands: commands });
      await this.requests.askOpen(session, (pid) => this.belongs(session, pid));
    };
    void work().catch((error) => this.ports.note(messageOf(error)));
  }

  private async list({ cwd }: Json): Promise<Json> {
    const { sys } = this.ports;
    const { processes } = await sys.call<{ processes: readonly ProcessInfo[] }>("proc.list", {});
    const { workspaces } = await sys.call<{ workspaces: readonly WorkspaceInfo[] }>("workspace.list", {});
    const sessions = processes
      .filter(({ profile }) => profile === "task")
      .map((row) => ({
        ...{ sessionId: row.pid, title: row.label ?? row.pid, cwd: placeOf(row, workspaces, undefined).cwd },
        updatedAt: new Date(row.lastActiveAt ?? row.createdAt).toISOString(),
      }));
    return { sessions: sessions.filter((each) => cwd == null || each.cwd === cwd).slice(-LIST_MAX) };
  }

  private async prompt(params: Json): Promise<Json> {
    const session = this.session(params);
    if (session.isBusy) throw new RpcError(ERRORS.request, "a prompt of this session is still running");
    session.isBusy = true;
    try {
      const sent = await messageFrom(params.prompt, (bytes) => this.ports.upload(session.pid, bytes));
      const slash = await slashed(this.ports.sys, session.pid, sent.message);
      if (slash !== null && "output" in slash) {
        this.update(session, chunk("agent_message_chunk", fenced(slash.output)));
        return { stopReason: "end_turn" };
      }
      if (!(await this.servers.ask(session))) return { stopReason: "cancelled" };
      if (session.question !== null) return await this.answerQuestion(session, sent.message);
      return await this.send(session, { ...sent, ...slash });
    } finally {
      session.isBusy = false;
    }
  }

  private async send(session: Session, { message, media }: Awaited<ReturnType<typeof messageFrom>>): Promise<Json> {
    const { pid } = session;
    const { end } = await this.follower.before(session, async () => {
      const asked = { pid, message, ...(media.length > 0 && { media }) };
      return session.prompted((await this.ports.sys.call<{ runId: string }>("proc.send", asked)).runId);
    });
    return await end.promise;
  }

  private async answerQuestion(session: Session, text: string): Promise<Json> {
    const id = session.question;
    session.question = null;
    const prompt = await this.follower.before(session, async () => {
      const { activeRunId } = await this.process(session.pid);
      const started = activeRunId === null ? null : session.prompted(activeRunId);
      await this.ports.sys.call("hil.answer", { id, decision: "answer", text });
      return started;
    });
    return prompt === null ? { stopReason: "end_turn" } : await prompt.end.promise;
  }

  private async cancel(params: Json): Promise<Json> {
    const { pid, prompt } = this.session(params);
    if (prompt !== null) prompt.isCancelled = true;
    await this.ports.sys.call("proc.abort", { pid });
    return {};
  }

  private async setOption(params: Json, id: string, value: string): Promise<Json> {
    const session = this.session(params);
    await this.options.set(session.pid, id, value);
    const { configOptions } = await this.follower.chosen(session);
    return params.modeId === undefined ? { configOptions } : {};
  }

  private hear(signal: Signal): void {
    const session = this.sessionOf(signal);
    if (session === null) return;
    if (signal.name === "chat.hil")
      void this.requests.ask(session, signal).catch((error) => this.ports.note(messageOf(error)));
    else if (signal.pid === session.pid) this.follower.hear(session, signal);
    else if (signal.name === "chat.hil_closed") this.requests.closed(session, signal);
    if (signal.name !== "process.exit") return;
    this.roots.delete(signal.pid);
    if (signal.pid === session.pid) this.forget(session);
  }

  private sessionOf({ pid, parent }: Signal): Session | null {
    const root = this.rootOf(pid) ?? (parent === null ? undefined : this.rootOf(parent));
    if (root === undefined) return null;
    if (root !== pid) this.roots.set(pid, root);
    return this.sessions.get(root) ?? null;
  }

  private rootOf(pid: string): string | undefined {
    return this.sessions.has(pid) ? pid : this.roots.get(pid);
  }

  /** Whether the process is the session's, or below it. */
  private async belongs(session: Session, pid: string): Promise<boolean> {
    if (pid === session.pid) return true;
    const { parentPid } = await this.process(pid);
    const isBelow = parentPid !== null && (await this.belongs(session, parentPid));
    if (isBelow) this.roots.set(pid, session.pid);
    return isBelow;
  }

  private async process(pid: string): Promise<ProcessInfo> {
    try {
      return await this.ports.sys.call<ProcessInfo>("proc.get", { pid });
    } catch (error) {
      if (error instanceof SysError && error.code === "ESRCH")
        throw new RpcError(ERRORS.absent, `no such session: ${pid}`);
      throw error;
    }
  }

  private async remember(params: Json, pid: string, seen: number): Promise<Session> {
    const row = await this.process(pid);
    const { workspaces } = await this.ports.sys.call<{ workspaces: readonly WorkspaceInfo[] }>("workspace.list", {});
    const cwd = typeof params.cwd === "string" ? params.cwd : undefined;
    const session = new Session(row.pid, placeOf(row, workspaces, cwd), seen);
    this.sessions.get(row.pid)?.finish();
    this.sessions.set(row.pid, session);
    await this.servers.take(session, params.mcpServers);
    return session;
  }

  private forget(session: Session): void {
    this.sessions.delete(session.pid);
    for (const [pid, root] of this.roots) if (root === session.pid) this.roots.delete(pid);
    session.finish();
  }

  private session(params: Json): Session {
    const id = textIn(params, "sessionId");
    const session = this.sessions.get(id);
    if (session === undefined) throw new RpcError(ERRORS.absent, `no such session: ${id.slice(0, 80)}`);
    return session;
  }

  private update({ pid }: Session, update: Json): void {
    this.rpc.notify("session/update", { sessionId: pid, update });
  }
}

function textIn(params: Json, name: string): string {
  const text = params[name];
  if (typeof text === "string" && text !== "") return text;
  throw new RpcError(ERRORS.params, `${name} is missing`);
}
