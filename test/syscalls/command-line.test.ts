// Wrong command lines are refused before anything happens, with the documented status, one line that names the mistake, and hints. Never a
// stack trace, never silence.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { COMMANDS } from "../../commands/table.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { type } from "../support/shell.ts";
import { samples } from "../support/soak.ts";

const SEED = 20260104;

/** Command line, exit status, and the beginning of the line on stderr. */
const WRONG: readonly (readonly [string[], number, RegExp])[] = [
  [["proc", "list", "--uid", "--limit", "3"], 2, /^gsv: --uid needs a value/],
  [["proc", "list", "--uid", "-1"], 2, /^gsv: --uid needs a value/],
  [["proc", "list", "--uid=-1"], 2, /^gsv: --uid must be a whole number in decimal digits, not -1/],
  [["proc", "list", "--uid", "１０００"], 2, /^gsv: --uid must be a whole number/],
  [["proc", "list", "--uid", "0x3e8"], 2, /^gsv: --uid must be a whole number/],
  [["proc", "list", "--uid", "1e3"], 2, /^gsv: --uid must be a whole number/],
  [["proc", "list", "--uid", "1000 "], 2, /^gsv: --uid must be a whole number/],
  [["proc", "list", "--uid", "4294967296"], 2, /^gsv: --uid must be a whole number from 0 to 4294967294/],
  [["proc", "list", "--uid", "9007199254740993"], 2, /^gsv: --uid must be/],
  [["proc", "list", "--uid", ""], 2, /^gsv: --uid must be a whole number/],
  [["proc", "list", "--uid", "1000", "--uid", "1000"], 2, /^gsv: --uid is given twice/],
  [["proc", "list", "--uid", "0"], 1, /^gsv: only root may list the processes of uid 0/],
  [["proc", "list", "--colour"], 2, /^gsv: unknown flag --colour/],
  [["proc", "list", "--__proto__"], 2, /^gsv: unknown flag --__proto__/],
  [["proc", "list", "--constructor=1"], 2, /^gsv: unknown flag --constructor/],
  [["proc", "list", "surplus"], 2, /^gsv: unexpected argument surplus/],
  [["proc", "list", "--json=yes"], 2, /^gsv: --json takes no value/],
  [["proc", "history", "--pid"], 2, /^gsv: --pid needs a value/],
  [["proc", "history", "--pid", "nope"], 3, /^gsv: no such process: nope/],
  [["proc", "history", "--pid", "task:zzzzzz"], 3, /^gsv: no such process: task:zzzzzz/],
  [["proc", "history", "--pid", "__proto__"], 3, /^gsv: no such process: __proto__/],
  [["proc", "history", "--pid", "x".repeat(100_000)], 3, /^gsv: no such process: x{10,60}…/],
  [["proc", "history", "--pid", "a\nb\x1b[31m"], 3, /^gsv: no such process: a/],
  [["proc", "history", "--limit", "0"], 2, /^gsv: --limit must be a whole number from 1 to 500/],
  [["proc", "history", "--limit", "501"], 2, /^gsv: --limit must be a whole number from 1 to 500/],
  [["proc", "kill"], 2, /^gsv: PID is missing/],
  [["proc", "kill", INIT], 1, /^gsv: init:1000 is an init process/],
  [["proc", "kill", "--no-archive", "task:zzzzzz"], 3, /^gsv: no such process/],
  [["proc", "spawn", "--profile", "robot"], 2, /^gsv: --profile must be one of/],
  [["proc", "mode", "init:1000", "plam"], 2, /^gsv: MODE must be one of plan, ask, accept-edits, yolo, not "plam"/],
  [["proc", "spawn", "--label", "x".repeat(201)], 2, /^gsv: --label has 201 characters/],
  [["proc", "send"], 2, /^gsv: MESSAGE is missing/],
  [["proc", "send", "two", "words"], 2, /^gsv: unexpected argument words/],
  [["proc", "send", "x".repeat(262_145)], 2, /^gsv: MESSAGE has 262145 characters/],
  [["proc", "nosuch"], 2, /^gsv: unknown command: proc nosuch/],
  [["__proto__"], 2, /^gsv: unknown command: __proto__/],
  [["--loud", "ps"], 2, /^gsv: --loud must come after the command/],
  [["kill", "-FROB", INIT], 2, /^gsv: unknown signal FROB/],
  [["kill", "-9"], 2, /^gsv: PID is missing/],
  [["wait", "--timeout", "soon", INIT], 2, /^gsv: --timeout must be a time/],
  [["approve", "zz99"], 3, /^gsv: no such approval: zz99/],
  [["archive", "show", "1"], 2, /^gsv: ID must be an id like/],
  [["fs", "read", ""], 2, /^gsv: PATH must be a path/],
  [["fs", "read", "/a\0b"], 2, /^gsv: PATH contains a NUL byte/],
  [["fs", "read", `/${"x".repeat(5000)}`], 1, /^gsv: PATH is longer than 4096 bytes/],
  [["chat", "--pid", INIT, "--new", "x"], 2, /^gsv: --pid and --new cannot be combined/],
  [["chat"], 2, /^gsv: nothing to send/],
];

