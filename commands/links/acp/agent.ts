// gsv as an agent for editors (Agent Client Protocol 1). A session is a process, which a terminal can open at the same
// time. Requests of its children are asked in the session that the editor knows.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { Message } from "../../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../../../src/abi/process/workspace.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Spawned, WaitResult } from "../../../src/syscalls/services.ts";
import { ERRORS, Rpc, RpcError } from "./rpc.ts";
import { type Complete, finish, newSession, type Prompt, type Session } from "./session.ts";
import {
  choicesOf,
  chunk,
  type Json,
  modesOf,
  PERMISSIONS,
  promptText,
  replayed,
  requestedCall,
  stopReason,
  toolCall,
  toolResult,
} from "./translate.ts";

export interface AgentPorts {
  readonly sys: Sys;
  readonly print: (message: Json) => void;
  /** For people: stdout is for the protocol. */
  readonly note: (text: string) => void;
}

const HISTORY_PAGE = 200;
const LIST_MAX = 200;
const ENDS_KEPT = 20;

export class AcpAgent {
  private readonly sessions = new Map<string, Session>();
  /** The session of each child. */
  private readonly roots = new Map<string, string>();
  private readonly rpc: Rpc;
  private readonly stopListening: () => void;

  constructor(private readonly ports: AgentPorts) {
    const { print, note } = ports;
    const serve = (method: string, params: Json) => this.carryOut(method, params);
    this.rpc = new Rpc({ print, note, lasts: (method) => method === "session/prompt", serve });
    this.stopListening = ports.sys.on({}, (signal) => this.hear(signal));
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

  private async carryOut(method: string, params: Json): Promise<Json> {
    const handle = Object.hasOwn(this.methods, method) ? this.methods[method] : undefined;
    if (handle === undefined) throw new RpcError(ERRORS.method, `unknown method: ${method.slice(0, 80)}`);
    return await handle(params);
  }

  private readonly methods: { readonly [method: string]: (params: Json) => Promise<Json> } = {
    initialize: async () => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      agentInfo: { name: "gsv", title: "gsv", version: await this.version() },
      authMethods: [],
    }),
    authenticate: async () => ({}),
    "session/new": (params) => this.open(params),
    "session/load": (params) => this.load(params),
    "session/resume": (params) => this.resume(params),
    "session/list": (params) => this.list(params),
    "session/prompt": (params) => this.prompt(params),
    "session/cancel": (params) => this.cancel(params),
    "session/set_mode": (params) => this.setMode(params),
    "session/close": async (params) => {
      const session = this.session(params);
      await this.cancel(params);
      this.sessions.delete(session.pid);
      finish(session);
      return {};
    },
    "session/delete": async (params) => {
      const pid = textIn(params, "sessionId");
      await this.ports.sys.call("proc.kill", { pid });
      finish(this.sessions.get(pid));
      this.sessions.delete(pid);
      return {};
    },
  };

  private async version(): Promise<string> {
    return (await this.ports.sys.call<{ version: string }>("sys.version", {})).version;
  }

  private async open(params: Json): Promise<Json> {
    const cwd = textIn(params, "cwd");
    this.noteServers(params);
    const label = cwd.split("/").filter(Boolean).at(-1) ?? "editor";
    const { pid } = await this.ports.sys.call<Spawned>("proc.spawn", { label, workspace: cwd });
    const { mode } = this.remember(await this.process(pid), cwd);
    return { sessionId: pid, modes: modesOf(mode) };
  }

  private async resume(params: Json): Promise<Json> {
    const row = await this.process(textIn(params, "sessionId"));
    this.noteServers(params);
    this.remember(row, typeof params.cwd === "string" ? params.cwd : row.cwd);
    return { modes: modesOf(row.mode) };
  }

  private async load(params: Json): Promise<Json> {
    const answer = await this.resume(params);
    const session = this.session(params);
    for (let afterSeq = 0; ; ) {
      const { messages } = await this.ports.sys.call<{ messages: readonly Message[] }>("proc.history", {
        ...{ pid: session.pid, afterSeq, limit: HISTORY_PAGE },
      });
      for (const message of messages) for (const update of replayed(message, session.cwd)) this.update(session, update);
      if (messages.length < HISTORY_PAGE) return answer;
      afterSeq = messages.at(-1)!.id;
    }
  }

  private async list({ cwd }: Json): Promise<Json> {
    const { sys } = this.ports;
    const { processes } = await sys.call<{ processes: readonly ProcessInfo[] }>("proc.list", {});
    const { workspaces } = await sys.call<{ workspaces: readonly WorkspaceInfo[] }>("workspace.list", {});
    const directories = new Map(workspaces.map(({ id, directory }) => [id, directory]));
    const sessions = processes
      .filter(({ profile }) => profile === "task")
      .map(({ pid, label, workspaceId, cwd: inside }) => ({
        ...{ sessionId: pid, title: label ?? pid },
        cwd: (workspaceId === null ? null : directories.get(workspaceId)) ?? inside,
      }));
    return { sessions: sessions.filter((each) => cwd === undefined || each.cwd === cwd).slice(-LIST_MAX) };
  }

  private async prompt(params: Json): Promise<Json> {
    const session = this.session(params);
    const { prompt } = params;
    if (!Array.isArray(prompt) || prompt.some((block) => typeof block !== "object" || block === null))
      throw new RpcError(ERRORS.params, "prompt is a list of content blocks");
    if (session.isBusy) throw new RpcError(ERRORS.request, "a prompt of this session is still running");
    const message = promptText(prompt);
    if (message.trim() === "") throw new RpcError(ERRORS.params, "the prompt is empty");
    session.isBusy = true;
    try {
      if (session.question !== null) return await this.answerQuestion(session, message);
      const { runId } = await this.ports.sys.call<{ runId: string }>("proc.send", { pid: session.pid, message });
      return await this.untilEnd(session, runId);
    } finally {
      session.isBusy = false;
    }
  }

  private untilEnd(session: Session, runId: string): Promise<Json> {
    const end = Promise.withResolvers<Json>();
    session.prompt = { runId, end, isCancelled: false };
    const known = session.ends.get(runId);
    if (known !== undefined) this.ended(session, known);
    return end.promise;
  }

  private async cancel(params: Json): Promise<Json> {
    const { pid, prompt } = this.session(params);
    if (prompt !== null) prompt.isCancelled = true;
    await this.ports.sys.call("proc.abort", { pid });
    return {};
  }

  private async setMode(params: Json): Promise<Json> {
    const { pid } = this.session(params);
    await this.ports.sys.call("proc.mode", { pid, mode: textIn(params, "modeId") });
    return {};
  }

  private hear(signal: Signal): void {
    const session = this.sessionOf(signal);
    if (session === null) return;
    if (signal.pid === session.pid) this.tell(session, signal);
    if (signal.name === "chat.hil") void this.ask(session, signal).catch((error) => this.ports.note(messageOf(error)));
  }

  private tell(session: Session, signal: Signal): void {
    if (signal.name === "chat.delta") this.streamed(session, signal.kind, signal.text);
    else if (signal.name === "chat.text") this.completed(session, signal.text, signal.thinking ?? "");
    else if (signal.name === "chat.restart") [session.sent, session.thought] = ["", ""];
    else if (signal.name === "chat.tool_call")
      this.update(session, { sessionUpdate: "tool_call", ...toolCall(signal, "in_progress", session.cwd) });
    else if (signal.name === "chat.tool_result") this.update(session, toolResult(signal));
    else if (signal.name === "process.mode")
      this.update(session, { sessionUpdate: "current_mode_update", currentModeId: signal.mode });
    else if (signal.name === "chat.complete") this.ended(session, signal);
    else if (signal.name === "process.exit") finish(session);
    else if (signal.name === "resync") void this.catchUp(session).catch((error) => this.ports.note(messageOf(error)));
    else if (signal.name === "chat.hil_closed" && signal.id === session.question) session.question = null;
  }

  /** The kernel may have been restarted: the end of the prompt may have been missed. */
  private async catchUp(session: Session): Promise<void> {
    const { prompt, pid } = session;
    if (prompt === null) return;
    const wanted = { pids: [pid], run: prompt.runId, wait: true };
    const { results } = await this.ports.sys.call<{ results: [WaitResult] }>("proc.wait", wanted);
    const [{ status, text, error }] = results;
    if (session.prompt !== prompt) return;
    if (status === "killed" || status === "none" || status === "held") finish(session);
    else {
      this.completed(session, text ?? "", "");
      this.settle(session, prompt, { status, error: error ?? status });
    }
  }

  private streamed(session: Session, kind: "text" | "thinking", text: string): void {
    if (kind === "text") session.sent += text;
    else session.thought += text;
    this.update(session, chunk(kind === "text" ? "agent_message_chunk" : "agent_thought_chunk", text));
  }

  /** Deltas may be lost: the committed text completes them. */
  private completed(session: Session, text: string, thinking: string): void {
    const rest = (whole: string, sent: string) => (whole.startsWith(sent) ? whole.slice(sent.length) : whole);
    const [thought, said] = [rest(thinking, session.thought), rest(text, session.sent)];
    [session.sent, session.thought] = ["", ""];
    if (thought !== "") this.update(session, chunk("agent_thought_chunk", thought));
    if (said !== "") this.update(session, chunk("agent_message_chunk", said));
  }

  private ended(session: Session, end: Complete): void {
    const { prompt, ends } = session;
    ends.set(end.run, end);
    if (ends.size > ENDS_KEPT) ends.delete([...ends.keys()][0] ?? "");
    if (prompt === null || (prompt.runId !== end.run && prompt.runId !== end.mergedInto)) return;
    this.settle(session, prompt, { status: end.status, error: end.error ?? end.reason });
  }

  private settle(session: Session, prompt: Prompt, { status, error }: Pick<Complete, "status"> & { error: string }) {
    session.prompt = null;
    const reason = prompt.isCancelled ? "cancelled" : stopReason(status);
    if (reason !== null) prompt.end.resolve({ stopReason: reason });
    else prompt.end.reject(new RpcError(ERRORS.internal, error));
  }

  private async ask(session: Session, hil: Extract<Signal, { readonly name: "chat.hil" }>): Promise<void> {
    const choices = hil.kind === "question" ? choicesOf(hil) : null;
    if (hil.kind === "question" && choices === null) {
      this.askText(session, hil);
      return;
    }
    const result = await this.rpc.request("session/request_permission", {
      ...{ sessionId: session.pid, toolCall: requestedCall(hil, session.cwd), options: choices ?? PERMISSIONS },
    });
    const { outcome, optionId } = (result?.outcome ?? {}) as Json;
    // Without an answer the request stays open: a terminal can answer it.
    if (outcome !== "selected") return;
    const chosen = choices?.find((each) => each.optionId === optionId);
    const answer =
      choices === null
        ? { decision: optionId === "approve" ? "approve" : "deny", hash: hil.hash }
        : { decision: "answer", text: String(chosen?.name ?? "") };
    await this.ports.sys.call("hil.answer", { id: hil.id, ...answer });
  }

  /** The protocol has no question with a free answer: the next prompt is the answer. */
  private askText(session: Session, { id, args, run }: Extract<Signal, { readonly name: "chat.hil" }>): void {
    const { question = "" } = args as { readonly question?: string };
    session.question = id;
    this.update(session, chunk("agent_message_chunk", `\n\n${question}`));
    const { prompt } = session;
    if (prompt?.runId !== run) return;
    session.prompt = null;
    prompt.end.resolve({ stopReason: "end_turn" });
  }

  private async answerQuestion(session: Session, text: string): Promise<Json> {
    const id = session.question;
    session.question = null;
    const { activeRunId } = await this.process(session.pid);
    const end = activeRunId === null ? null : this.untilEnd(session, activeRunId);
    await this.ports.sys.call("hil.answer", { id, decision: "answer", text });
    return end === null ? { stopReason: "end_turn" } : await end;
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

  private async process(pid: string): Promise<ProcessInfo> {
    try {
      return await this.ports.sys.call<ProcessInfo>("proc.get", { pid });
    } catch (error) {
      if (error instanceof SysError && error.code === "ESRCH")
        throw new RpcError(ERRORS.absent, `no such session: ${pid}`);
      throw error;
    }
  }

  private remember(row: ProcessInfo, cwd: string): ProcessInfo {
    if (!this.sessions.has(row.pid)) this.sessions.set(row.pid, newSession(row.pid, cwd));
    return row;
  }

  private session(params: Json): Session {
    const id = textIn(params, "sessionId");
    const session = this.sessions.get(id);
    if (session === undefined) throw new RpcError(ERRORS.absent, `no such session: ${id.slice(0, 80)}`);
    return session;
  }

  private noteServers({ mcpServers }: Json): void {
    if (!Array.isArray(mcpServers) || mcpServers.length === 0) return;
    const names = mcpServers.map((each) => String((each as Json | null)?.name ?? "?").slice(0, 40)).join(", ");
    this.ports.note(`MCP servers of the editor are not started: ${names}. To use one: gsv mcp add`);
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
