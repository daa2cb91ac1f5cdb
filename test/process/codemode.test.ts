// The tool CodeMode: the calls of a block are calls of the agent, stored, judged and approved one by one. A block that waited for approval
// or for the next kernel continues, with no call done twice.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import { Desk, why } from "../support/desk.ts";
import { INIT } from "../support/kernel.ts";

const desk = () => Desk.at({ cwd: "/somewhere" });

test("a block makes many calls in one, all in the process's log, and the model gets only its result", async () => {
  await using at = await desk();
  const code = `
    for (const name of args.names) await fs.write("~/" + name, name + " one\\n");
    await fs.edit("~/a", "one", "two");
    const { matches } = await fs.search("one", "~");
    const { output, exit } = await shell("cat /home/sam/a");
    console.log(output.trim(), exit);
    return matches.map(({ path, line }) => path + ":" + line);`;
  const told = await at.calls("CodeMode", { code, args: { names: ["a", "b", "c"] } });
  expect(told).toBe('a two 0\n[\n "/home/sam/b:1",\n "/home/sam/c:1"\n]');
  const { rows } = await at.home.sys.call<{ rows: { call: string }[] }>("proc.trace", { pid: INIT });
  const named = rows.map(({ call }) => call).filter((call) => !/^(?:proc|llm)\./.test(call));
  expect(named.sort()).toEqual(
    ["codemode.exec", "fs.edit", "fs.search", "fs.write", "fs.write", "fs.write", "shell.exec"].sort(),
  );
  expect((await at.home.outline(INIT)).filter((line) => line.startsWith("CodeMode"))).toEqual(["CodeMode: completed"]);
  expect(at.home.heard("chat.tool_call").map(({ tool }) => tool)).toEqual(["CodeMode"]);
});

const DELETES = `
  const before = await fs.read("~/count");
  await fs.write("~/count", String(Number(before.content) + 1));
  const chance = Math.random();
  const gone = [];
  for (const path of ["~/a", "~/b"]) {
    try { gone.push((await fs.delete(path)).path); } catch (error) { gone.push(error.message); }
  }
  return [before.content, gone, chance === Math.random()];`;

async function withFiles(at: Desk): Promise<void> {
  for (const [path, content] of Object.entries({ "~/count": "0", "~/a": "a", "~/b": "b" }))
    await at.home.sys.call("fs.write", { path, content });
}

async function content(at: Desk, path: string): Promise<string> {
  return (await at.home.sys.call<{ content: string }>("fs.read", { path })).content;
}

test("a call of a block that needs approval asks, and the block continues with no call done twice", async () => {
  await using at = await desk();
  await withFiles(at);
  const first = (await at.calls("CodeMode", { code: DELETES })) as Approval;
  expect(why(first)).toBe("delete /home/sam/a");
  expect(first).toMatchObject({ tool: "Delete", call: "fs.delete", args: { path: "~/a" } });
  expect((await at.home.get(INIT)).state).toBe("waiting_hil");
  await at.home.sys.call("hil.answer", { id: first.id, decision: "approve" });
  await at.home.until("it asks again", async () => (await at.open())[0]?.id !== undefined);
  const [second] = await at.open();
  expect(second?.why).toBe("delete /home/sam/b");
  const told = await at.answers(second!, "deny");
  expect(JSON.parse(told)).toEqual([
    "0",
    ["/home/sam/a", "denied by sam; do not try again, ask what to do instead."],
    false,
  ]);
  expect(await content(at, "~/count")).toBe("1");
  expect(at.home.heard("chat.tool_call").map(({ tool }) => tool)).toEqual(["CodeMode"]);
});

test("a block survives the kernel: the next one asks for the same approval and continues there", async () => {
  await using at = await desk();
  await withFiles(at);
  const asked = (await at.calls("CodeMode", { code: DELETES })) as Approval;
  await at.home.restart();
  expect((await at.open()).map(({ id }) => id)).toEqual([asked.id]);
  await at.home.sys.call("hil.answer", { id: asked.id, decision: "approve" });
  await at.home.until("it asks again", async () => (await at.open()).some(({ id }) => id !== asked.id));
  const told = await at.answers((await at.open())[0]!);
  expect(JSON.parse(told)).toEqual(["0", ["/home/sam/a", "/home/sam/b"], false]);
  expect(await content(at, "~/count")).toBe("1");
});

test("an effect that was cut by a kernel's end is unknown to the block, and is not repeated", async () => {
  await using at = await desk();
  const code = 'try { await fs.write("~/x", "1"); return "done" } catch (error) { return error.message }';
  let cut = true;
  const { processes } = at.home.stores;
  const endCall = processes.endCall.bind(processes);
  Object.assign(processes, {
    endCall: (...given: Parameters<typeof endCall>) => (cut ? new Promise<never>(() => {}) : endCall(...given)),
  });
  at.home.model.will(INIT, { calls: [{ name: "CodeMode", args: { code } }] });
  await at.home.send("go");
  await at.home.until("it is written", async () => (await content(at, "~/x").catch(() => "")) === "1");
  cut = false;
  await at.home.restart();
  await at.home.until("the run ends", () => at.isIdle());
  expect((await at.results()).at(-1)).toBe("Write was interrupted and may have run; check before repeating it.");
});

test("an error in a block is a result that the model can fix", async () => {
  await using at = await desk();
  const faults: { readonly [code: string]: RegExp } = {
    "return await fs.read('~/none')": /^EINVAL: the code failed: Error: ENOENT: cannot read \/home\/sam\/none: no such/,
    "return await fs.read({ path: '~', lines: 3 })": /unknown argument "lines"/,
    "return await fs.write('/etc/passwd')": /content is missing/,
    "console.log('here'); nope()": /ReferenceError: 'nope' is not defined \(line 1\)\nits log:\nhere$/,
    "return await fs.read('x'.repeat(300000))": /EFBIG: one call takes at most/,
  };
  for (const [code, told] of Object.entries(faults)) expect(await at.calls("CodeMode", { code })).toMatch(told);
});

test("only the tool runs a block, and an aborted run ends its block", async () => {
  await using at = await desk();
  const inside = await at.home.insideOf(INIT);
  for (const sys of [at.home.sys, inside])
    expect((await at.home.refusal("codemode.exec", { code: "return 1" }, sys)).code).toBe("EPERM");
  at.home.model.will(INIT, { calls: [{ name: "CodeMode", args: { code: "await shell('sleep 60')" } }] });
  const { runId } = await at.home.send("go");
  await at.home.inState(INIT, "waiting_tool");
  await at.home.sys.call("proc.abort", { pid: INIT });
  expect(await at.home.ended(runId)).toMatchObject({ status: "aborted" });
});
