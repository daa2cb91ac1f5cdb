// The process of a session. The owner's own session is their init. Any other session gets one task at its first message: the session row is
// stored first, and the spawn request is derived from it, so repeats and crashes create no second process.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { initPid, isUuid, type RandomBytes, uuidv4, uuidv7 } from "../abi/ids.ts";
import { MAIN_AGENT, MAIN_SESSION_KEY } from "../abi/process/session.ts";
import { visibleProcess } from "../kernel/registry.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { SessionRow } from "../store/kernel/processes/sessions.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Processes } from "../syscalls/services.ts";
import type { SessionAbout } from "../syscalls/session/session-service.ts";
import { checkAgent, keyOf, nameOf, sessionNamed } from "./addresses.ts";
import { decoded, keyText, partsOf, type SessionKey } from "./keys.ts";
import { defaultPolicy } from "./renewal.ts";

export interface RoutePorts {
  readonly kernel: KernelStore;
  readonly processes: Pick<Processes, "spawn">;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export interface Routed {
  readonly session: SessionRow;
  readonly row: ProcessRow;
  readonly isNew?: boolean;
}

export interface OpenOptions {
  /** The key as written, which names the sender. */
  readonly as?: string;
  /** For a new session. */
  readonly id?: string;
  readonly about?: SessionAbout;
  readonly unattended?: boolean;
}

export class Routes {
  // Sessions start one at a time, so that two calls cannot create the same one.
  private readonly opening = new Serial();

  constructor(private readonly ports: RoutePorts) {}

  async find({ caller }: CallContext, written: string): Promise<Routed> {
    const { kernel } = this.ports;
    const session = await sessionNamed(kernel, caller, written);
    if (session.pid === null) throw withoutProcess(nameOf(session));
    return { session, row: await visibleProcess(kernel, caller, session.pid) };
  }

  open(context: CallContext, written: string, options: OpenOptions = {}): Promise<Routed> {
    return this.opening.run(() => this.opened(context, written, options));
  }

  private async opened(context: CallContext, written: string, options: OpenOptions): Promise<Routed> {
    const { kernel } = this.ports;
    const { caller } = context;
    const session = isUuid(written)
      ? await this.rowOf(caller, written, options.about)
      : await this.rowFor(caller, await keyOf(kernel, caller, written), {
          id: options.id,
          channel: options.as === undefined ? options.about?.source : partsOf(options.as)?.channel,
          sender: options.about?.sender,
          peer: peerIn(options.as ?? written),
        });
    // A killed process may still be exiting.
    const row = session.pid === null ? null : await kernel.processes.get(session.pid);
    if (row !== null && row.phase === "live") return { session, row };
    try {
      return { ...(await this.begun(context, session, options)), isNew: true };
    } catch (error) {
      // Do not keep a session that could never start.
      const [latest] = await kernel.sessions.generations(session.id, 1);
      if (latest === undefined && !isUuid(written)) await kernel.sessions.remove(session.id);
      else await kernel.sessions.change(session.id, { outcome: "error" }, this.ports.clock.now());
      throw error;
    }
  }

  private async rowFor(caller: Caller, key: SessionKey, writer: Writer): Promise<SessionRow> {
    const { kernel, clock, random } = this.ports;
    const { ownerUid } = caller;
    const now = clock.now();
    const text = keyText(key);
    const known = await kernel.sessions.byKey(ownerUid, text);
    // session.dmScope brings senders of other channels into conversations that have the key of a terminal.
    const source = text === MAIN_SESSION_KEY ? key.channel : (writer.channel ?? key.channel);
    const sender = source === "cli" ? null : senderBy(known?.sender ?? null, writer);
    if (known !== null && (known.sender !== sender || known.source !== source))
      await kernel.sessions.change(known.id, { source, sender }, now);
    if (known !== null) return { ...known, source, sender };
    await checkAgent(kernel, caller, key);
    if (text === MAIN_SESSION_KEY)
      throw new SysError("ENOENT", "this account has no init process and no session of its own", [
        "to list sessions: gsv session list",
      ]);
    const resetPolicy = await defaultPolicy(kernel, ownerUid);
    const { agentId } = key;
    const about = { key: text, agentId, source, sender, resetPolicy, createdAt: now };
    return await kernel.sessions.create({ id: writer.id ?? uuidv7(now, random), ownerUid, ...about });
  }

