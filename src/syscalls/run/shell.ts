// shell.*: bash over gsv's own files, in a thread that the kernel can end, and real bash on this machine, which outlives a kernel. Output of
// both comes in pieces.

import { LIMITS } from "../../abi/config/limits.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall } from "../define.ts";
import shellText from "../tools/shell.md" with { type: "text" };
import { type Execed, SHELL_SIGNALS, SHELL_TARGETS, type ShellRow, type Shells } from "./shell-service.ts";

const id = field.uuid("names the script: made anew for each");
const running = field.uuid("which one", { positional: true, meta: "ID" });
const BASE64_MAX = Math.ceil(LIMITS.shellStdinBytesMax / 3) * 4;
const silent = { hidden: true, examples: [], print: { kind: "silent" } } as const;

const target = field.withDefault(
  field.choice("where: gsv is the virtual machine, host is real bash on this one", SHELL_TARGETS),
  "gsv",
);
const waitMs = field.optional(field.int("answer after so long, although it runs on", { min: 0, max: 600_000 }));
const timeoutMs = field.optional(field.int("how long it may take", { min: 1, max: LIMITS.shellWallMsMax }));
const network = field.flag("host: let its sandbox reach the network");
const fed = field.flag("host: it is fed input while it runs");

function execText({ id: name, exit, output, file, hint }: Execed): string {
  const end =
    exit === null
      ? `(it runs on: call Shell with id ${name} to read on, with input to type, or with signal TERM to end it)`
      : `(exit status ${exit}${hint === undefined ? "" : `; ${hint}`})`;
  const rest = file === null ? [] : [`(all of it: ${file})`];
  return [...(output === "" ? [] : [output.replace(/\n$/, "")]), ...rest, end].join("\n");
}

export const shellCalls = [
  syscall({
    name: "shell.exec",
    summary: "Run a command and return what it printed",
    class: "keyed",
    once: "answer",
    input: {
      command: field.optional(field.text("what bash would get", { longest: LIMITS.hostScriptBytesMax })),
      target,
      cwd: field.optional(field.path("where it runs; on the host an absolute path of the machine")),
      timeoutMs,
      waitMs,
      network,
      fed,
      ask: field.flag(
        "ask the person first, also for what runs without: then it may delete and change what is guarded",
      ),
      description: field.optional(field.text("what it is for, in a few words", { longest: 200 })),
      id: field.optional(field.uuid("instead of a command: one that runs on")),
      input: field.optional(field.text("with id: what to type into it", { longest: LIMITS.shellStdinBytesMax })),
      signal: field.optional(field.choice("with id: what to send it", SHELL_SIGNALS)),
    },
    tool: {
      name: "Shell",
      repeat: "resume",
      description: shellText,
      text: execText,
    },
    cli: { hidden: true, examples: [], print: { kind: "value", text: execText } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.exec(context, args),
  }),

  syscall({
    name: "shell.run",
    summary: "Run a shell script, over gsv's files or on this machine",
    class: "keyed",
    once: "answer",
    capability: "shell.exec",
    input: {
      id,
      script: field.text("what sh would get", { longest: LIMITS.shellScriptBytesMax }),
      target,
      name: field.optional(field.text("$0", { longest: 200 })),
      args: field.optional(field.words("$1 and on", { longest: LIMITS.hostScriptBytesMax })),
      cwd: field.optional(field.path("where it starts; your home, on the host where you stand, when left out")),
      stdin: field.optional(field.text("what it reads, in base64", { longest: BASE64_MAX })),
      session: field.optional(field.text("lines with the same one go on from each other", { longest: 64 })),
      timeoutMs,
      waitMs,
      fed,
      network,
      bare: field.flag("host: without the sandbox; people only"),
      env: field.optional(field.words("host: NAME=value; it gets those on its list", { longest: 16 * 1024 })),
    },
    cli: { hidden: true, examples: ["gsv sh -c 'ls /proc'"], print: { kind: "silent" } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.run(context, args),
  }),

  syscall({
    name: "shell.output",
    summary: "Read on in what a script has printed",
    class: "wait",
    capability: "shell.exec",
    input: {
      id,
      from: field.int("bytes read so far, of both streams together", { min: 0 }),
      waitMs: field.withDefault(field.int("how long to wait for more", { min: 0, max: 60_000 }), 0),
    },
    cli: silent,
    run: ({ shells }: { shells: Shells }, args, context) => shells.output(context, args),
  }),

  syscall({
    name: "shell.input",
    summary: "Type into a command of the host",
    class: "keyed",
    capability: "shell.exec",
    input: {
      id: running,
      data: field.text("what it reads, in base64", { longest: BASE64_MAX }),
      end: field.flag("nothing more will come"),
    },
    cli: silent,
    run: ({ shells }: { shells: Shells }, args, context) => shells.input(context, { ...args, end: args.end === true }),
  }),

  syscall({
    name: "shell.signal",
    summary: "Send a signal to all that a command started",
    class: "keyed",
    capability: "shell.exec",
    input: { id: running, signal: field.choice("which", SHELL_SIGNALS, { positional: true }) },
    cli: { hidden: true, examples: [], print: { kind: "silent" } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.signal(context, args),
  }),

  syscall({
    name: "shell.stop",
    summary: "Stop a script, or a command of the host with all it started",
    class: "keyed",
    capability: "shell.exec",
    input: { id: running },
    cli: {
      examples: ["gsv shell stop ID"],
      print: {
        kind: "value",
        text: ({ stopped }: { stopped: boolean }) => (stopped ? "it is asked to end" : "it has ended already"),
      },
    },
    run: ({ shells }: { shells: Shells }, args, context) => shells.stop(context, args.id),
  }),

  syscall({
    name: "shell.list",
    summary: "List scripts and commands that run or have run lately",
    class: "wait",
    capability: "shell.exec",
    input: {},
    cli: {
      examples: ["gsv shell list"],
      print: {
        kind: "table",
        rows: ({ shells }: { shells: readonly ShellRow[] }) => shells,
        empty: "(nothing runs)",
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