test("a wrong command line exits with its status, reports one line, and changes nothing", async () => {
  await using home = await TestKernel.boot();
  const found: string[] = [];
  for (const [argv, status, says] of WRONG) {
    const typed = await type(home, ...argv);
    const line = typed.stderr.split("\n")[0] ?? "";
    const shown = argv.join(" ").slice(0, 60);
    if (typed.status !== status || !says.test(line) || typed.stdout !== "")
      found.push(`${shown} → ${typed.status} ${line.slice(0, 120)}`);
    expect(line.length).toBeLessThan(300);
    expect(typed.stderr).not.toMatch(/\n {4}at |\x1b|Error:/);
  }
  expect(found).toEqual([]);
  expect(home.signals).toEqual([]);
  expect((await home.sys.call<{ processes: object[] }>("proc.list", {})).processes).toHaveLength(1);
});

test("with --json an error is one JSON object on stderr with the same message", async () => {
  await using home = await TestKernel.boot();
  const { status, stdout, stderr } = await type(home, "proc", "history", "--pid", "nope", "--json");
  expect([status, stdout]).toEqual([3, ""]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.stringify(JSON.parse(stderr))).toContain("no such process: nope");
});

test("arguments after -- are never flags, and text that looks like a flag can be sent", async () => {
  await using home = await TestKernel.boot();
  for (const message of ["--help", "-1", "--"]) {
    const { status } = await type(home, "proc", "send", "--", message);
    expect(status).toBe(0);
  }
  expect((await type(home, "proc", "send", "--pid=init:1000", "--", "--json")).status).toBe(0);
  await home.inState(INIT, "idle");
  const sent = (await home.messages(INIT))
    .filter((message) => message.role === "user")
    .map((message) => message.content);
  expect(sent).toEqual(["--help", "-1", "--", "--json"]);
});

const TOKENS = [
  ...COMMANDS.keys(),
  ...[...SYSCALLS.keys()].flatMap((name) => name.split(".")),
  ...[
    "--json",
    "--help",
    "--pid",
    "--uid",
    "--limit",
    "--label",
    "--",
    "-",
    "-s",
    "-KILL",
    "-l",
    "--pid=",
    "--limit=3",
  ],
  ...[INIT, "task:zzzzzz", "1000", "-1", "", " ", "\0", "\x1b[2J", "\u202e", "x".repeat(5000), "__proto__", "hello"],
];

test(
  "any words end in a documented status, with a message and without a stack trace",
  async () => {
    await using home = await TestKernel.boot();
    const known = new Set([0, 1, 2, 3, 4, 5, 6, 75, 78, 124, 130]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...TOKENS), { maxLength: 6 }), async (argv) => {
        // Commands that leave, wait or time out are tested elsewhere.
        fc.pre(!["kernel", "wait", "sh", "events"].some((word) => argv.includes(word)));
        const { status, stdout, stderr } = await type(home, ...argv);
        expect(known.has(status)).toBe(true);
        // A grep without a match prints nothing.
        if (status !== 0 && !argv.includes("grep")) expect(stderr).not.toBe("");
        // Into a pipe, data is raw; gsv's own messages are escaped.
        expect(stderr).not.toMatch(/\x1b|\0/);
        expect(`${stdout}${stderr}`).not.toMatch(/\n {4}at |fault inside/);
      }),
      { seed: SEED, numRuns: samples(100, 3000) },
    );
  },
  samples(20_000, 600_000),
);
