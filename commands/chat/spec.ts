// How `gsv chat` is typed: its flags, examples and notes.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { MODE_ALIASES, MODES } from "../../src/abi/policy.ts";
import { field } from "../../src/syscalls/define.ts";

export const CHAT = {
  name: "chat",
  summary: "Send a message and print the answer",
  input: {
    message: field.optional(field.text("the message; - reads it from stdin", { positional: true, meta: "MESSAGE" })),
    pid: field.optional(field.pid("process (default: your init)", { meta: "PID" })),
    model: field.optional(field.text("model: PROVIDER/MODEL or a short name", { longest: 300, meta: "MODEL" })),
    session: field.optional(
      field.text("session; its process is created if needed", {
        letter: "s",
        shortest: 1,
        longest: LIMITS.sessionKeyCharsMax,
        meta: "KEY",
        of: "session",
      }),
    ),
    new: field.flag("a new process for this message"),
    mode: field.optional(
      field.choice("what the process may do without asking", MODES, { aliases: MODE_ALIASES, meta: "MODE" }),
    ),
    attach: field.optional(
      field.paths("image or other file to attach; - reads file names from stdin", {
        letter: "a",
        meta: "FILE",
      }),
    ),
    as: field.optional(field.text("with --new: agent to act as", { longest: 32, meta: "AGENT", of: "agent" })),
    label: field.optional(
      field.text("with --new: label of the process", {
        shortest: 1,
        longest: LIMITS.labelCharsMax,
        line: true,
        meta: "TEXT",
      }),
    ),
    budget: field.optional(field.text("with --new: budget, such as '$2,30m,200k'", { longest: 100, meta: "BUDGET" })),
    usage: field.flag("tokens and cost on stderr"),
    output: field.optional(field.choice("output format", ["text", "json", "jsonl"], { meta: "FORM" })),
    input: field.optional(
      field.choice("format of stdin: jsonl for answers, messages and aborts", ["text", "jsonl"], {
        meta: "FORM",
      }),
    ),
    stream: field.flag("text as it arrives, also in a pipe"),
    raw: field.flag("escape sequences of the model unchanged in a pipe"),
    file: field.optional(field.text("file on this computer that contains the message", { letter: "f", meta: "FILE" })),
    noStdin: field.flag("ignore stdin"),
    stdinWait: field.optional(field.text("seconds to wait for data on stdin (default 2.5)", { meta: "SECONDS" })),
    interrupt: field.flag("abort the current run and start with this message"),
    wait: field.flag("keep waiting while the run is on hold"),
    timeout: field.optional(field.text("seconds to wait, stdin included; the run continues", { meta: "SECONDS" })),
    killOnTimeout: field.flag("with --timeout: abort the run"),
    detach: field.flag("return once the message is stored; prints the pid"),
    here: field.flag("process of this directory"),
    continue: field.flag("most recently active task", { letter: "c" }),
    plan: field.flag("read-only: same as --mode plan"),
    system: field.optional(
      field.text("with --new: instructions for every turn", { longest: LIMITS.systemCharsMax, meta: "TEXT" }),
    ),
    noTools: field.flag("with --new: no tools"),
    maxTurns: field.optional(field.int("maximum model calls per run", { min: 1, meta: "N" })),
    extract: field.optional(
      field.text("only the first code block of the answer, or the first in LANG", {
        letter: "x",
        bare: true,
        meta: "LANG",
      }),
    ),
    schema: field.optional(
      field.text("file with a JSON Schema that the answer must match", {
        meta: "FILE",
      }),
    ),
    lastMessage: field.optional(field.text("file on this computer for a copy of the answer", { meta: "FILE" })),
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
    'gsv chat -x "Write a shell loop over all .log files." > loop.sh',
    'gsv chat --schema shape.json "Which of these tests fail?" < test.log',
    'pid=$(gsv chat --new --detach "Look for stale docs.")',
    'gsv chat --json "What is running?" | tail -1',
    'gsv chat --jq .text "What is running?"',
  ],
  notes: [
    [
      "With a message and data on stdin, the data follows the message in a <stdin> block. Without",
      "a message, stdin is the message. Binary or long data is attached as a file that the agent can",
      "read, up to 25 MiB. Answers go to stdout, everything else to stderr. --json means --output jsonl;",
      "--jq alone means --output json.",
    ].join("\n"),
    [
      "With --input jsonl, stdin controls the run, one JSON object per line:",
      '{"type":"approval","id":"k3x9","decision":"allow"}, or "deny" with "message"; "always":true adds a rule, "args":{…} changes the call;',
      '{"type":"answer","id":"q7ab","text":"yes"}; {"type":"message","text":"Look at the tests, too."}, with "interrupt":true',
      'to send it now; {"type":"abort"}. After the end of stdin, nothing is answered.',
    ].join("\n"),
    [
      "Commands in a message: /reset, /compact [N], /stop, /status, /model [NAME], /think [LEVEL], /help.",
      "/think:LEVEL and /model:NAME apply to one message. To send the word itself, double the slash: //reset.",
    ].join("\n"),
    "Press ctrl-c once to abort the run, twice to quit immediately. The run continues if the terminal closes.",
    [
      "Exit status: 0 answered, 1 failed, 3 no such process, 4 missing credential, 5 needs your answer,",
      "6 limit reached, 75 unavailable, 124 timeout, 130 aborted, 141 stdout closed.",
    ].join("\n"),
  ],
} as const;
