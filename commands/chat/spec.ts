// How `gsv chat` is typed: its flags, examples and notes.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { MODES } from "../../src/abi/policy.ts";
import { field } from "../../src/syscalls/define.ts";

export const CHAT = {
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
        shortest: 1,
        longest: LIMITS.sessionKeyCharsMax,
        meta: "KEY",
        of: "session",
      }),
    ),
    new: field.flag("start a new process and talk to it"),
    mode: field.optional(field.choice("with --new: approval mode; else from now on", MODES, { meta: "MODE" })),
    attach: field.optional(
      field.paths("an image or another file of this machine, given with the message; - reads their names from stdin", {
        letter: "a",
        meta: "FILE",
      }),
    ),
    as: field.optional(field.text("with --new: the agent it acts as", { longest: 32, meta: "AGENT", of: "agent" })),
    label: field.optional(field.text("with --new: what it is for", { longest: LIMITS.labelCharsMax, meta: "TEXT" })),
    budget: field.optional(
      field.text("with --new: what it may use, as '$2,30m,200k'", { longest: 100, meta: "BUDGET" }),
    ),
    usage: field.flag("say on stderr what the answer used and cost"),
    output: field.optional(field.choice("form of the output", ["text", "json", "jsonl"], { meta: "FORM" })),
    input: field.optional(
      field.choice("what stdin holds: jsonl is an answer, a message or an abort a line", ["text", "jsonl"], {
        meta: "FORM",
      }),
    ),
    stream: field.flag("print the answer while it is written, also into a pipe"),
    raw: field.flag("leave escape sequences of the model in what goes into a pipe"),
    file: field.optional(field.text("the message is in this file of this machine", { letter: "f", meta: "FILE" })),
    noStdin: field.flag("do not look at stdin"),
    stdinWait: field.optional(
      field.text("how long a pipe may be silent beside a message; 2.5 when left out", { meta: "SECONDS" }),
    ),
    interrupt: field.flag("abort the current run and start with this message"),
    wait: field.flag("stay when the run is held until a person answers, a credential comes or a limit is raised"),
    timeout: field.optional(
      field.text("stop waiting after so long, for stdin too; the run goes on", { meta: "SECONDS" }),
    ),
    killOnTimeout: field.flag("with --timeout: abort the run then"),
    detach: field.flag("return when the message is stored, with the pid on stdout; the run goes on"),
    here: field.flag("talk to the process of this directory"),
    continue: field.flag("talk to the task that was active last", { letter: "c" }),
    plan: field.flag("as --mode plan: it looks, and changes nothing"),
    system: field.optional(
      field.text("with --new: what it is told at every turn", { longest: LIMITS.systemCharsMax, meta: "TEXT" }),
    ),
    noTools: field.flag("with --new: it only answers, without tools"),
    maxTurns: field.optional(field.int("how many answers of a model the run may take", { min: 1, meta: "N" })),
    extract: field.optional(
      field.text("print only the first block of code of the answer; --extract=LANG the first in a language", {
        letter: "x",
        bare: true,
        meta: "LANG",
      }),
    ),
    schema: field.optional(
      field.text("a JSON Schema: the answer is JSON that it takes, and is asked for again when it is not", {
        meta: "FILE",
      }),
    ),
    lastMessage: field.optional(field.text("a file of this machine that gets the answer, too", { meta: "FILE" })),
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
      "With a message and something on stdin, the message comes first and stdin follows in a <stdin> block; without",
      "a message stdin is the message. What is no text, or too long for a message, is given as a file that the agent can",
      "read, up to 25 MiB. Answers go to stdout, everything else to stderr. --json is --output jsonl;",
      "--jq without either is given the one result, as --output json prints it.",
    ].join("\n"),
    [
      "With --input jsonl stdin answers and steers while the run goes on, one JSON object a line:",
      '{"type":"approval","id":"k3x9","decision":"allow"}, "deny" with "message", "always":true, "args":{…} changes the call;',
      '{"type":"answer","id":"q7ab","text":"yes"}; {"type":"message","text":"Look at the tests, too."}, with "interrupt":true',
      'at once; {"type":"abort"}. At the end of stdin nobody is there to answer.',
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
