// Sys for an unapproved script of an agent: reads, the writes that the agent may make without approval, and messages to processes that the script
// started. Deleting, ending and messages to others need the tools, which ask.

import { SysError } from "../../abi/errno.ts";
import type { CallClass, CallOptions, Sys } from "../../abi/sys.ts";

export interface GatePorts {
  readonly classOf: (call: string) => CallClass | undefined;
  /** Real path. */
  readonly locate: (path: string) => Promise<string>;
  readonly isGuarded: (path: string) => boolean;
  readonly exists: (path: string) => Promise<boolean>;
  /** A rule or the mode allows deleting and ending, except for guarded files. */
  readonly allowedByRuleOrMode?: boolean;
}

const FREE = ["proc.spawn", "proc.abort", "fs.stage", "shell.run", "shell.stop", "shell.signal", "notify.send"];
const MESSAGES = ["proc.send", "proc.ipc.send", "proc.ipc.call"];
/** Never allowed by a rule or mode. */
const NEVER_LIFTED = /^(?:config|policy|hil|account|group|sys|kernel|storage|workspace|sched|signal)\./;
/** Calls that write, with their path arguments. */
const WRITES: { readonly [call: string]: readonly string[] } = {
  "fs.write": ["path"],
  "fs.edit": ["path"],
  "fs.mkdir": ["path"],
  "fs.link": ["path"],
  "fs.setattr": ["path"],
  "fs.put": ["path"],
  "fs.rename": ["from", "to"],
};

export function gatedSys(sys: Sys, ports: GatePorts): Sys {
  const started = new Set<unknown>();
  async function check(call: string, args: { readonly [name: string]: unknown }): Promise<void> {
    const kind = ports.classOf(call);
    // Unknown calls are refused by dispatch.
    if (kind === undefined || kind === "read" || kind === "wait" || FREE.includes(call)) return;
    if (MESSAGES.includes(call) && started.has(args.pid)) return;
    const places = ports.allowedByRuleOrMode && call === "fs.delete" ? ["path"] : WRITES[call];
    if (places === undefined && ports.allowedByRuleOrMode && !NEVER_LIFTED.test(call)) return;
    if (places === undefined) throw needsApproval(MESSAGES.includes(call) ? "a message to another process" : call);
    for (const name of places) {
      const path = args[name];
      if (typeof path !== "string") continue;
      const place = await ports.locate(path);
      if (ports.isGuarded(place)) throw needsApproval(`a change to ${path}`);
      // The target would be replaced.
      if (!ports.allowedByRuleOrMode && call === "fs.rename" && name === "to" && (await ports.exists(place)))
        throw needsApproval(`replacing ${path}`);
    }
  }
  return {
    async call<T>(name: string, args: object, options?: CallOptions): Promise<T> {
      await check(name, args as { readonly [name: string]: unknown });
      const answer = await sys.call<T>(name, args, options);
      if (name === "proc.spawn") started.add((answer as { readonly pid: string }).pid);
      return answer;
    },
    on: sys.on,
    close: sys.close,
  };
}

function needsApproval(what: string): SysError {
  return new SysError("EBLOCKED", `${what} needs the user's approval, which a script cannot request`);
}
