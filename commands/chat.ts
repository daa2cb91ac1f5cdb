// `gsv chat`: send one message and print the answer. Everything a script relies on is here or in what it calls:
// stdin rules in prompt, the life of the run in chat-run, output forms in chat-view and events.

import { initPid } from "../src/abi/ids.ts";
import { LIMITS } from "../src/abi/limits.ts";
import { microsOf, type Tokens, usdText } from "../src/abi/money.ts";
import { MODES, type Mode } from "../src/abi/policy.ts";
import { field } from "../src/syscalls/define.ts";
import { timeoutMs, usageError } from "./args.ts";
import { attachedFiles } from "./chat-attached.ts";
import { resultOf } from "./chat-ending.ts";
import { chatRun } from "./chat-run.ts";
import { type ChatView, jsonLinesView, jsonResultView, textView } from "./chat-view.ts";
import type { Io } from "./command.ts";
import { command, type Invocation } from "./define.ts";
import { readPrompt } from "./prompt.ts";

const spec = {
  name: "chat",
  summary: "Send a message to a process and print the answer",
  input: {
    message: field.optional(field.text("what to say; - reads it from stdin", { positional: true, meta: "MESSAGE" })),
    pid: field.optional(field.pid("talk to this process; your init when left out", { meta: "PID" })),
    model: field.optional(
      field.text("who answers: PROVIDER/MODEL, or the short name of a model", { longest: 300, meta: "MODEL" }),
    ),
    session: field.optional(
      field.text("talk to this session: its process, made where there is none", {
        letter: "s",
        longest: 300,
        meta: "KEY",
        of: "session",
      }),
    ),
    new: field.flag("start a new process and talk to it"),
    mode: field.optional(
      field.choice("with --new: how much it may do without asking; else from now on", MODES, { meta: "MODE" }),
    ),
    attach: field.optional(
      field.paths("an image or another file of this machine, given with the message; - reads their names from stdin", {
        letter: "a",
        meta: "FILE",
      }),
    ),
    label: field.optional(field.text("with --new: what it is for", { longest: LIMITS.labelCharsMax, meta: "TEXT" })),
    budget: field.optional(
      field.text("with --new: what it may use, as '$2,30m,200k'", { longest: 100, meta: "BUDGET" }),
    ),
    usage: field.flag("say on stderr what the answer used and cost"),
    output: field.optional(field.choice("form of the output", ["text", "json", "jsonl"], { meta: "FORM" })),
    input: field.optional(
      field.choice("what stdin holds: jsonl is an answer to an approval or question a line", ["text", "jsonl"], {
        meta: "FORM",
      }),
    ),
    stream: field.flag("print the answer while it is written, also into a pipe"),
    noStdin: field.flag("do not look at stdin"),
    interrupt: field.flag("end the run in flight and start with this message at once"),
    wait: field.flag("stay when the run is held until a person answers, a credential comes or a limit is raised"),
    timeout: field.optional(
      field.text("stop waiting after so long, for stdin too; the run goes on", { meta: "SECONDS" }),
    ),
    killOnTimeout: field.flag("with --timeout: abort the run then"),
  },
  examples: [
    'gsv chat "Summarise my current workspace."',
    'gsv chat --pid task:abc123 "Continue the implementation."',
    'git diff | gsv chat "Review this change."',
    'gsv chat --session agent:main:cli:dm:alice "Hello."',
    'gsv chat --new --label "docs audit" "Find stale commands in the docs."',
    `gsv chat --new --budget '$0.50' "Find stale commands in the docs."`,
    'gsv chat --model anthropic/claude-sonnet-5-5 "Explain this."',
    'gsv chat -a shot.png "What is wrong on this page?"',
    'gsv chat --json "What is running?" | tail -1',
  ],
  notes: [
    [
      "With a message and something on stdin, the message comes first and stdin follows in a <stdin> block; without",
      "a message stdin is the message. Answers go to stdout, everything else to stderr. --json is --output jsonl.",
    ].join("\n"),
    [
      "With --input jsonl stdin answers while the run goes on, one JSON object a line:",
      '{"type":"approval","id":"k3x9","decision":"allow"}, "deny" with "message", "always":true, "args":{…} changes the call;',
      '{"type":"answer","id":"q7ab","text":"yes"}. At its end nobody is there to answer.',
    ].join("\n"),
    [
      "A message that is /reset, /compact [N], /stop, /status, /model [NAME], /think [LEVEL] or /help is a command;",
      "/think:LEVEL and /model:NAME within a message are for that message. One slash more, as //reset, is the word itself.",
    ].join("\n"),
    "Ctrl-C aborts the run, twice leaves at once; closing the terminal leaves the run going.",
    [
      "Exit status: 0 answered, 1 failed, 3 no such process, 4 credential missing, 5 held until a person answers,",
      "6 a limit, 75 unavailable, 124 --timeout, 130 aborted, 141 the reader of stdout left.",
    ].join("\n"),
  ],
} as const;

