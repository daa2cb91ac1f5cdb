// `gsv kill`: sends signals as on Unix (default TERM; 0 only tests whether a process exists). Tries each process; exits as the last failure.

import { exitStatusOf } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { PROCESS_SIGNALS, type ProcessSignal, type Signalled } from "../../src/syscalls/services.ts";
import { asks, usageError } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { resolved, showHelp } from "../define.ts";
import { declared } from "../derive.ts";
import { printError } from "../io/status.ts";
import { parseCommandLine } from "../parse.ts";
import { printResult, printText } from "../print.ts";

const NUMBERS: { readonly [number: string]: ProcessSignal } = {
  "0": "0",
  "2": "INT",
  "9": "KILL",
  "15": "TERM",
  "18": "CONT",
  "19": "STOP",
};

const spec = {
  name: "kill",
  summary: "Send signals to processes",
  usage: `gsv kill [-${PROCESS_SIGNALS.join("|-")}] [-s SIGNAL] PID... [--json]`,
  input: {
    pids: field.words("the processes", { positional: true, meta: "PID...", of: "process" }),
    signal: field.optional(
      field.text("signal (default TERM)", { letter: "s", meta: "SIGNAL", longest: 16, of: "signal" }),
    ),
    list: field.flag("list signal names", { letter: "l" }),
  },
  examples: [
    "gsv kill task:abc123",
    "gsv kill -STOP task:abc123",
    "gsv kill -CONT task:abc123",
    "gsv kill -0 task:abc123",
  ],
  notes: [
    [
      "TERM ends a process at its next safe point, KILL immediately. Both archive its history. INT aborts the current",
      "run, STOP stops the process until CONT. -0 prints nothing and exits with 0 if the process exists, else 3.",
    ].join("\n"),
  ],
};

export const kill: Command = {
  spec,
  async run(args, io) {
    if (!asks(args, "--help", "-h") && asks(args, "--list", "-l")) {
      await printText(io.stdout, PROCESS_SIGNALS.filter((name) => name !== "0").join("\n"));
      return 0;
    }
    const parsed = await parseCommandLine(spec, withSignalFlag(args));
    if (parsed === "help") return showHelp(io, spec);
    const { json } = parsed;
    const values = await resolved(spec, parsed.values, io);
    const signal = signalOf(values.signal ?? "TERM");
    return onEach(io, values.pids, { json, act: (pid) => send(io, pid, signal, json) });
  },
};

interface OnEach {
  readonly json: boolean;
  readonly act: (pid: string) => Promise<void>;
}

/** Tries every process and reports failures. Returns the status of the last failure. */
export async function onEach(io: Io, pids: readonly string[], { json, act }: OnEach): Promise<number> {
  let exit = 0;
  for (const pid of pids) {
    try {
      await act(pid);
    } catch (error) {
      if (pids.length === 1) throw error;
      exit = exitStatusOf(error);
      await printError(io, error, json);
    }
  }
  return exit;
}

// A test for existence needs no kernel, so it is a read.
async function send(io: Io, pid: string, signal: ProcessSignal, json: boolean): Promise<void> {
  if (signal === "0") {
    await io.sys().call("proc.get", { pid });
    return;
  }
  const result = await io.sys().call<Signalled>("proc.signal", { pid, signal });
  await printResult(io, (await declared("proc.signal")).cli.print, result, json);
}

// -STOP, -SIGSTOP and -19 mean -s STOP. Other words stay and are refused as unknown flags.
function withSignalFlag(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.flatMap((token, index) => {
    const named = (end === -1 || index < end) && /^-(?:[A-Z]{3,8}|[a-z]{3,8}|[0-9]{1,3})$/.test(token);
    return named ? [`--signal=${token.slice(1)}`] : [token];
  });
}

function signalOf(text: string): ProcessSignal {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const signal = PROCESS_SIGNALS.find((known) => known === name) ?? NUMBERS[name];
  if (signal !== undefined) return signal;
  throw usageError(spec, `unknown signal ${text}`, [`signals: ${PROCESS_SIGNALS.join(", ")}`]);
}
