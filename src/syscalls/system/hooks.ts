// hooks.*: a person's programs that run on events. Anyone may list them. Only people may read a hook, allow it or run it.

import { LIMITS } from "../../abi/config/limits.ts";
import type { HookInfo } from "../../abi/hook.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall, value } from "../define.ts";

/** What a person sees before allowing the hook. */
export interface ShownHook extends HookInfo {
  readonly bytes: number;
  /** The first part; null for a binary file. */
  readonly text: string | null;
  /** The text is cut. */
  readonly cut: boolean;
}

/** The outcome of one run. */
export interface TriedHook {
  readonly hook: string;
  /** The event as JSON. */
  readonly event: string;
  readonly how: "exited" | "timeout" | "cut" | "not started";
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** Whether a tool call would be refused; null if the hook only listens. */
  readonly refuses: boolean | null;
}

export interface HooksService {
  list(context: CallContext): Promise<{ readonly hooks: readonly HookInfo[] }>;
  show(context: CallContext, hook: string): Promise<ShownHook>;
  /** Holds only while the hook has this checksum. */
  allow(context: CallContext, asked: { readonly hook: string; readonly sha256: string }): Promise<HookInfo>;
  deny(context: CallContext, hook: string): Promise<HookInfo>;
  /** Runs an allowed hook, with a sample event if none is given. */
  run(context: CallContext, asked: { readonly hook: string; readonly event?: string }): Promise<TriedHook>;
}

type Service = { hooks: HooksService };

const hook = field.text("name of the hook", { ...{ positional: true, longest: 200, meta: "EVENT/NAME", of: "hook" } });

function decidedText({ hook: name, state, sha256 }: HookInfo): string {
  return `${name} is ${state}${sha256 === null ? "" : ` (sha256:${sha256.slice(0, 12)})`}`;
}

function triedText({ hook: name, how, status, stdout, stderr, ms, refuses }: TriedHook): string {
  const end = how === "exited" ? `exited with status ${status}` : how === "timeout" ? "did not end in time" : how;
  const means = refuses === null ? "" : `; a tool call would ${refuses ? "be refused" : "go on"}`;
  const said = [stdout, stderr].filter((text) => text !== "");
  return [`${name} ${end} after ${ms} ms${means}`, ...said].join("\n");
}

export const hookCalls = [
  syscall({
    name: "hooks.list",
    summary: "List hooks and which of them may run",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv hooks list", "gsv hooks list --json"],
      print: {
        kind: "table",
        rows: ({ hooks }: { readonly hooks: readonly HookInfo[] }) => hooks,
        empty: "(no hooks; see: gsv man 7 hooks)",
        columns: [
          { head: "HOOK", cell: (row: HookInfo) => row.hook },
          { head: "STATE", cell: (row: HookInfo) => row.state },
          { head: "SHA256", minor: 1, cell: (row: HookInfo) => row.sha256?.slice(0, 12) ?? "-" },
          { head: "BY", minor: 2, cell: (row: HookInfo) => row.by ?? "-" },
          { head: "PATH", cell: (row: HookInfo) => reveal(row.path), shrink: "start" },
          {
            ...{ head: "WHY", below: true },
            cell: ({ why, fix }: HookInfo) => (why === null ? "" : reveal(`${why}: ${fix ?? ""}`)),
          },
        ],
      },
    },
    run: ({ hooks }: Service, _args, context) => hooks.list(context),
  }),

  syscall({
    name: "hooks.show",
    summary: "Print a hook",
    class: "wait",
    by: "person",
    input: { hook },
    cli: {
      examples: ["gsv hooks show tool-before/guard"],
      print: {
        kind: "value",
        text: ({ text, bytes }: ShownHook) => text ?? `(binary file, ${bytes} bytes)`,
        cut: ({ cut, path }: ShownHook) => (cut ? `cut: ${path} has more` : null),
      },
    },
    run: ({ hooks }: Service, args, context) => hooks.show(context, args.hook),
  }),

  syscall({
    name: "hooks.allow",
    summary: "Allow a hook to run, unchanged",
    class: "keyed",
    by: "person",
    input: { hook, sha256: field.text("checksum of the hook you read", { longest: 64, meta: "SHA256" }) },
    cli: { examples: ["gsv hooks allow tool-before/guard"], print: value(decidedText) },
    run: ({ hooks }: Service, args, context) => hooks.allow(context, args),
  }),

  syscall({
    name: "hooks.deny",
    summary: "Forbid a hook to run",
    class: "keyed",
    by: "person",
    input: { hook },
    cli: { examples: ["gsv hooks deny tool-before/guard"], print: value(decidedText) },
    run: ({ hooks }: Service, args, context) => hooks.deny(context, args.hook),
  }),

  syscall({
    name: "hooks.run",
    summary: "Run an allowed hook with your own event",
    class: "keyed",
    by: "person",
    input: {
      hook,
      event: field.text("event as JSON", {
        ...{ positional: true, longest: LIMITS.toolArgsBytesMax, stdin: true, meta: "JSON" },
      }),
    },
    cli: {
      examples: [`gsv hooks run tool-before/guard '{"tool":"Shell","args":{"command":"rm -rf build"}}'`],
      print: value(triedText),
    },
    run: ({ hooks }: Service, args, context) => hooks.run(context, args),
  }),

  syscall({
    name: "hooks.test",
    summary: "Run an allowed hook with a sample event",
    class: "keyed",
    by: "person",
    input: { hook },
    cli: { examples: ["gsv hooks test notification/call"], print: value(triedText) },
    run: ({ hooks }: Service, args, context) => hooks.run(context, args),
  }),
] as const;
