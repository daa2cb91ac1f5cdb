// Environments of clients, for the runs they started. Kept in memory until the run ends. A run that another process started, or that the
// end of a child woke, uses the environment of that process. After a kernel restart there is none until the owner's next client connects.

import { SECRET_ENV } from "../../abi/config/environment.ts";
import { ROOT_UID } from "../../abi/identity.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Offer } from "../../kernel/models/model-access.ts";
import type { CallContext } from "../../syscalls/define.ts";

/** Names that a run without its client may take from the owner's next one: keys and addresses, not the choice of the model. */
const REACHES: readonly string[] = [...SECRET_ENV, "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OLLAMA_HOST"];

export class Offers {
  private readonly ofRuns = new Map<string, Offer>();
  private readonly ofProcesses = new Map<string, Offer>();
  private readonly ofOwners = new Map<number, Offer>();
  private readonly wanting = new Set<string>();

  /** True if the client brings a key, which a run may wait for. */
  made(uid: number, { env }: Offer): boolean {
    if (!SECRET_ENV.some((name) => env[name])) return false;
    this.ofOwners.set(uid, { env: reachesIn({ env }) });
    return true;
  }

  /** Environment of the caller's client, else of the calling process. */
  from({ caller, client }: Pick<CallContext, "caller" | "client">): Offer | undefined {
    if (client !== undefined) return client;
    return caller.pid === undefined ? undefined : this.ofProcesses.get(caller.pid);
  }

  bind({ pid, runId }: { readonly pid: string; readonly runId: string | null }, offer: Offer | undefined): void {
    if (offer === undefined) {
      this.bindWithoutClient(pid, runId);
      return;
    }
    const { env, flags } = offer;
    const kept = flags === undefined ? { env } : { env, flags };
    if (runId !== null) this.ofRuns.set(runId, kept);
    this.ofProcesses.set(pid, kept);
  }

  /** A message of a schedule: it has the keys of the process's last client, not its choice of a model. */
  private bindWithoutClient(pid: string, runId: string | null): void {
    const known = this.ofProcesses.get(pid);
    if (runId !== null && known !== undefined) this.ofRuns.set(runId, { env: reachesIn(known) });
  }

  /** For this run only. */
  bindRun(runId: string, { env, flags }: Offer): void {
    this.ofRuns.set(runId, flags === undefined ? { env } : { env, flags });
  }

  /**
   * The run's key was refused, or it has none: it takes the next key of its owner and keeps the rest. True if that key is there already: the
   * run goes on without its client after a crash, and the owner's next client came while it was being paused.
   */
  refused(
    { pid, runId, uid }: { readonly pid: string; readonly runId: string; readonly uid: number },
    hadKey: boolean,
  ): boolean {
    const own = this.ofRuns.get(runId) ?? this.ofProcesses.get(pid);
    const brought = this.ofOwners.get(uid);
    if (own === undefined && brought !== undefined && !hadKey) return true;
    const { env, ...rest } = this.of({ pid, runId, uid }) ?? { env: {} };
    const without = { ...rest, env: Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))) };
    this.ofRuns.set(runId, without);
    this.ofProcesses.set(pid, without);
    this.wanting.add(runId);
    if (brought !== undefined && SECRET_ENV.every((name) => brought.env[name] === env[name])) this.ofOwners.delete(uid);
    return false;
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

function reachesIn({ env }: Offer): Offer["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => REACHES.includes(name)));
}

function isSecret(name: string): boolean {
  return SECRET_ENV.some((secret) => secret === name);
}

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
