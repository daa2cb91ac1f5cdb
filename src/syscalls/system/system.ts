// system.*: the kernel about itself. `sys.version` and `sys.drain` are frozen: every version of gsv must support them in this form, so that
// a newer binary can always take over from an older kernel.

import { LEAVE_REASONS } from "../../abi/sys.ts";
import { field, syscall, value } from "../define.ts";
import type { KernelControl } from "../services.ts";
import { bootstrapCall } from "./bootstrap.ts";

export const systemCalls = [
  syscall({
    name: "system.status",
    summary: "Show the status of the kernel",
    class: "read",
    input: {},
    run: ({ kernel }: { kernel: KernelControl }) => kernel.status(),
  }),

  syscall({
    name: "system.start",
    summary: "Start a kernel if none runs",
    // The class `wait` starts a kernel.
    class: "wait",
    capability: "system.status",
    input: {},
    run: ({ kernel }: { kernel: KernelControl }) => kernel.status(),
  }),

  syscall({
    name: "system.whoami",
    summary: "Show your gsv account",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv system whoami"],
      print: value(
        (who: { username: string; uid: number; home: string }) => `${who.username} (uid ${who.uid}, home ${who.home})`,
      ),
    },
    run: async (_services: object, _args, { caller }) => ({
      uid: caller.uid,
      gid: caller.gid,
      gids: caller.gids,
      username: caller.username,
      home: caller.home,
      cwd: caller.cwd,
      kind: caller.kind,
      pid: caller.pid ?? null,
      capabilities: caller.capabilities,
    }),
  }),
] as const;

export const sysCalls = [
  bootstrapCall,

  syscall({
    name: "sys.version",
    summary: "The kernel's version",
    class: "read",
    capability: "system.version",
    input: {},
    run: async ({ kernel }: { kernel: KernelControl }) => {
      const { version, commit, bun, pid } = await kernel.status();
      return { version, commit, bun, pid };
    },
  }),

  syscall({
    name: "sys.drain",
    summary: "Finish current work and exit",
    class: "keyed",
    once: "verb",
    by: "person",
    capability: "system.drain",
    input: { why: field.withDefault(field.choice("why", LEAVE_REASONS), "stop") },
    run: ({ kernel }: { kernel: KernelControl }, args) => kernel.drain(args.why),
  }),
] as const;
