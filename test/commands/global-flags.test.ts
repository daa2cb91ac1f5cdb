// Global flags: --jq, --quiet, --no-input, --color, --no-pager, with --user and --set. Each works the same everywhere, because no command
// handles them.

import { beforeEach, describe, expect, test } from "bun:test";
import { flagsOf } from "../../commands/args.ts";
import { GLOBAL_FLAGS } from "../../commands/global-flags.ts";
import { allCommands } from "../../commands/man/command-tree.ts";
import { COMMANDS } from "../../commands/table.ts";
import { SysError } from "../../src/abi/errno.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { LINES, listing } from "../support/listing.ts";
import { type } from "../support/shell.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

describe("--quiet", () => {
  test("prints nothing on stderr on success, and everything on failure", async () => {
    await using home = await TestKernel.boot();
    expect(await type(home, "history", "search", "hello")).toMatchObject({ status: 1, stderr: "(nothing found)\n" });
    expect((await type(home, "chat", "hello")).stderr).toContain("no model configured");
    expect(await type(home, "chat", "--quiet", "hello")).toMatchObject({ status: 0, stderr: "" });
    const failed = await type(home, "--quiet", "ps", "--loud");
    expect([failed.status, failed.stderr.split("\n")[0]]).toEqual([2, "gsv: unknown flag --loud"]);
    expect((await type(home, "approvals", "--quiet")).stderr).toBe("");
  });

  test("a closed pipe is no failure: status 141, and no message", async () => {
    io.stdout.writesMax = 0;
    io = listing(new FakeIo());
    io.stdout.writesMax = 0;
    expect(await runs(io, "ps", "--quiet", "--jq", ".pid")).toBe(141);
    expect(io.stderr.text).toBe("");
  });

  test("the context of a question is printed before it", async () => {
    io.terminal();
    const files = [{ path: "AGENTS.md", text: "Be brief." }];
    const speaking = { id: "dir_abcdef", directory: "/srv/project", trusted: false, files };
    io.fakeSys.answer("workspace.speaks", () => speaking);
    io.fakeSys.answer("workspace.trust", () => ({ ...speaking, trusted: true }));
    io.person.ask = async () => {
      expect(io.stderr.text).toContain("Be brief.");
      return "y";
    };
    expect(await runs(io, "workspace", "trust", "dir_abcdef", "--quiet")).toBe(0);
  });

  test("side effects are not reported either", async () => {
    io.fakeSys.answer("proc.list", () => {
      io.hear("gsv: created a home at /home/sam/.gsv\n");
      return { processes: LINES };
    });
    await runs(io, "ps", "--quiet");
    expect(io.stderr.text).toBe("");
    await runs(io, "ps");
    expect(io.stderr.text).toContain("created a home");
  });

  test("a command with its own --quiet keeps it", async () => {
    await using home = await TestKernel.boot();
    await type(home, "fs", "write", "~/a.txt", "hello");
    expect(await type(home, "grep", "--quiet", "hello", "~/a.txt")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(await type(home, "grep", "hello", "~/a.txt", "--jq", ".content")).toMatchObject({
      status: 0,
      stdout: "hello\n",
    });
  });
});

describe("--no-input", () => {
  const says = (of: FakeIo) => of.stderr.lines[0] ?? "";

  test("a question is not asked: status 5, with the question", async () => {
    for (const [argv, question] of [
      [["passwd"], "new password of sam"],
      [["config", "set", "ai.apiKey"], "ai.apiKey"],
      [["config", "edit"], "an editor on"],
      [["sh", "--host"], "a shell on the terminal"],
      [["chat", "-"], "text typed on the terminal"],
    ] as const) {
      io = new FakeIo().terminal(200);
      io.fakeSys.answer("system.whoami", () => ({ uid: 1000, username: "sam" }));
      io.fakeSys.answer("account.list", () => ({ accounts: [] }));
      io.fakeSys.answer("config.list", () => ({ settings: [], rows: [], changed: [] }));
      expect([argv, await runs(io, ...argv, "--no-input")]).toEqual([argv, 5]);
      expect(says(io)).toStartWith(`gsv: --no-input is set, so gsv cannot ask: ${question}`);
      expect(io.questions).toEqual([]);
    }
  });

  test("a question with a default continues", async () => {
    io.terminal();
    io.fakeSys.answer("proc.spawn", () => ({ pid: "task:abc123", workspaceId: "dir_abcdef" }));
    expect(await runs(io, "spawn", "--no-input")).toBe(0);
    expect(io.questions).toEqual([]);
    expect(io.stdout.text).toBe("task:abc123\n");
  });

  test("piped input is no question", async () => {
    io.stdin = stdinOf("pipe", ["sk-an-example-only\n"]);
    io.fakeSys.answer("config.set", () => ({ changed: [] }));
    expect(await runs(io, "config", "set", "ai.apiKey", "--no-input")).toBe(0);
    expect(io.fakeSys.asked("config.set")).toMatchObject([{ value: "sk-an-example-only" }]);
  });
});

describe("--color", () => {
  test("FORCE_COLOR, NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM decide in this order, then the terminal", () => {
    const cases: readonly (readonly [object, boolean, boolean])[] = [
      [{}, true, false],
      [{ NO_COLOR: "1" }, false, false],
      [{ NO_COLOR: "" }, true, false],
      [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, true],
      [{ NO_COLOR: "1", CLICOLOR_FORCE: "1" }, false, false],
      [{ CLICOLOR_FORCE: "1", TERM: "dumb" }, true, true],
      [{ CLICOLOR_FORCE: "0" }, true, false],
      [{ FORCE_COLOR: "0" }, true, false],
      [{ CLICOLOR: "0" }, false, false],
      [{ TERM: "dumb" }, false, false],
    ];
    for (const [env, onTerminal, inPipe] of cases)
      expect([env, wantsColour(true, env as never), wantsColour(false, env as never)]).toEqual([
        env,
        onTerminal,
        inPipe,
      ]);
  });

  const DIFF = { pid: "task:abc123", files: [{ path: "a" }], text: "+new\n", truncated: false, notKept: [] };

  test("always colors a pipe and never a terminal, whatever the environment", async () => {
    for (const [argv, env, isTTY, isColoured] of [
      [[], {}, true, true],
      [[], {}, false, false],
      [["--color", "always"], { NO_COLOR: "1" }, false, true],
      [["--color=never"], { FORCE_COLOR: "1" }, true, false],
      [["--color", "auto"], { NO_COLOR: "1" }, true, false],
      [["--color", "auto"], { CLICOLOR_FORCE: "1" }, false, true],
    ] as const) {
      io = new FakeIo();
      if (isTTY) io.terminal();
      io.env = { ...env };
      io.fakeSys.answer("proc.diff", () => DIFF);
      expect(await runs(io, "diff", ...argv)).toBe(0);
      expect([argv, env, io.stdout.text]).toEqual([argv, env, isColoured ? "\u001b[32m+new\u001b[0m\n" : "+new\n"]);
    }
  });

  test("takes only the three words", async () => {
    expect(await runs(io, "diff", "--color", "red")).toBe(2);
    expect(io.stderr.lines[0]).toBe("gsv: --color needs auto, always or never");
  });
});

describe("the pager", () => {
  test("shows every list, history and diff taller than the terminal, but not in a pipe or with --no-pager", async () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ ...LINES[0], pid: `task:aaaa${at + 10}` }));
    for (const [more, paged] of [
      [[], true],
      [["--no-pager"], false],
      [["--json"], false],
    ] as const) {
      io = new FakeIo().terminal();
      io.stdout.rows = 20;
      io.fakeSys.answer("proc.list", () => ({ processes: rows }));
      expect(await runs(io, "ps", ...more)).toBe(0);
      expect([more, io.programs.length === 1, io.stdout.text === ""]).toEqual([more, paged, paged]);
    }
    io = new FakeIo().terminal();
    io.stdout.rows = 5;
    io.fakeSys.answer("proc.diff", () => ({ files: [], notKept: [], text: "+a\n".repeat(9) }));
    await runs(io, "diff");
    expect(io.programs[0]?.stdin).toStartWith("\u001b[32m+a");
    io.stdout.isTTY = false;
    await runs(io, "diff");
    expect(io.programs).toHaveLength(1);
  });
});