  /** A session by id; an unknown one is created if `about` has facts. */
  private async rowOf(caller: CallContext["caller"], id: string, about: SessionAbout = {}): Promise<SessionRow> {
    const { kernel, clock } = this.ports;
    const { source, sender, agent: agentId, project: projectId, name, workDir, initialPrompt } = about;
    const isKnown = (await kernel.sessions.get(id)) ?? (await kernel.sessions.generation(id));
    if (isKnown !== null || Object.keys(about).length === 0) {
      const session = await sessionNamed(kernel, caller, id);
      // Several senders may share a conversation: the latest one pays.
      if (sender === undefined || session.key === MAIN_SESSION_KEY) return session;
      const by = { source: source ?? session.source, sender };
      await kernel.sessions.change(session.id, by, clock.now());
      return { ...session, ...by };
    }
    const given = { source, sender, agentId, projectId, name, workDir, initialPrompt };
    const columns = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return await kernel.sessions.create({ id, ownerUid: caller.ownerUid, createdAt: clock.now(), ...columns });
  }

  private async begun(context: CallContext, session: SessionRow, { unattended }: OpenOptions): Promise<Routed> {
    const { kernel, processes, clock, random } = this.ports;
    const { id, ownerUid, workDir, projectId } = session;
    const key = session.key === null ? null : partsOf(session.key);
    const agent = key?.agentId ?? session.agentId ?? MAIN_AGENT;
    const project = projectId === null ? null : await projectOf(kernel, ownerUid, projectId);
    const label = session.name || (key === null ? null : labelOf(key));
    const [latest] = await kernel.sessions.generations(id, 1);
    const { pid } = await processes.spawn(
      { ...context, requestId: `session:${id}:${(latest?.number ?? 0) + 1}` },
      {
        profile: unattended ? "cron" : "task",
        parent: initPid(ownerUid),
        ...(label === null ? {} : { label }),
        ...(workDir === null ? {} : { cwd: workDir }),
        ...(project === null ? {} : { project }),
        ...(agent === MAIN_AGENT ? {} : { as: agent }),
      },
    );
    await kernel.sessions.attach(id, { pid, generationId: uuidv4(random), now: clock.now() });
    const now = await kernel.sessions.get(id);
    return { session: now ?? session, row: await visibleProcess(kernel, context.caller, pid) };
  }
}

function withoutProcess(name: string): SysError {
  return new SysError("ENOENT", `session ${name} has no process until its next message`, [
    `gsv chat --session ${name} "…"`,
  ]);
}

async function projectOf(kernel: KernelStore, ownerUid: number, named: string): Promise<string> {
  const project = (await kernel.projects.get(named)) ?? (await kernel.projects.byName(ownerUid, named));
  if (project !== null && project.ownerUid === ownerUid) return project.name;
  throw new SysError("ENOENT", `no such project: ${named.slice(0, 80).toWellFormed()}`, ["gsv project list"]);
}

interface Writer {
  readonly id: string | undefined;
  readonly channel: string | undefined;
  /** In the channel's spelling. */
  readonly sender: string | undefined;
  /** In the key's spelling. */
  readonly peer: string | null;
}

function senderBy(known: string | null, { sender, peer }: Pick<Writer, "sender" | "peer">): string | null {
  return sender ?? peer ?? known;
}

/** The peer without the encoding of keys. */
function peerIn(written: string): string | null {
  const at = written.lastIndexOf(":dm:");
  return at === -1 ? null : decoded(written.slice(at + 4));
}

function labelOf({ channel, peerId }: SessionKey): string {
  const peer = decoded(peerId);
  const label = channel === "cli" ? peer : `${peer} (${decoded(channel)})`;
  return label.slice(0, LIMITS.labelCharsMax).toWellFormed();
}
