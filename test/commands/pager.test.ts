// Output on a terminal: lines wrapped at words, and a pager for text taller than the screen.

import { beforeEach, describe, expect, test } from "bun:test";
import { COMMANDS } from "../../commands/table.ts";
import { domains } from "../../commands/verbs.ts";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo().terminal(60);
});

function small(rows = 20): FakeIo {
  io.stdout.rows = rows;
  return io;
}

describe("lines on a terminal", () => {
  test("help, pages and usage fit the width, and wrapped commands show that they continue", async () => {
    for (const argv of [
      ["help"],
      ["proc", "--help"],
      ["chat", "--help"],
      ["wait", "--help"],
      ["man"],
      ["man", "proc", "spawn"],
      ["man", "7", "chat"],
      ["man", "syscalls"],
    ]) {
      io = new FakeIo().terminal(60);
      io.stdout.rows = 10_000;
      expect(await runs(io, ...argv)).toBe(0);
      const wide = io.stdout.lines.filter((line) => Bun.stringWidth(line) > 60);
      // Only unbreakable text: one long word, or one in quotes.
      expect(wide.filter((line) => !/^\s*\S+$|["']|\|/.test(line))).toEqual([]);
    }
  });

  test("the help of every command is one screen; in a pipe it is whole", async () => {
    const nouns = [...(await domains())].flatMap(([noun, verbs]) => [
      [noun],
      ...[...verbs].map((verb) => [noun, verb]),
    ]);
    const names = [...COMMANDS].flatMap(([name, { hidden }]) => (hidden ? [] : [[name]]));
    const tall: string[] = [];
    for (const name of [...names, ...nouns]) {
      io = new FakeIo().terminal(80);
      expect(await runs(io, ...name, "--help")).toBe(0);
      if (io.programs.length > 0 || io.stdout.lines.length > 23) tall.push(name.join(" "));
    }
    expect(tall).toEqual([]);
    io = new FakeIo().terminal(80);
    await runs(io, "chat", "--help");
    expect(io.stdout.lines.at(-1)).toMatch(/^\d+ more flags and the details: gsv man chat$/);
    io = new FakeIo();
    await runs(io, "chat", "--help");
    expect(io.stdout.text).toContain("--last-message FILE");
  });

  test("an error and its hints are wrapped at words, with an indent", async () => {
    io.terminal(30);
    io.fakeSys.answer("proc.list", () => {
      throw new SysError("EPERM", "only root may list the processes of other accounts", [
        "gsv ps lists your processes",
      ]);
    });
    expect(await runs(io, "ps")).toBe(1);
    expect(io.stderr.lines).toEqual([
      "gsv: only root may list the",
      "  processes of other accounts",
      "  gsv ps lists your processes",
    ]);
  });

  test("each stream has its own width: a pipe is never wrapped", async () => {
    io.stdout.isTTY = false;
    await runs(io, "man", "7", "processes");
    expect(io.stdout.lines.some((line) => line.length > 200)).toBe(true);
  });
});

describe("the pager", () => {
  test("it gets text taller than the screen, and stdout nothing", async () => {
    expect(await runs(small(), "man", "7", "processes")).toBe(0);
    expect(io.stdout.text).toBe("");
    expect(io.programs[0]?.argv).toEqual(["less"]);
    expect(io.programs[0]?.stdin).toStartWith("processes - ");
  });

  test("text that fits is written directly", async () => {
    await runs(small(10_000), "man", "7", "processes");
    expect(io.programs).toEqual([]);
    expect(io.stdout.text).toStartWith("processes - ");
  });

  test("help texts of commands use it too", async () => {
    await runs(small(5), "chat", "--help");
    await runs(io, "help");
    await runs(io, "kill", "--help");
    expect(io.programs).toHaveLength(3);
  });

  test("GSV_PAGER overrides PAGER; cat and an empty value mean none", async () => {
    for (const [env, wanted] of [
      [{ PAGER: "more" }, "more"],
      [{ PAGER: "more", GSV_PAGER: "less -S" }, "less -S"],
      [{ PAGER: "more", GSV_PAGER: "cat" }, undefined],
      [{ GSV_PAGER: "" }, undefined],
      [{ TERM: "dumb" }, undefined],
    ] as const) {
      io = new FakeIo().terminal(60);
      io.env = env;
      await runs(small(), "man");
      expect(io.programs[0]?.argv[2]).toBe(wanted);
      expect(io.stdout.text === "").toBe(wanted !== undefined);
    }
  });

  test("--no-pager, a pipe, and a stdin that is no terminal turn it off", async () => {
    await runs(small(), "man", "--no-pager");
    await runs(io, "--no-pager", "help");
    await runs(io, "help", "chat", "--no-pager");
    await runs(io, "chat", "--help", "--no-pager");
    io.stdout.isTTY = false;
    await runs(io, "man");
    expect(io.programs).toEqual([]);
  });

  test("it gets the variables it needs and no secret", async () => {
    io.env = { PATH: "/bin", TERM: "xterm", LESS: "-S", LC_ALL: "C", ANTHROPIC_API_KEY: "key", GSV_HOME: "/h" };
    await runs(small(), "man");
    expect(io.programs[0]?.env).toEqual({ PATH: "/bin", TERM: "xterm", LESS: "-S", LC_ALL: "C" });
    io.env = {};
    await runs(small(), "man");
    expect(io.programs[1]?.env).toEqual({ LESS: "FRX" });
  });

  test("a pager that cannot run is named, and the text is printed", async () => {
    io.programStatus = 127;
    io.env = { PAGER: "nosuch" };
    expect(await runs(small(), "man")).toBe(0);
    expect(io.stderr.text).toBe("gsv: cannot run the pager nosuch\n");
    expect(io.stdout.text).toContain("Commands (1)");
    io = new FakeIo().terminal();
    io.programStatus = 127;
    await runs(small(), "man");
    expect(io.stderr.text).toBe("");
  });

  test("ctrl-c goes to the pager, TERM ends both", async () => {
    let running = io.programs;
    io.spawn = async (program) => {
      running = [program];
      io.interrupt("INT");
      expect(program.signal.aborted).toBe(false);
      io.interrupt("TERM");
      expect(program.signal.aborted).toBe(true);
      return 143;
    };
    expect(await runs(small(), "man")).toBe(143);
    expect(running).toHaveLength(1);
    expect(io.handlesSignals).toBe(false);
  });
});