describe("all of them", () => {
  test("work before and after the command, not after --, once each, with their values", async () => {
    for (const [argv, fault] of [
      [["ps", "--jq"], "--jq needs a jq program"],
      [["ps", "--user"], "--user needs an account name"],
      [["ps", "--user", "--loud"], "--user needs an account name"],
      [["ps", "--user", "a", "--user", "b"], "--user is given twice"],
      [["ps", "--quiet", "--quiet"], "--quiet is given twice"],
      [["ps", "--quiet=yes"], "--quiet takes no value"],
      [["ps", "--set"], "--set needs KEY=VALUE"],
    ] as const) {
      io = listing(new FakeIo());
      expect([argv, await runs(io, ...argv), io.stderr.lines[0]]).toEqual([argv, 2, `gsv: ${fault}`]);
    }
    io = new FakeIo();
    io.fakeSys.answer("proc.send", () => ({ pid: "init:1000", runId: "r" }));
    await runs(io, "--quiet", "send", "--", "--no-input");
    expect(io.fakeSys.asked("proc.send")).toMatchObject([{ message: "--no-input" }]);
    await runs(io, "--set", "a=1", "--set=b=2", "--user", "bob", "send", "x");
    expect([io.said, io.actedAs]).toEqual([["a=1", "b=2"], ["bob"]]);
  });

  test("leave the arguments of a script alone", async () => {
    await using home = await TestKernel.boot();
    const script = ["-c", 'echo "$@"', "name", "--quiet", "--jq", ".x", "--user", "bob"];
    expect((await type(home, "sh", ...script)).stdout).toBe("--quiet --jq .x --user bob\n");
    expect((await type(home, "--quiet", "sh", "--timeout", "3600", ...script)).stdout).toBe(
      "--quiet --jq .x --user bob\n",
    );
    expect((await type(home, "sh", "--no-input", ...script)).stdout).toBe("--quiet --jq .x --user bob\n");
    expect((await type(home, "sh", "-c", "ps --jq .pid")).stdout).toBe("init:1000\n");
    expect((await type(home, "sh", "-c", "ps --json", "--jq", ".pid")).stdout).toBe("init:1000\n");
  });

  test("are in the help, and no verb of a noun declares one of their names", async () => {
    await runs(io, "help", "topics");
    for (const name of Object.keys(GLOBAL_FLAGS)) expect(io.stdout.text).toContain(name);
    const taken = (await allCommands(COMMANDS)).flatMap(({ name, command }) =>
      [...flagsOf(command.spec.input).keys()]
        .filter((flag) => Object.hasOwn(GLOBAL_FLAGS, flag))
        .map((flag) => `${name} ${flag}`),
    );
    expect(taken).toEqual(["grep --quiet"]);
  });

  test("do not change the status of an error", async () => {
    io.fakeSys.answer("proc.list", () => {
      throw new SysError("EAGAIN", "try later");
    });
    expect(await runs(io, "ps", "--quiet", "--no-input", "--color", "never", "--jq", ".pid")).toBe(75);
    expect(io.stderr.text).toBe("gsv: try later\n");
  });
});
