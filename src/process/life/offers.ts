// What clients said of their environment, for the runs they started: in memory only, and gone with the run. A run that another one started,
// or a process that is woken by its child, has what the process before it had. A kernel that takes a run over has nothing
// of it, but for what the owner's next client brings.

import { SECRET_ENV } from "../../abi/config/environment.ts";
import { ROOT_UID } from "../../abi/identity.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Offer } from "../../kernel/models/model-access.ts";
import type { CallContext } from "../../syscalls/define.ts";

/** What a run that lost its own client may have from its owner's next one: how to reach a server, and not which. */
const REACHES: readonly string[] = [...SECRET_ENV, "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OLLAMA_HOST"];

export class Offers {
  private readonly ofRuns = new Map<string, Offer>();
  private readonly ofProcesses = new Map<string, Offer>();
  private readonly ofOwners = new Map<number, Offer>();
  /** Runs whose own key was refused. */
  private readonly wanting = new Set<string>();

  /** A client came. Whether it has anything that somebody may wait for. */
  made(uid: number, { env }: Offer): boolean {
    const kept = Object.fromEntries(Object.entries(env).filter(([name]) => REACHES.includes(name)));
    if (!SECRET_ENV.some((name) => env[name])) return false;
    this.ofOwners.set(uid, { env: kept });
    return true;
  }

  /** What the caller has to offer: its client's own words, or those that its process goes by. */
  from({ caller, client }: Pick<CallContext, "caller" | "client">): Offer | undefined {
    if (client !== undefined) return client;
    return caller.pid === undefined ? undefined : this.ofProcesses.get(caller.pid);
  }

  bind({ pid, runId }: { readonly pid: string; readonly runId: string | null }, offer: Offer | undefined): void {
    if (offer === undefined) return;
    const { env, flags } = offer;
    const kept = flags === undefined ? { env } : { env, flags };
    if (runId !== null) this.ofRuns.set(runId, kept);
    this.ofProcesses.set(pid, kept);
  }

  /** For this run and no other of its process. */
  bindRun(runId: string, { env, flags }: Offer): void {
    this.ofRuns.set(runId, flags === undefined ? { env } : { env, flags });
  }

  /** The key a run came with will not do: the next that its owner brings is for it, and everything else it came with stays. */
  refused({ pid, runId, uid }: { readonly pid: string; readonly runId: string; readonly uid: number }): void {
    const { env, ...rest } = this.of({ pid, runId, uid }) ?? { env: {} };
    const without = { ...rest, env: Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))) };
    this.ofRuns.set(runId, without);
    this.ofProcesses.set(pid, without);
    this.wanting.add(runId);
    const brought = this.ofOwners.get(uid);
    if (brought !== undefined && SECRET_ENV.every((name) => brought.env[name] === env[name])) this.ofOwners.delete(uid);
  }

  of({ pid, runId, uid }: { readonly pid: string; readonly runId: string; readonly uid: number }): Offer | undefined {
    const own = this.ofRuns.get(runId) ?? this.ofProcesses.get(pid);
    const brought = this.ofOwners.get(uid);
    if (own === undefined || brought === undefined || !this.wanting.has(runId)) return own ?? brought;
    return { ...own, env: { ...own.env, ...brought.env } };
  }

  ended(runId: string): void {
    this.ofRuns.delete(runId);
    this.wanting.delete(runId);
  }

  gone(pid: string): void {
    this.ofProcesses.delete(pid);
  }
}

function isSecret(name: string): boolean {
  return SECRET_ENV.some((secret) => secret === name);
}

/** Offers that are forgotten when their run or process ends. */
export function offersUntilTheEnd(bus: Bus): Offers {
  const offers = new Offers();
  bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["chat.complete", "process.exit"] },
    hear(signal) {
      if (signal.name === "chat.complete") offers.ended(signal.run);
      else offers.gone(signal.pid);
    },
  });
  return offers;
}
