// --jq: the output of a jq program over JSON, object by object, without an installed jq.

import { beforeEach, describe, expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { listing } from "../support/listing.ts";
import { processInfo } from "../support/process-info.ts";
import { type } from "../support/shell.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

describe("--jq", () => {
  test("prints the program's output for each object of a list, strings without quotes", async () => {
    await using home = await TestKernel.boot();
    const spawned = await type(home, "spawn", "--label", "docs audit");
    const pid = spawned.stdout.trim();
    expect((await type(home, "ps", "--jq", ".label")).stdout).toBe("init (sam)\ndocs audit\n");
    expect((await type(home, "ps", "--json", "--jq", 'select(.profile == "task") | .pid')).stdout).toBe(`${pid}\n`);
    expect((await type(home, "--jq={pid, n: (.label | length)}", "ps")).stdout).toBe(
      `{"pid":"init:1000","n":10}\n{"pid":"${pid}","n":10}\n`,
    );
    expect((await type(home, "api", "proc.list", "--jq", ".processes | length")).stdout).toBe("2\n");
    expect((await type(home, "spawn", "--label", "x", "--jq", '"kill \\(.pid)"')).stdout).toMatch(
      /^kill task:\w{6}\n$/,
    );
  });

  test("supports paths, pipes, map, keys, comparison, construction, alternatives, variables and functions", async () => {
    const programs: readonly (readonly [string, string])[] = [
      [".processes[].pid", "task:abc120\ntask:abc121\ntask:abc122\n"],
      [".processes | map(.queued) | add", "3\n"],
      [".processes[0] | {pid, label} | keys", '["label","pid"]\n'],
      ['.processes[] | select(.queued >= 1 and .label != "two").label', "three\n"],
      ["[.processes[] | {(.label): .queued}] | add", '{"one":0,"two":1,"three":2}\n'],
      ['.nothing // "none"', "none\n"],
      [".processes | sort_by(-.queued) | first.label", "three\n"],
      ["def twice: . * 2; .processes[1].queued | twice", "2\n"],
      ['.processes as [$first] | $first.label | test("^o")', "true\n"],
      [".processes[:2][] | [.pid, .queued] | @tsv", "task:abc120\t0\ntask:abc121\t1\n"],
      ["empty", ""],
    ];
    for (const [program, wanted] of programs) {
      io = listing(new FakeIo());
      expect([program, await runs(io, "api", "proc.list", "--jq", program), io.stdout.text]).toEqual([
        program,
        0,
        wanted,
      ]);
    }
  });

  test("an invalid program is refused in one line, before anything is done", async () => {
    for (const [program, why] of [
      ["(", "Unexpected token EOF"],
      [".pid | nosuch", "Unknown function: nosuch"],
      ["{", "Expected object key"],
    ] as const) {
      io = new FakeIo();
      io.fakeSys.answer("proc.kill", () => ({}));
      expect(await runs(io, "proc", "kill", "task:abc123", "--jq", program)).toBe(2);
      expect(io.stderr.lines[0]).toStartWith(`gsv: --jq: ${why}`);
      expect(io.stderr.lines).toHaveLength(2);
      expect(io.fakeSys.asked("proc.kill")).toEqual([]);
    }
  });

  test("a program that fails on its input exits 2 with the reason", async () => {
    expect(await runs(listing(io), "ps", "--jq", ".label.first")).toBe(2);
    expect(io.stderr.lines[0]).toBe('gsv: --jq: Cannot index string with string "first"');
    expect(io.stdout.text).toBe("");
    io = new FakeIo();
    expect(await runs(io, "completion", "bash", "--jq", ".x")).toBe(2);
    expect(io.stderr.lines[0]).toStartWith("gsv: --jq: ");
  });

  test("an endless program is ended, and only printed output remains", async () => {
    for (const program of ["def f: f; f", "[range(1e12)]"]) {
      io = listing(new FakeIo());
      expect(await runs(io, "ps", "--jq", program)).toBe(2);
    }
    io = listing(new FakeIo());
    io.env = { ANTHROPIC_API_KEY: "sk-an-example-only" };
    await runs(io, "ps", "--jq", "env, $ENV");
    expect(io.stdout.text).not.toContain("sk-an-example-only");
  });

  test("foreign text is inert on a terminal and unchanged in a pipe", async () => {
    for (const isTTY of [true, false]) {
      io = new FakeIo();
      io.stdout.isTTY = isTTY;
      io.fakeSys.answer("proc.list", () => ({ processes: [{ ...processInfo(), label: "x\u001b[2Jy" }] }));
      await runs(io, "ps", "--jq", ".label");
      expect(io.stdout.text.includes("\u001b")).toBe(!isTTY);
    }
  });

  test("events are filtered one by one as they arrive", async () => {
    await using home = await TestKernel.boot();
    const { stdout, status } = await type(
      home,
      "chat",
      "--json",
      "--jq",
      'select(.type == "result") | .status',
      "hello",
    );
    expect([stdout, status]).toEqual(["ok\n", 0]);
    expect((await type(home, "chat", "--output", "json", "--jq", ".type", "hello")).stdout).toBe("result\n");
  });

  test("a chat or run without an output format gives it the one result", async () => {
    await using home = await TestKernel.boot();
    for (const name of ["chat", "run"])
      expect(await type(home, name, "--jq", ".type", "--", "hello")).toMatchObject({ stdout: "result\n", status: 0 });
    expect(await type(home, "chat", "--output", "text", "--jq", ".", "hello")).toMatchObject({ status: 2 });
    expect((await type(home, "run", "--help")).stdout).not.toContain("--new:");
  });
});
