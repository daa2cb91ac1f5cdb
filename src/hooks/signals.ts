// Listens on the bus for hooks, only for signals that a hook needs: events of runs and messages of people. Also tells the person about new
// hooks that need a decision.

import type { HookEvent } from "../abi/hook.ts";
import { ROOT_UID } from "../abi/identity.ts";
import type { Message } from "../abi/process/message.ts";
import type { Signal } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import { eventsOf, signalsFor } from "./events.ts";
import type { Hooks } from "./hooks.ts";
import type { About } from "./run.ts";

export interface HookSignalPorts {
  readonly hooks: Hooks;
  readonly bus: Pick<Bus, "listen" | "wanted" | "emit">;
  /** The person of the home; null before setup. */
  readonly person: () => Promise<number | null>;
  readonly message: (pid: string, seq: number) => Promise<Message | null>;
  readonly notify: (event: HookEvent, about: About, body: object) => void;
  readonly onFault: (error: unknown) => void;
}

export function listenForHooks(ports: HookSignalPorts): () => void {
  const stops = [announceNew(ports), forwardEvents(ports)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Announces a new hook once, in a run that a client follows. */
function announceNew({ hooks, bus, person, onFault }: HookSignalPorts): () => void {
  let known: number | null = null;
  const unannounced = new Map<string, string>();
  const announce = ({ pid, uid, parent, at }: Signal) => {
    if (uid !== known) return;
    for (const { hook, sha256 } of hooks.fresh(uid)) if (sha256 !== null) unannounced.set(hook, sha256);
    if (unannounced.size === 0 || !bus.wanted(pid, "process.hook")) return;
    for (const [hook, sha256] of unannounced) {
      const text = `new hook, not allowed yet: gsv hooks allow ${hook}`;
      bus.emit({ name: "process.hook", pid, uid, parent, at, hook, text });
      hooks.decide({ uid, username: "kernel" }, { hook, sha256 }, "seen").catch(onFault);
    }
    unannounced.clear();
  };
  const onSignal = async (signal: Signal) => {
    if (known !== null) return announce(signal);
    known = await person();
    announce(signal);
  };
  return bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["chat.start", "chat.complete"] },
    // Before the end of the run is signalled.
    hear: (signal) => void onSignal(signal).catch(onFault),
  });
}

function forwardEvents(ports: HookSignalPorts): () => void {
  const { hooks, bus, notify, onFault } = ports;
  let unlisten = () => {};
  const onSignal = (signal: Signal) => {
    const { pid, uid: ownerUid, parent, at } = signal;
    const about = { ownerUid, pid, parent, at, ...("run" in signal ? { run: signal.run } : {}) };
    for (const { event, body } of eventsOf(signal)) notify(event, about, body);
    if (signal.name !== "chat.start" && signal.name !== "chat.entered") return;
    if (hooks.events.has("prompt")) void notifyPrompts(ports, about, signal).catch(onFault);
  };
  hooks.onChange(() => {
    unlisten();
    const { events } = hooks;
    const names = [...signalsFor(events), ...(events.has("prompt") ? ["chat.start", "chat.entered"] : [])];
    unlisten =
      names.length === 0 ? () => {} : bus.listen({ uid: ROOT_UID, clientId: null, filter: { names }, hear: onSignal });
  });
  return () => unlisten();
}

async function notifyPrompts(
  { message, notify }: HookSignalPorts,
  about: About,
  signal: Extract<Signal, { readonly name: "chat.start" | "chat.entered" }>,
): Promise<void> {
  const entered = signal.name === "chat.start" ? [{ run: signal.run, seq: signal.seq }] : signal.messages;
  for (const { run, seq } of entered) {
    const found = await message(about.pid, seq);
    if (found?.role !== "user") continue;
    const { content, origin } = found;
    const from = origin?.kind === "process" ? origin.pid : origin?.kind === "client" ? "person" : "kernel";
    notify("prompt", { ...about, run: run ?? about.run ?? "" }, { text: content, from });
  }
}
