// A script in gsv's shell dies with its kernel: the agent gets an outcome that is unknown, not a completed call with a status.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import { until, withHome } from "../support/home.ts";

test("the result of a script during which the kernel died is unknown", async () => {
  await withHome(async (home) => {
    const begun = "echo begun > ~/begun; sleep 600";
    const script = await home.file("script", [
      { calls: [{ name: "Shell", args: { command: begun, target: "gsv" } }] },
      { text: "I look again", repeat: 10 },
    ]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go on" });
    await until("the script runs", async () =>
      sys.call("fs.stat", { path: "~/begun" }).then(
        () => true,
        () => false,
      ),
    );
    await home.kill();
    await sys.call("proc.wait", { pids: [pid] });
    const { messages } = await sys.call<{ messages: Message[] }>("proc.history", { pid });
    const [result] = messages.flatMap((each) => (each.role === "toolResult" ? [each.content] : []));
    expect(result).toMatchObject({ toolName: "Shell", isError: true, outcome: "unknown" });
    expect(result?.output).toContain("the kernel ended while this script ran; its outcome is unknown");
    expect(messages.at(-1)?.content).toMatchObject({ text: "I look again" });
  });
}, 30_000);
