// The process behind an address. The owner's own is their init; any other is given one task with its first message, once, however many ask
// at the same time and wherever a kernel dies in between: the row comes first, and what makes the process is the same request each time.

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
}

export class Routes {
  // Few sessions begin in a second; one after the other they cannot meet.
  private readonly opening = new Serial();

  constructor(private readonly ports: RoutePorts) {}

  /** Only where there is a process already. */
  async find({ caller }: CallContext, written: string): Promise<Routed> {
    const { kernel } = this.ports;
    const session = await sessionNamed(kernel, caller, written);
    if (session.pid === null) throw withoutProcess(nameOf(session));
    return { session, row: await visibleProcess(kernel, caller, session.pid) };
  }

  /** The sender is taken from `as`, the key before session.dmScope led it to this one. */
  open(context: CallContext, written: string, as = written): Promise<Routed> {
    return this.opening.run(() => this.opened(context, written, as));
  }

  private async opened(context: CallContext, written: string, as: string): Promise<Routed> {
    const { kernel } = this.ports;
    const { caller } = context;
    const session = isUuid(written)
      ? await sessionNamed(kernel, caller, written)
      : await this.rowFor(caller, await keyOf(kernel, caller, written), peerIn(as));
    // A process that was killed a moment ago may still be on its way out.
    const row = session.pid === null ? null : await kernel.processes.get(session.pid);
    if (row !== null && row.phase === "live") return { session, row };
    try {
      return await this.begun(context, session);
    } catch (error) {
      // An address at which nobody can be is none.
      const [latest] = await kernel.sessions.generations(session.id, 1);
      if (latest === undefined && !isUuid(written)) await kernel.sessions.remove(session.id);
      throw error;
    }
  }

  private async rowFor(caller: Caller, key: SessionKey, peer: string | null): Promise<SessionRow> {
    const { kernel, clock, random } = this.ports;
    const { ownerUid } = caller;
    const now = clock.now();
    const text = keyText(key);
    const known = await kernel.sessions.byKey(ownerUid, text);
    const sender = key.channel === "cli" ? null : peer;
    if (known !== null && known.sender !== sender) await kernel.sessions.change(known.id, { sender }, now);
    if (known !== null) return { ...known, sender };
    await checkAgent(kernel, caller, key);
    if (text === MAIN_SESSION_KEY)
      throw new SysError("ENOENT", "this account has no init, and so no session of its own", [
        "gsv session list shows the sessions there are",
      ]);
    const resetPolicy = await defaultPolicy(kernel, ownerUid);
    const { agentId, channel: source } = key;
    const about = { key: text, agentId, source, sender, resetPolicy, createdAt: now };
    return await kernel.sessions.create({ id: uuidv7(now, random), ownerUid, ...about });
  }

  private async begun(context: CallContext, session: SessionRow): Promise<Routed> {
    const { kernel, processes, clock, random } = this.ports;
    const { id, ownerUid } = session;
    const key = session.key === null ? null : partsOf(session.key);
    if (key === null) throw withoutProcess(id);
    const [latest] = await kernel.sessions.generations(id, 1);
    const { pid } = await processes.spawn(
      { ...context, requestId: `session:${id}:${(latest?.number ?? 0) + 1}` },
      {
        profile: "task",
        label: labelOf(key),
        parent: initPid(ownerUid),
        ...(key.agentId === MAIN_AGENT ? {} : { as: key.agentId }),
      },
    );
    await kernel.sessions.attach(id, { pid, generationId: uuidv4(random), now: clock.now() });
    const now = await kernel.sessions.get(id);
    return { session: now ?? session, row: await visibleProcess(kernel, context.caller, pid) };
  }
}

function withoutProcess(name: string): SysError {
  return new SysError("ENOENT", `session ${name} has no process now: it gets one with its next message`, [
    `gsv chat --session ${name} "…"`,
  ]);
}

/** In the spelling that the key was written with: a key is folded, an address is not. */
function peerIn(written: string): string | null {
  const at = written.lastIndexOf(":dm:");
  return at === -1 ? null : decoded(written.slice(at + 4)).trim();
}

function labelOf({ channel, peerId }: SessionKey): string {
  const peer = decoded(peerId);
  const label = channel === "cli" ? peer : `${peer} (${decoded(channel)})`;
  return label.slice(0, LIMITS.labelCharsMax).toWellFormed();
}
