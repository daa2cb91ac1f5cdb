// `gsv proc call` and `gsv on` against a real kernel: their output, their exit status, and what agents may do with them.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";
import { typed } from "../support/kernel-io.ts";

let home: TestKernel;

beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

const gsv = (...words: string[]) => typed(home.sys, ...words);

test("proc call prints the reply; without one in time it exits 124; ps shows who waits for whom", async () => {
  const [asker, other] = [await home.task({ label: "asker" }), await home.task()];
  home.model.will(other, { text: "three files" }, { hold: true }, { hold: true });
  expect(await gsv("proc", "call", other, "How many?")).toEqual([0, "three files\n", ""]);
  const late = gsv("proc", "call", other, "And now?", "--timeout", "2m");
  await home.holding();
  home.model.will(asker, { calls: [{ name: "Call", args: { pid: other, message: "Well?", timeoutMs: 300_000 } }] });
  await home.send("Ask.", { pid: asker });
  await home.until("it waits", async () => (await home.get(asker)).waitsFor !== null);
  expect((await gsv("ps"))[1]).toMatch(new RegExp(`^${asker} .* reply of ${other}$`, "m"));
  expect((await gsv("proc", "get", asker))[1]).toContain(`waits for   reply of ${other}`);
  await home.clock.advance(120_000);
  const [exit, out, error] = await late;
  expect([exit, out]).toEqual([124, ""]);
  expect(error).toMatch(new RegExp(`^gsv: no reply of ${other} within 2 minutes \\(call [a-z0-9]{8}\\)\n$`));
  expect((await gsv("proc", "trace", asker))[1]).not.toContain("proc.send");
});

test("proc call answers with the model of the caller's environment", async () => {
  await using real = await TestKernel.boot({ realProviders: true });
  const script = `${real.directory}/answers.jsonl`;
  await Bun.write(script, '{"text":"from the script"}');
  const other = await real.task();
  const env = { GSV_MODEL: `script:${script}` };
  const sys = await real.kernel.accept({ clientId: "with-model", version: "0", cwd: "/", env });
  expect(await typed(sys, "proc", "call", other, "Well?")).toEqual([0, "from the script\n", ""]);
});

test("on adds a watch, lists it, and removes it", async () => {
  const task = await home.task();
  const added = await gsv("on", "chat.complete", "--pid", task, "--key", "audit", "--send", INIT, "It is done.");
  expect(added).toEqual([0, `audit: on chat.complete of ${task}, ${INIT}: It is done.\n`, ""]);
  expect((await gsv("on", "process.*", "--once", "--exec", "true", "--key", "x"))[1]).toBe(
    "x: on the next process.*, $ true\n",
  );
  await home.say("go", { pid: task });
  await home.until("init has it", async () => (await home.messages(INIT)).length > 0);
  expect((await gsv("on", "--list"))[1]).toMatch(
    new RegExp(`^audit +active +chat\\.complete +${task} +1 +\\S+ +\\S+ +${INIT}: It is done\\. +- +-$`, "m"),
  );
  expect(await gsv("on", "--rm", "audit")).toEqual([0, "removed audit\n", ""]);
  expect((await gsv("on", "--list"))[1]).not.toContain("audit");
});

test.each([
  [[], 2, "gsv: use one of EVENT, --list and --rm KEY"],
  [["--notify", "x"], 2, "gsv: no event named"],
  [["chat.complete", "--list"], 2, "gsv: use one of EVENT, --list and --rm KEY"],
  [["chat.finish", "--notify", "x"], 2, "gsv: no such event: chat.finish"],
  [["chat.complete", "text", "--notify", "x"], 2, "gsv: a text needs --send PID"],
  [["chat.complete", "--where", "data.status =", "--notify", "x"], 2, "gsv: --where: "],
  [["--rm", "none"], 3, "gsv: no such watch: none"],
])("on %p is refused in one line", async (words, status, line) => {
  const [exit, , error] = await gsv("on", ...words);
  expect([exit, error.split("\n")[0]]).toEqual([status, expect.stringContaining(line)]);
});

test("an agent's shell neither calls others nor watches without an approval; the card names the watch", async () => {
  const pid = await home.task();
  const shell = (command: string) => ({ calls: [{ name: "Shell", args: { command } }] });
  home.model.will(pid, shell(`gsv proc call ${INIT} hello`), shell("on chat.complete --exec true"));
  await home.send("go", { pid });
  const reasons = async (count: number) => {
    await home.until(`it asks ${count} times`, () => home.heard("chat.hil").length === count);
    const { id, about } = home.heard("chat.hil")[count - 1]!;
    await home.sys.call("hil.answer", { id, decision: "deny" });
    return about?.reasons.join("; ");
  };
  expect(await reasons(1)).toContain("sends a message to a process");
  expect(await reasons(2)).toContain("changes a watch: on chat.complete");
});
