// Listens on the bus for hooks, only for signals that a hook needs: events of runs and messages of people. Also tells the person about new
// hooks that need a decision.

import type { HookEvent } from "../abi/hook.ts";
import { ROOT_UID } from "../abi/identity.ts";
import type { Message } from "../abi/process/message.ts";
import type { Signal } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import { signalsFor, toldOf } from "./events.ts";
import type { Hooks } from "./hooks.ts";
import type { About } from "./notices.ts";

export interface HearingPorts {
  readonly hooks: Hooks;
  readonly bus: Pick<Bus, "listen" | "wanted" | "emit">;
  /** The person of the home; null before setup. */
  readonly person: () => Promise<number | null>;
  readonly message: (pid: string, seq: number) => Promise<Message | null>;
  readonly tell: (event: HookEvent, about: About, body: object) => void;
  readonly onFault: (error: unknown) => void;
}

/** Returns the way to stop. */
export function hear(ports: HearingPorts): () => void {
  const stops = [hearOfNew(ports), hearEvents(ports)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Announces a new hook once, in a run that a client follows. */
function hearOfNew({ hooks, bus, person, onFault }: HearingPorts): () => void {
  let known: number | null = null;
  const untold = new Map<string, string>();
  const tell = ({ pid, uid, parent, at }: Signal) => {
    if (uid !== known) return;
    for (const { hook, sha256 } of hooks.fresh(uid)) if (sha256 !== null) untold.set(hook, sha256);
    if (untold.size === 0 || !bus.wanted(pid, "process.hook")) return;
    for (const [hook, sha256] of untold) {
      const text = `a new hook waits for your word: gsv hooks allow ${hook}`;
      bus.emit({ name: "process.hook", pid, uid, parent, at, hook, text });
      hooks.decide({ uid, username: "kernel" }, { hook, sha256 }, "seen").catch(onFault);
    }
    untold.clear();
  };
  const hearOne = async (signal: Signal) => {
    if (known !== null) return tell(signal);
    known = await person();
    tell(signal);
  };
  return bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["chat.start", "chat.complete"] },
    // Before the end of the run is signalled.
    hear: (signal) => void hearOne(signal).catch(onFault),
  });
}

function hearEvents(ports: HearingPorts): () => void {
  const { hooks, bus, tell, onFault } = ports;
  let deaf = () => {};
  const hearOne = (signal: Signal) => {
    const { pid, uid: ownerUid, parent, at } = signal;
    const about = { ownerUid, pid, parent, at, ...("run" in signal ? { run: signal.run } : {}) };
    for (const { event, body } of toldOf(signal)) tell(event, about, body);
    if (signal.name !== "chat.start" && signal.name !== "chat.entered") return;
    if (hooks.events.has("prompt")) void tellPrompts(ports, about, signal).catch(onFault);
  };
  hooks.onChange(() => {
    deaf();
    const { events } = hooks;
    const names = [...signalsFor(events), ...(events.has("prompt") ? ["chat.start", "chat.entered"] : [])];
    deaf =
      names.length === 0 ? () => {} : bus.listen({ uid: ROOT_UID, clientId: null, filter: { names }, hear: hearOne });
  });
  return () => deaf();
}

async function tellPrompts(
  { message, tell }: HearingPorts,
  about: About,
  signal: Extract<Signal, { readonly name: "chat.start" | "chat.entered" }>,
): Promise<void> {
  const entered = signal.name === "chat.start" ? [{ run: signal.run, seq: signal.seq }] : signal.messages;
  for (const { run, seq } of entered) {
    const found = await message(about.pid, seq);
    if (found?.role !== "user") continue;
    const { content, origin } = found;
    const from = origin?.kind === "process" ? origin.pid : origin?.kind === "client" ? "person" : "kernel";
    tell("prompt", { ...about, run: run ?? about.run ?? "" }, { text: content, from });
  }
}
