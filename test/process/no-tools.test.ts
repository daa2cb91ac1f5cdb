// Processes with dropped capabilities: their tools and their prompt.

import { expect, test } from "bun:test";
import { TestKernel } from "../support/kernel.ts";

async function offered(home: TestKernel, args: object) {
  const pid = await home.task(args);
  await home.say("hello", { pid });
  const [request] = home.model.asked(pid);
  return { tools: (request?.tools ?? []).map(({ name }) => name), system: request?.system ?? "" };
}

test("a tool that a process may never use is not in its requests", async () => {
  await using home = await TestKernel.boot();
  const all = await offered(home, {});
  expect(all.tools).toContain("Shell");
  const narrow = await offered(home, { drop: "shell,net" });
  expect(narrow.tools).toEqual(all.tools.filter((name) => name !== "Shell" && name !== "Fetch"));
});

test("a process without any tools still answers, and gets the same prompt", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/20-me.md", content: "I live in Delft." });
  const none = await offered(home, { drop: "*", system: "Be short." });
  expect(none.tools).toEqual([]);
  expect(none.system).toContain("I live in Delft.");
  expect(none.system).toContain("Be short.");
});
