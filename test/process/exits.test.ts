// Every exit status, each from a real command line; each has an explanation, and no other number does.

import { expect, test } from "bun:test";
import type { Interruption } from "../../commands/command.ts";
import type { FailureClass } from "../../src/abi/stream.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish, type Typed, type } from "../support/shell.ts";

/** Asks while the model is silent, and then does this. */
async function meanwhile(home: TestKernel, happens: (name: (signal: Interruption) => void) => unknown): Promise<Typed> {
  home.model.will(INIT, { hold: true, text: "later" });
  const typing = await begin(home, ["chat", "hi"]);
  await home.holding();
  await happens(typing.interrupt);
  return await finish(home, typing);
}

/** Asks a model that fails in this way. */
function failing(home: TestKernel, failure: FailureClass): Promise<Typed> {
  // Too long to wait for.
  home.model.will(INIT, { error: { class: failure, message: `it was ${failure}`, retryAfterMs: 3_600_000 } });
  return type(home, "chat", "hi");
}

interface Exit {
  readonly does: (home: TestKernel) => Promise<Typed>;
  /** The expected output, on either stream. */
  readonly says: string;
}

const EXITS: { readonly [status: number]: readonly Exit[] } = {
  0: [
    { does: (home) => type(home, "chat", "hi"), says: "done" },
    { does: (home) => type(home, "ps"), says: INIT },
    { does: (home) => type(home, "run", "--", "hi"), says: "done" },
  ],
  1: [
    { does: (home) => failing(home, "content"), says: "the run failed: it was content" },
    { does: (home) => failing(home, "request"), says: "it was request" },
    { does: (home) => type(home, "chat", "-x", "hi"), says: "no block of code" },
    { does: (home) => type(home, "kill", INIT), says: "cannot be killed" },
  ],
  2: [
    { does: (home) => type(home, "chat", "--colour", "hi"), says: "unknown flag --colour" },
    { does: (home) => type(home, "chat"), says: "nothing to send" },
  ],
  3: [
    { does: (home) => type(home, "chat", "--pid", "task:nobody", "hi"), says: "no such process" },
    { does: (home) => type(home, "cat", "~/none"), says: "No such file" },
  ],
  4: [{ does: (home) => failing(home, "auth"), says: "it was auth" }],
  5: [
    {
      does: (home) => {
        home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
        return type(home, "chat", "hi");
      },
      says: "your answer is needed",
    },
    {
      does: async (home) => {
        await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
        return await type(home, "chat", "hi");
      },
      says: "stopped",
    },
  ],
  6: [{ does: (home) => failing(home, "quota"), says: "the run reached a limit: it was quota" }],
  75: [
    { does: (home) => failing(home, "throttle"), says: "it was throttle" },
    {
      does: (home) => {
        const outage = { error: { class: "outage", message: "nobody answers" } } as const;
        home.model.will(INIT, ...Array.from({ length: 9 }, () => outage));
        return type(home, "chat", "hi");
      },
      says: "nobody answers",
    },
  ],
  78: [
    { does: (home) => type(home, "config", "set", "no.such", "1"), says: "no such setting" },
    { does: (home) => failing(home, "config"), says: "it was config" },
  ],
  124: [
    {
      does: (home) => {
        home.model.will(INIT, { hold: true });
        return type(home, "chat", "--timeout", "2", "hi");
      },
      says: "no answer within 2 s",
    },
    {
      does: async (home) =>
        finish(home, await begin(home, ["chat", "--timeout", "2"], stdinOf("pipe", [new Promise(() => {})]))),
      says: "nothing was sent",
    },
  ],
  126: [{ does: (home) => type(home, "sh", "-c", "echo x > a; ./a"), says: "denied" }],
  127: [{ does: (home) => type(home, "sh", "-c", "nosuch"), says: "not found" }],
  129: [{ does: (home) => meanwhile(home, (interrupt) => interrupt("HUP")), says: "the run continues" }],
  130: [
    { does: (home) => meanwhile(home, (interrupt) => interrupt("INT")), says: "the run was aborted" },
    { does: (home) => meanwhile(home, () => home.sys.call("proc.abort", { pid: INIT })), says: "the run was aborted" },
  ],
  137: [
    {
      does: async (home) => {
        const pid = await home.task();
        home.model.will(pid, { hold: true });
        const typing = await begin(home, ["chat", "--pid", pid, "hi"]);
        await home.holding();
        await home.sys.call("proc.kill", { pid });
        return await finish(home, typing);
      },
      says: "killed",
    },
  ],
  141: [
    {
      does: async (home) => {
        const typing = await begin(home, ["chat", "hi"]);
        typing.stdout.writesMax = 0;
        return await finish(home, typing);
      },
      says: "",
    },
  ],
  143: [{ does: (home) => meanwhile(home, (interrupt) => interrupt("TERM")), says: "the run continues" }],
};

for (const [status, exits] of Object.entries(EXITS))
  for (const { does, says } of exits)
    test(`${status}: ${says || "in silence"}`, async () => {
      await using home = await TestKernel.boot();
      const ended = await does(home);
      expect([ended.status, ended.stdout + ended.stderr]).toEqual([Number(status), expect.stringContaining(says)]);
      // Every failure prints a message, except to a closed pipe.
      if (says !== "") expect(ended.stdout + ended.stderr).not.toBe("");
      home.model.release();
    });

test("each status is explained with advice, and no other number is", async () => {
  await using home = await TestKernel.boot();
  for (const status of Object.keys(EXITS)) {
    const { status: exit, stdout } = await type(home, "explain", "exit", status);
    expect([exit, stdout]).toEqual([0, expect.stringContaining(`Exit status ${status}:`)]);
    expect(stdout).toMatch(/gsv /);
  }
  const titles = MANUAL.flatMap(({ page, heading }) => (page === "exit-status" ? [heading] : []));
  const explained = titles.flatMap((heading) => /Exit status (\d+)/.exec(heading)?.[1] ?? []);
  expect(explained).toEqual(Object.keys(EXITS));
  expect((await type(home, "explain", "exit", "7")).status).toBe(2);
  expect((await type(home, "explain", "5")).stdout).toBe((await type(home, "explain", "exit", "5")).stdout);
  expect(await type(home, "explain", "policy")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^gsv: cannot explain/),
  });
});
