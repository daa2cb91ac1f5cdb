// Decisions of a person, made or pending, survive every kernel.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import type { Approval, ProcessInfo } from "../../src/abi/process/process.ts";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { jsonLines, withHome } from "../support/home.ts";
import { HomeBook } from "../support/sound.ts";

test.concurrent("a process stopped in the middle of its work stays stopped through kill -9 and restart, and resumes at CONT", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [
      { delayMs: 30, calls: [{ name: "Write", args: { path: "~/w{{n}}", content: "x" } }], repeat: 3 },
      { text: "through", repeat: 10 },
    ]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go" });
    await sys.call("proc.signal", { pid, signal: "STOP" });
    const stateOf = async () => (await sys.call<ProcessInfo>("proc.get", { pid })).state;
    for (let kernel = 0; kernel < 2; kernel++) {
      await home.kill();
      expect((await home.gsv(["send", "--pid", pid, `while it is stopped ${kernel}`])).status).toBe(0);
      expect(await stateOf()).toBe("stopped");
    }
    await home.stop();
    expect((await home.ps()).find((info) => info.pid === pid)).toMatchObject({ state: "stopped", queued: 2 });
    expect((await home.gsv(["kill", "-CONT", pid])).status).toBe(0);
    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    expect([results[0]?.status, results[0]?.text]).toEqual(["ok", "through"]);
    await home.stop();
    const book = new HomeBook(home);
    expect(book.faults).toEqual([]);
    expect(
      book
        .records(pid)
        .filter((record) => record.role === "user")
        .map((record) => record.content),
    ).toEqual(["go", "while it is stopped 0", "while it is stopped 1"]);
  });
}, 30_000);

for (const [decision, outcome] of [
  ["approve", "completed"],
  ["deny", "denied"],
] as const) {
  test.concurrent(`a pending approval survives kill -9 and restart, and can be answered with ${decision} afterwards`, async () => {
    await withHome(async (home) => {
      const script = await home.file("script", [
        { calls: [{ name: "Delete", args: { path: "~/letter" } }] },
        { text: "as you wish", repeat: 10 },
      ]);
      const env = { GSV_MODEL: `script:${script}` };
      await home.gsv(["fs", "write", "~/letter", "dear all"]);
      expect((await home.gsv(["chat", "clean up"], { env })).status).toBe(5);
      const asked = jsonLines<Approval>((await home.gsv(["approvals", "--json"])).stdout);
      expect(asked.map((approval) => approval.args)).toEqual([{ path: "~/letter" }]);
      await home.kill();
      const still = jsonLines<Approval>((await home.gsv(["approvals", "--json"])).stdout);
      expect(still).toEqual(asked);
      await home.kill();
      expect((await home.gsv([decision, asked[0]?.id ?? ""])).status).toBe(0);
      expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
      const { stdout } = await home.gsv(["proc", "history", "--json"]);
      const results = jsonLines<Message>(stdout).filter((message) => message.role === "toolResult");
      expect(results.map((message) => message.content.outcome)).toEqual([outcome]);
      expect((await home.gsv(["fs", "read", "~/letter"])).status).toBe(decision === "approve" ? 3 : 0);
      expect((await home.gsv(["approvals", "--json"])).stdout).toBe("");
    });
  }, 30_000);
}