export const chat = command(spec, run);

async function run({ args, json }: Invocation<typeof spec.input>, io: Io): Promise<number> {
  const output = formOf(args.output, json);
  const limitMs = timeoutMs(spec, args.timeout);
  if ([args.pid !== undefined, args.session !== undefined, args.new === true].filter(Boolean).length > 1)
    throw usageError(spec, "--pid, --session and --new exclude each other");
  for (const flag of ["label", "budget"] as const)
    if (args[flag] !== undefined && !args.new) throw usageError(spec, `--${flag} needs --new`, HINTS[flag]);
  if (args.killOnTimeout && limitMs === null) throw usageError(spec, "--kill-on-timeout needs --timeout");
  const deadline = limitMs === null ? null : { at: io.clock.mono() + limitMs, afterMs: limitMs };
  const namesOnStdin = args.attach?.includes("-") === true;
  if (namesOnStdin && (args.message === undefined || args.message === "-"))
    throw usageError(spec, "stdin names what is attached: give the message as an argument");
  const reading = readPrompt(io, {
    message: args.message,
    ignoreStdin: args.noStdin === true || namesOnStdin || args.input === "jsonl",
  });
  const prompt = limitMs === null ? await reading : await inTime(io, reading, limitMs);
  const plain = VIEWS[output](io);
  // In JSON the result says it.
  const view = args.usage && output === "text" ? withUsage(plain) : plain;
  if (prompt === "late") return await tooLate(view, limitMs ?? 0);
  if (prompt === null) throw usageError(spec, "there is nothing to send: give a message, or pipe one in");
  const pid = args.session === undefined ? args.pid : await processOf(io, args.session);
  if (args.mode !== undefined && !args.new) await setMode(io, pid, args.mode);
  if (prompt.warning !== null) await view.status(prompt.warning);
  const attached = args.attach === undefined ? [] : await attachedFiles(io, args.attach);
  return chatRun(
    io,
    {
      ...(pid === undefined ? {} : { pid }),
      attached,
      model: args.model,
      fresh: args.new ? { label: args.label, model: args.model, budget: args.budget, mode: args.mode } : null,
      message: prompt.text,
      interrupt: args.interrupt === true,
      patient: args.wait === true,
      deltas: output === "json" ? false : args.stream === true || (output === "text" && io.stdout.isTTY),
      deadline,
      killOnTimeout: args.killOnTimeout === true,
      answers: args.input === "jsonl",
    },
    view,
  );
}

/** The process of a session, which its first message makes. */
async function processOf(io: Io, session: string): Promise<string> {
  return (await io.sys().call<{ readonly pid: string }>("session.open", { key: session })).pid;
}

async function setMode(io: Io, pid: string | undefined, mode: Mode): Promise<void> {
  const { uid } = await io.sys().call<{ uid: number }>("system.whoami", {});
  await io.sys().call("proc.mode", { pid: pid ?? initPid(uid), mode });
}

const HINTS = {
  label: [],
  budget: ["gsv budget PID sets what a process may use that is there already"],
} as const;

function withUsage(view: ChatView): ChatView {
  return {
    ...view,
    async result(result) {
      await view.result(result);
      const { usage, costUsd } = result;
      if (usage !== null) await view.status(usageText(usage as Tokens, costUsd ?? 0));
    },
  };
}

function usageText({ input, output, cacheRead, cacheWrite }: Tokens, costUsd: number): string {
  const cache = cacheRead + cacheWrite === 0 ? "" : `, cache ${cacheRead} read and ${cacheWrite} written`;
  return `used ${input} tokens in, ${output} out${cache}: ${usdText(microsOf(costUsd))}`;
}

const VIEWS = { text: textView, json: jsonResultView, jsonl: jsonLinesView } as const;

function formOf(output: keyof typeof VIEWS | undefined, json: boolean): keyof typeof VIEWS {
  if (json && output === "text") throw usageError(spec, "--json and --output text exclude each other");
  return output ?? (json ? "jsonl" : "text");
}

/** Who pipes in is waited for no longer than the answer would be. */
async function inTime<T>(io: Io, reading: Promise<T>, ms: number): Promise<T | "late"> {
  const inTime = new AbortController();
  const late = io.clock.sleep(ms, inTime.signal).then(() => "late" as const);
  try {
    return await Promise.race([reading, late]);
  } finally {
    inTime.abort();
    reading.catch(() => {});
  }
}

async function tooLate(view: ChatView, ms: number): Promise<number> {
  const error = `stdin did not end within ${ms / 1000} s; nothing was sent`;
  await view.status(error);
  const nobody = { pid: null, parent: null, run: null, model: null };
  await view.result(resultOf(nobody, { status: "timeout", exit: 124, error }));
  return 124;
}
