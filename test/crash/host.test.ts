// Commands of the host under a kernel that gets kill -9: they continue, and the next kernel has all of their output and exit
// status. Real kernels, real bash, without a sandbox and in the host's own.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { ShellAnswer, ShellOutput } from "../../src/syscalls/run/shell-service.ts";
import { isAlive, type TestHome, until, withHome } from "../support/home.ts";
import { machineSandbox, startedWith } from "../support/sandbox.ts";
import { oneIn, SEED } from "../support/soak.ts";

const ID = "0190a1b2-0000-7000-8000-000000000001";

/** A build that prints its progress, waits for a word, and prints its result. */
function build(home: TestHome): string {
  return `echo >> ${home.beside("begun")}; echo one; while [ ! -e ${home.beside("go")} ]; do sleep 0.02; done; echo two >&2; echo three; exit 5`;
}

/** The pids of the waiting build. */
function running(home: TestHome): number[] {
  return startedWith(home.beside("go")).filter(isAlive);
}

async function begun(home: TestHome): Promise<void> {
  await until("the build has begun", () => existsSync(home.beside("begun")));
}

async function followed(sys: Sys): Promise<{ stdout: string; stderr: string; exit: number | null }> {
  const told = { stdout: "", stderr: "" };
  for (let from = 0; ; ) {
    const page = await sys.call<ShellOutput>("shell.output", { id: ID, from, waitMs: 20_000 });
    for (const { stream, bytes } of page.pieces) told[stream] += Buffer.from(bytes, "base64").toString();
    if (page.ended) return { ...told, exit: page.exit };
    from = page.next;
  }
}

const WHOLE = { stdout: "one\nthree\n", stderr: "two\n", exit: 5 };

const real = await machineSandbox();
const ways = [
  { name: "without a sandbox", sandboxed: false },
  ...(real === null ? [] : [{ name: "in the machine's sandbox", sandboxed: true }]),
];

/** Each run tries each claim one way, the next run the other; a soak every way. */
const eachWay = (nth: number) => oneIn(ways.length, ways, SEED + nth);

const inHome = (sandboxed: boolean, work: (home: TestHome) => Promise<void>) =>
  withHome((home) => {
    home.plan = () => ({ sandboxed });
    return work(home);
  });

test.each(eachWay(0))(
  "$name, a build continues without a kernel, and the next one has its result",
  async ({ sandboxed }) => {
    await inHome(sandboxed, async (home) => {
      const sys = home.sys();
      const cwd = home.beside(".");
      const answer = await sys.call<ShellAnswer>("shell.run", {
        id: ID,
        target: "host",
        script: build(home),
        cwd,
        waitMs: 0,
      });
      expect(answer.exit).toBeNull();
      await begun(home);
      home.refuseToStart = true;
      await home.kill();
      expect(running(home)).not.toEqual([]);
      writeFileSync(home.beside("go"), "");
      await until("the build has ended", () => running(home).length === 0);
      home.refuseToStart = false;
      expect(await followed(sys)).toEqual(WHOLE);
      // The same request again is the same command.
      const again = await sys.call<ShellAnswer>("shell.run", { id: ID, target: "host", script: build(home), cwd });
      expect(again.exit).toBe(5);
      expect(readFileSync(home.beside("begun"), "utf8")).toBe("\n");
    });
  },
);

test.each(eachWay(1))(
  "$name, a follower of a build follows it through the kernel's death, and the next kernel can stop it",
  async ({ sandboxed }) => {
    await inHome(sandboxed, async (home) => {
      const following = home.gsv(["sh", "--host", ...(sandboxed ? [] : ["--no-sandbox"]), "-c", build(home)]);
      await begun(home);
      await home.kill();
      home.sys();
      await until("there is another kernel", async () => (await home.gsv(["shell", "list"])).stdout.includes("runs"));
      writeFileSync(home.beside("go"), "");
      const { status, stdout, stderr } = await following;
      expect({ status, stdout, stderr: stderr.replace(/^gsv: created.*\n/, "") }).toEqual({
        status: 5,
        stdout: WHOLE.stdout,
        stderr: WHOLE.stderr,
      });
      const sys = home.sys();
      await sys.call("shell.run", {
        id: ID,
        target: "host",
        script: `: ${home.beside("go")}; echo ready; sleep 1000 & wait`,
        cwd: "/",
        waitMs: 500,
      });
      expect(running(home)).not.toEqual([]);
      await home.kill();
      expect(await sys.call<object>("shell.stop", { id: ID })).toEqual({ stopped: true });
      expect(await followed(sys)).toEqual({ stdout: "ready\n", stderr: "", exit: 143 });
      await until("it is gone", () => running(home).length === 0);
    });
  },
);

test.each(eachWay(2))(
  "$name, an agent's approved command has its result after the kernel's death, and ran once",
  async ({ sandboxed }) => {
    await inHome(sandboxed, async (home) => {
      const command = build(home).replace("echo one", `echo ran >> ${home.beside("ran")}; echo one`);
      const script = await home.file("agent.script", [
        { calls: [{ name: "Shell", args: { target: "host", command, cwd: home.beside(".") } }] },
        { text: "so it is", repeat: 10 },
      ]);
      const sys = home.sys({ model: `script:${script}` });
      const { pid } = await sys.call<{ pid: string }>("proc.spawn", { prompt: "build it" });
      let asked: readonly Approval[] = [];
      await until("it asks", async () => {
        asked = (await sys.call<{ approvals: readonly Approval[] }>("hil.list", {})).approvals;
        return asked.length > 0;
      });
      await sys.call("hil.answer", { id: asked[0]?.id, decision: "approve" });
      await begun(home);
      await home.kill();
      writeFileSync(home.beside("go"), "");
      const { results } = await sys.call<{ results: { status: string }[] }>("proc.wait", { pids: [pid] });
      expect(results[0]).toMatchObject({ exit: 0 });
      const { messages } = await sys.call<{ messages: { role: string; content: { output?: string } }[] }>(
        "proc.history",
        { pid },
      );
      const told = messages.flatMap(({ role, content }) => (role === "toolResult" ? [content.output ?? ""] : []));
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/^one\n(?:two\nthree|three\ntwo)\n\(exit status 5\)$/);
      expect(readFileSync(home.beside("ran"), "utf8")).toBe("ran\n");
      expect(running(home)).toEqual([]);
    });
  },
);
