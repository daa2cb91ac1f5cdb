// gsv against a model server on loopback: the reported usage adds up to the server's numbers, at the price of the model that answered.

import { expect, test } from "bun:test";
import type { UsageInfo } from "../../src/syscalls/system/spending.ts";
import { type Env, jsonLines, type TestHome } from "../support/home.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { CHAT, reply, WiredKernel, withServer } from "../support/wire-home.ts";

const DONE = reply(CHAT, { text: ["done"], usage: { input: 5, output: 1 } });

/** Keys and addresses of two providers, with one server for both. */
const bothOf = ({ server }: Pick<WiredKernel, "server">): Env => ({
  ...{ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1` },
  ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url },
});

const usage = async (home: TestHome | WiredKernel, ...args: string[]) =>
  jsonLines<UsageInfo>((await home.gsv(["usage", "--json", ...args])).stdout);

test("tool turns, caches and several models add up to the token and the millionth of a dollar, with and without a kernel", async () => {
  await withServer(async (home, server) => {
    const env = bothOf({ server });
    await home.gsv(["config", "set", "ai.prices", '{"openai/m": {"input": 1.5, "output": 6, "cacheRead": 0.15}}']);
    server.will(
      reply(CHAT, {
        calls: [{ name: "Read", json: ['{"path":"/proc/version"}'] }],
        usage: { input: 1001, output: 33 },
      }),
      reply(CHAT, { text: ["so be it"], usage: { input: 1203, output: 7, cacheRead: 1001 } }),
      reply("anthropic", { text: ["hm"], usage: { input: 100, output: 50, cacheRead: 2000, cacheWrite: 400 } }),
    );
    const { stdout } = await home.gsv(["chat", "--json", "--usage", "--model", "openai/m", "hi"], { env });
    const result = JSON.parse(stdout.trim().split("\n").at(-1)!);
    const micros = Math.round(1001 * 1.5 + 33 * 6) + Math.round(1203 * 1.5 + 1001 * 0.15 + 7 * 6);
    expect(result).toMatchObject({ costUsd: micros / 1e6, usage: { input: 2204, output: 40, cacheRead: 1001 } });
    const text = await home.gsv(["chat", "--usage", "--model", "anthropic/claude-sonnet-4-6", "hi"], { env });
    expect(text.stderr).toBe("gsv: 100 tokens in, 50 out, cache 2000 read and 400 written: $0.0032\n");
    const expected = [
      { key: "openai/m", turns: 2, input: 2204, output: 40, cacheRead: 1001, costUsd: micros / 1e6, unpriced: 0 },
      { key: "anthropic/claude-sonnet-4-6", input: 100, cacheWrite: 400, costUsd: (300 + 750 + 600 + 1500) / 1e6 },
    ];
    expect(await usage(home)).toMatchObject(expected);
    await home.kill();
    expect(await usage(home)).toMatchObject(expected);
    await home.stop();
    expect(await usage(home, "--since", "today")).toMatchObject(expected);
    const csv = (await home.gsv(["usage", "--csv", "--by", "process"])).stdout.split("\n");
    expect(csv).toEqual([
      "process,label,turns,wasted,input,output,cacheRead,cacheWrite,costUsd,unpriced,runMs",
      expect.stringMatching(/^init:1000,init \(sam\),3,0,2304,90,3001,400,0\.00\d+,0,\d+$/),
      "",
    ]);
    expect(home.processes).toEqual([]);
  }, DONE);
}, 60_000);

test("a model test counts as an answer without a process, also in the day's budget", async () => {
  await using home = await WiredKernel.boot(DONE);
  const { server } = home;
  const env = bothOf(home);
  await home.gsv(["config", "set", "ai.prices", '{"openai/*": {"input": 100000, "output": 0}}']);
  await home.gsv(["config", "set", "budget.day", "$1"]);
  server.will(reply(CHAT, { text: ["ready"], usage: { input: 9, output: 1 } }));
  expect((await home.gsv(["ai", "test", "openai/m"], { env })).status).toBe(0);
  expect(await usage(home)).toMatchObject([{ key: "openai/m", turns: 1, input: 9, output: 1, costUsd: 0.9 }]);
  expect(await usage(home, "--by", "process")).toMatchObject([{ key: "-", label: null, costUsd: 0.9 }]);
  expect((await home.gsv(["budget"])).stdout).toContain("90 %");
});

test("each attempt counts for the requested model, and a cut one with the usage reported so far", async () => {
  await using home = await WiredKernel.boot(DONE);
  const { server } = home;
  const env = bothOf(home);
  await home.gsv(["config", "set", "ai.fallback", '["openai/second"]']);
  const { type, broken, error } = WIRES.anthropic!;
  server.will({ type, body: broken("overloaded") }, error("quota"));
  const { stdout } = await home.gsv(["chat", "--model", "anthropic/claude-sonnet-4-6", "hi"], { env });
  expect(stdout).toBe("done\n");
  expect(await usage(home)).toMatchObject([
    { key: "anthropic/claude-sonnet-4-6", turns: 0, wasted: 2, input: 3, costUsd: 0.000009 },
    { key: "openai/second", turns: 1, wasted: 0, input: 5, output: 1, costUsd: 0, unpriced: 1 },
  ]);
  const { stdout: table, stderr } = await home.gsv(["usage"]);
  expect(table).toMatch(/^openai\/second .*\?$/m);
  expect(stderr).toContain("ai.prices");
});

test("a client with a used-up budget exits 6 with the command to type, which resumes the run", async () => {
  await using home = await WiredKernel.boot(DONE);
  const env = bothOf(home);
  await home.gsv(["config", "set", "ai.prices", '{"openai/*": {"input": 100000, "output": 0}}']);
  const chat = (...args: string[]) => home.gsv(["chat", "--model", "openai/m", ...args], { env });
  expect((await chat("--budget", "$1", "hi")).stderr).toContain("gsv budget PID");
  const first = await chat("--new", "--budget", "$0.60", "hi");
  const pid = /new process (\S+)/.exec(first.stderr)?.[1] ?? "";
  expect([first.status, first.stdout]).toEqual([0, "done\n"]);
  expect(first.stderr).toContain(`${pid} has used $0.50 of $0.60 (83 %)`);
  expect((await chat("--pid", pid, "again")).status).toBe(0);
  const held = await chat("--pid", pid, "and again");
  expect([held.status, held.stdout]).toEqual([6, ""]);
  expect(held.stderr).toContain(`raise it: gsv budget ${pid} '+$1'`);
  expect((await home.gsv(["budget", pid, "+$1"])).stdout).toBe(`${pid} may use $1.60 ($1.00 of $1.60 so far)\n`);
  expect((await home.gsv(["wait", pid])).status).toBe(0);
  expect((await home.gsv(["budget"])).stdout).toMatch(new RegExp(`^${pid} +93 % +\\$1.50 of \\$1.60`, "m"));
});
