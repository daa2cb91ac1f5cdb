// shell.*: bash over gsv's own files, in a worker that the kernel can end, and real bash on this computer, which outlives a kernel. Output
// of both comes in pages.

import { LIMITS } from "../../abi/config/limits.ts";
import { grantsText } from "../../abi/grants.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall, value } from "../define.ts";
import shellText from "../tools/shell.md" with { type: "text" };
import { type Execed, SHELL_SIGNALS, SHELL_TARGETS, type ShellRow, type Shells } from "./shell-service.ts";

const id = field.uuid("new id for the script");
const running = field.uuid("id of the script", { positional: true, meta: "ID" });
const BASE64_MAX = Math.ceil(LIMITS.shellStdinBytesMax / 3) * 4;

const target = field.withDefault(
  field.choice("gsv: the virtual machine; host: real bash on this computer", SHELL_TARGETS),
  "gsv",
);
const waitMs = field.optional(field.int("milliseconds to wait for the end", { min: 0, max: 600_000 }));
const timeoutMs = field.optional(field.int("time limit in milliseconds", { min: 1, max: LIMITS.shellWallMsMax }));
const network = field.flag("host: network access");
const fed = field.flag("host: takes input while it runs");

function execText({ id: name, exit, output, file, hint: said, withheld = [] }: Execed): string {
  const hint = said ?? (withheld.length === 0 ? undefined : `withheld by the sandbox: ${grantsText(withheld)}`);
  const end =
    exit === null
      ? `(still running: call Shell with id ${name} to read on, with input to type, or with signal TERM to end it)`
      : `(exit status ${exit}${hint === undefined ? "" : `; ${hint}`})`;
  const rest = file === null ? [] : [`(full output: ${file})`];
  return [...(output === "" ? [] : [output.replace(/\n$/, "")]), ...rest, end].join("\n");
}

export const shellCalls = [
  syscall({
    name: "shell.exec",
    summary: "Run a command and return its output",
    class: "keyed",
    input: {
      command: field.optional(field.text("bash command line", { longest: LIMITS.hostScriptBytesMax })),
      target,
      cwd: field.optional(field.path("working directory; on the host an absolute path")),
      timeoutMs,
      waitMs,
      network,
      fed,
      ask: field.flag("ask the person first; an approved command may delete files and change guarded ones"),
      description: field.optional(field.text("its purpose in a few words", { longest: 200 })),
      id: field.optional(field.uuid("instead of command: id of a running one")),
      input: field.optional(field.text("with id: text to type", { longest: LIMITS.shellStdinBytesMax })),
      signal: field.optional(field.choice("with id: signal to send", SHELL_SIGNALS)),
    },
    tool: { name: "Shell", repeat: "resume", description: shellText, text: execText },
    run: ({ shells }: { shells: Shells }, args, context) => shells.exec(context, args),
  }),

  syscall({
    name: "shell.run",
    summary: "Run a shell script",
    class: "keyed",
    capability: "shell.exec",
    input: {
      id,
      script: field.text("text of the script", { longest: LIMITS.shellScriptBytesMax }),
      target,
      name: field.optional(field.text("$0", { longest: 200 })),
      args: field.optional(field.words("arguments ($1 …)", { longest: LIMITS.hostScriptBytesMax })),
      cwd: field.optional(field.path("working directory (default: your home; on the host, your directory)")),
      stdin: field.optional(field.text("standard input in base64", { longest: BASE64_MAX })),
      session: field.optional(field.text("session whose state to use", { longest: 64 })),
      timeoutMs,
      waitMs,
      fed,
      network,
      bare: field.flag("host: no sandbox (people only)"),
      env: field.optional(field.words("host: NAME=value, filtered by a list", { longest: 16 * 1024 })),
    },
    run: ({ shells }: { shells: Shells }, args, context) => shells.run(context, args),
  }),

  syscall({
    name: "shell.output",
    summary: "Read more output of a script",
    class: "wait",
    capability: "shell.exec",
    input: {
      id,
      from: field.int("bytes read so far, both streams together", { min: 0 }),
      waitMs: field.withDefault(field.int("milliseconds to wait for more", { min: 0, max: 60_000 }), 0),
    },
    run: ({ shells }: { shells: Shells }, args, context) => shells.output(context, args),
  }),

  syscall({
    name: "shell.input",
    summary: "Send input to a host command",
    class: "keyed",
    once: "verb",
    capability: "shell.exec",
    input: {
      id: running,
      data: field.text("input in base64", { longest: BASE64_MAX }),
      end: field.flag("close its standard input"),
    },
    run: ({ shells }: { shells: Shells }, args, context) => shells.input(context, { ...args, end: args.end === true }),
  }),

  syscall({
    name: "shell.signal",
    summary: "Send a signal to a command's processes",
    class: "keyed",
    once: "verb",
    capability: "shell.exec",
    input: { id: running, signal: field.choice("which", SHELL_SIGNALS, { positional: true }) },
    run: ({ shells }: { shells: Shells }, args, context) => shells.signal(context, args),
  }),

  syscall({
    name: "shell.stop",
    summary: "Stop a script or host command",
    class: "keyed",
    once: "verb",
    capability: "shell.exec",
    input: { id: running },
    cli: {
      examples: ["gsv shell stop ID"],
      print: value(({ stopped }: { stopped: boolean }) => (stopped ? "asked to stop" : "already ended")),
    },
    run: ({ shells }: { shells: Shells }, args, context) => shells.stop(context, args.id),
  }),

  syscall({
    name: "shell.list",
    summary: "List running and recent scripts and commands",
    class: "wait",
    capability: "shell.exec",
    input: {},
    cli: {
      examples: ["gsv shell list"],
      print: {
        kind: "table",
        rows: ({ shells }: { shells: readonly ShellRow[] }) => shells,
        empty: "(nothing is running)",
        columns: [
          { head: "ID", cell: (row: ShellRow) => row.id },
          { head: "TARGET", cell: (row: ShellRow) => row.target },
          { head: "PID", cell: (row: ShellRow) => row.pid ?? "-" },
          { head: "EXIT", cell: (row: ShellRow) => String(row.exit ?? "runs"), align: "right" },
          { head: "AGE", since: (row: ShellRow) => row.startedAt, align: "right" },
          { head: "SCRIPT", cell: (row: ShellRow) => reveal(row.script), shrink: true },
        ],
      },
    },
    run: ({ shells }: { shells: Shells }, _args, context) => shells.list(context),
  }),
] as const;
