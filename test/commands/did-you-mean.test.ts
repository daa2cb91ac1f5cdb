// An unknown name: the error suggests the nearest one, and never uses it.

import { describe, expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";
import { type } from "../support/shell.ts";

/** The first hint, if it is a suggestion. */
async function guess(home: TestKernel, ...argv: string[]): Promise<string | null> {
  const { stderr, status } = await type(home, ...argv);
  expect([argv, status > 0, stderr.split("\n")[0]?.startsWith("gsv: ")]).toEqual([argv, true, true]);
  return /^ {2}did you mean (.*)$/m.exec(stderr)?.[1] ?? null;
}

/** The same with another last letter. */
function mistyped(pid: string): string {
  return pid.slice(0, -1) + (pid.endsWith("0") ? "1" : "0");
}

describe("did you mean", () => {
  test("suggests a process for a nearly right pid or label", async () => {
    await using home = await TestKernel.boot();
    const pid = (await type(home, "spawn", "--label", "docs audit")).stdout.trim();
    const shown = `${pid} (docs audit · idle)`;
    for (const argv of [
      ["kill", mistyped(pid)],
      ["send", mistyped(pid), "hello"],
      ["chat", "--pid", mistyped(pid), "hello"],
      ["wait", `--timeout=9`, mistyped(pid)],
      ["proc", "reset", `--pid=${mistyped(pid)}`],
      ["kill", "docs audti"],
      ["logs", "audit"],
    ])
      expect([argv, await guess(home, ...argv)]).toEqual([argv, shown]);
    expect(await guess(home, "caps", "init:100")).toBe(`${INIT} (init (sam) · idle)`);
    expect((await home.get(pid)).state).toBe("idle");
  });

  test("suggests nothing for an existing name with another fault", async () => {
    await using home = await TestKernel.boot();
    const { stderr } = await type(home, "config", "set", "kernel.idleMs", "1");
    expect(stderr).toStartWith("gsv: kernel.idleMs is a system setting");
    expect(stderr).not.toContain("did you mean");
    expect((await type(home, "nice", INIT, "99999")).stderr).toContain("a whole number from -20 to 19");
  });

  test("suggests agents, bundles, sessions, settings, syscalls, signals, choices, commands and flags", async () => {
    await using home = await TestKernel.boot();
    await type(home, "agent", "create", "writer");
    for (const [argv, wanted] of [
      [["spawn", "--as", "wirter"], "writer"],
      [["agent", "show", "writr"], "writer"],
      [["bundle", "show", "reseacher"], "researcher"],
      [["session", "get", "agent:main:cli:dm:mian"], "agent:main:cli:dm:main"],
      [["config", "get", "ai.modle"], "ai.model"],
      [["api", "proc.lst"], "proc.list"],
      [["kill", "-STPO", INIT], "-STOP"],
      [["kill", "-s", "STPO", INIT], "STOP"],
      [["mode", INIT, "pln"], "plan"],
      [["spawn", "--profile", "reveiw"], "review"],
      [["spwan"], "gsv spawn"],
      [["proc", "spwan"], "gsv proc spawn"],
      [["history", "serch", "x"], "gsv history search"],
      [["ps", "--lnog"], "--long"],
      [["ps", "--quite"], "--quiet"],
      [["help", "chta"], "gsv help chat"],
    ] as const)
      expect([argv, await guess(home, ...argv)]).toEqual([
        argv,
        expect.stringMatching(new RegExp(`^${wanted}(?: or |$)`)),
      ]);
  });

  test("suggests a model, by its provider or by itself", async () => {
    await using home = await TestKernel.boot({ realProviders: true });
    expect(await guess(home, "chat", "--model", "anthropc/claude-sonnet-5-5", "hello")).toBe("anthropic");
    expect(await guess(home, "chat", "--model", "claude-sonet-5-5", "hello")).toMatch(/^claude-sonnet-5-5\b/);
  });

  test("suggests nothing without a near name, for other readings, or for another account's", async () => {
    await using home = await TestKernel.boot();
    await type(home, "spawn", "--label", "docs audit");
    expect(await guess(home, "kill", "somebody-else-entirely")).toBeNull();
    expect(await guess(home, "wait", "--timeout", "soon", INIT)).toBeNull();
    expect(await guess(home, "kill", "docs audti", "--user", "root")).toBeNull();
    const { stderr } = await type(home, "agent", "show", "fridy", "--json");
    expect(JSON.parse(stderr).hints).toContain("gsv agent list shows all; gsv agent create NAME adds one");
  });
});
