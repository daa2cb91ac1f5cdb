// A process cannot overwrite content that changed since it read it: it gets an error with account, time and diff, and may then write.

import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Desk } from "../support/desk.ts";
import { INIT, type KernelOptions, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

const PATH = "~/plan.md";

/** The result of one call of a process. */
async function calls(home: TestKernel, pid: string, name: string, args: object): Promise<string> {
  home.model.will(pid, { calls: [{ name, args }] });
  await home.say("go", { pid });
  const result = (await home.messages(pid)).findLast(({ role }) => role === "toolResult");
  return result?.role === "toolResult" ? result.content.output : "";
}

async function begun(options: KernelOptions = {}): Promise<TestKernel> {
  const home = await TestKernel.boot(options);
  await home.sys.call("fs.write", { path: PATH, content: "one\ntwo\nthree\n" });
  return home;
}

const textOf = async (home: TestKernel) =>
  (await home.sys.call<{ content: string }>("fs.read", { path: PATH })).content;
const edit = (oldString: string, newString: string) => ({ path: PATH, oldString, newString });

test("the second of two agents gets the change of the first, and then makes both changes", async () => {
  await using home = await begun();
  const other = await home.task({ label: "spelling" });
  for (const pid of [INIT, other]) await calls(home, pid, "Read", { path: PATH });
  expect(await calls(home, other, "Edit", edit("two", "2"))).toStartWith("replaced 1");
  const told = (await calls(home, INIT, "Write", { path: PATH, content: "all anew\n" })).split("\n");
  expect(told[0]).toMatch(
    new RegExp(
      `^ESTALE: cannot write /home/sam/plan.md: ${other} \\(spelling\\) changed it at 20\\S+Z, after you read it$`,
    ),
  );
  expect(told.slice(1)).toEqual([
    ...["the change:", "@@ line 1 @@", " one", "-two", "+2", " three", " "],
    "this is the full change: merge it and repeat the write",
  ]);
  expect(await textOf(home)).toBe("one\n2\nthree");
  // Now it has the current content.
  expect(await calls(home, INIT, "Write", { path: PATH, content: "one\n2\nfour\n" })).toStartWith("wrote 11");
  // And the other agent's is outdated.
  expect(await calls(home, other, "Edit", edit("three", "3"))).toContain(`${INIT} (init (sam)) changed it`);
});

test("a person's change is shown with the name, and people are never refused", async () => {
  await using home = await begun();
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.put", { path: PATH, data: Buffer.from("by hand\n").toString("base64") });
  expect(await calls(home, INIT, "Edit", edit("one", "1"))).toContain(": sam changed it at ");
  expect(await calls(home, INIT, "Edit", edit("by hand", "by both"))).toStartWith("replaced 1");
  await home.sys.call("fs.read", { path: PATH });
  await home.sys.call("fs.write", { path: PATH, content: "mine\n" });
  expect(await textOf(home)).toBe("mine");
});

test("its own writes, by tool or script, never count as foreign changes", async () => {
  await using home = await begun();
  await calls(home, INIT, "Read", { path: PATH });
  await calls(home, INIT, "Shell", { command: "echo four >> ~/plan.md" });
  expect(await calls(home, INIT, "Edit", edit("four", "five"))).toStartWith("replaced 1");
  expect(await calls(home, INIT, "Write", { path: PATH, content: "one\n" })).not.toContain("ESTALE");
});

test("it may overwrite a file that it never read, or with identical content", async () => {
  await using home = await begun();
  expect(await calls(home, INIT, "Write", { path: PATH, content: "over it\n" })).not.toContain("ESTALE");
  await calls(home, INIT, "Read", { path: PATH });
  for (const content of ["something\n", "over it\n"]) await home.sys.call("fs.write", { path: PATH, content });
  expect(await calls(home, INIT, "Edit", edit("over", "under"))).toStartWith("replaced 1");
  await home.sys.call("fs.delete", { path: PATH });
  expect(await calls(home, INIT, "Write", { path: PATH, content: "new\n" })).not.toContain("ESTALE");
});

test("the check survives the kernel; after a reset nothing is known", async () => {
  await using home = await begun();
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.write", { path: PATH, content: "one\ntwo\nthree\nfour\n" });
  await home.restart();
  expect(await calls(home, INIT, "Edit", edit("one", "1"))).toContain("+four");
  await home.sys.call("fs.write", { path: PATH, content: "five\n" });
  await home.sys.call("proc.reset", {});
  expect(await calls(home, INIT, "Write", { path: PATH, content: "six\n" })).not.toContain("ESTALE");
});

test("a change that is too long to show must be read first", async () => {
  await using home = await begun();
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.write", {
    path: PATH,
    content: `${Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n")}\n`,
  });
  for (const _ of [1, 2]) {
    const told = await calls(home, INIT, "Edit", edit("line 7\n", "line seven\n"));
    expect(told).toContain("lines more");
    expect(told).toEndWith("the change is cut: read the file again, then repeat the edit");
  }
  await calls(home, INIT, "Read", { path: PATH });
  expect(await calls(home, INIT, "Edit", edit("line 7\n", "line seven\n"))).toStartWith("replaced 1");
});

test("a very long line is not shown whole, and a long file not at all", async () => {
  await using home = await begun();
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.write", { path: PATH, content: "x".repeat(60_000) });
  const told = await calls(home, INIT, "Write", { path: PATH, content: "y" });
  expect([told.length < 9000, told.includes("read the file again")]).toEqual([true, true]);
  await home.sys.call("fs.write", { path: PATH, content: "z\n".repeat(50_000) });
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.write", { path: PATH, content: "small\n" });
  expect((await calls(home, INIT, "Write", { path: PATH, content: "y" })).split("\n")).toEqual([
    expect.stringMatching(/^ESTALE: .* sam changed it at /) as never,
    "read it again, then repeat the write",
  ]);
});

test("a file that is generated on read counts as changed only if its content differs", async () => {
  await using home = await TestKernel.boot();
  const path = `/proc/${INIT}/context.d/10-style.md`;
  await home.sys.call("fs.write", { path, content: "be brief\n" });
  await calls(home, INIT, "Read", { path });
  await home.clock.advance(5000);
  home.model.will(INIT, { calls: [{ name: "Write", args: { path, content: "be briefer\n" } }] });
  const { runId } = await home.send("go");
  await home.until(
    "it asks or ends",
    async () => (await home.get(INIT)).state === "waiting_hil" || home.heard("chat.complete", runId).length > 0,
  );
  const { approvals } = await home.sys.call<{ approvals: readonly { id: string }[] }>("hil.list", {});
  for (const { id } of approvals) await home.sys.call("hil.answer", { id, decision: "approve" });
  await home.ended(runId);
  expect(await home.outline(INIT)).toContain("Write: completed");
});

test("a host file is checked too: the error shows the time but no account", async () => {
  const work = scratchDirectory("stale");
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, "main.ts"), "let a = 1;\n");
  await using desk = await Desk.at({ cwd: work });
  const args = { target: "host", path: join(work, "main.ts") };
  const read = await desk.calls("Read", args);
  if (typeof read !== "string") await desk.answers(read);
  appendFileSync(join(work, "main.ts"), "let b = 2;\n");
  const asked = await desk.calls("Edit", { ...args, oldString: "a = 1", newString: "a = 3" });
  const told = typeof asked === "string" ? asked : await desk.answers(asked);
  expect(told).toMatch(/ESTALE: .*a command or a program outside gsv changed it at 20/);
  expect(told).toContain("+let b = 2;");
});

test("a file that became a link after it was read is not written through the link until it is read again", async () => {
  await using home = await begun();
  const other = "/home/sam/other.md";
  await home.sys.call("fs.write", { path: other, content: "one\n" });
  await calls(home, INIT, "Read", { path: PATH });
  await home.sys.call("fs.delete", { path: PATH });
  await home.sys.call("fs.link", { path: PATH, target: other });
  const refused = (verb: string) => [
    `ESTALE: cannot ${verb} /home/sam/plan.md: it was a file when you read it; now a link leads to ${other}`,
    `read it again, then repeat the ${verb}`,
  ];
  expect((await calls(home, INIT, "Write", { path: PATH, content: "mine\n" })).split("\n")).toEqual(refused("write"));
  expect((await calls(home, INIT, "Edit", edit("one", "1"))).split("\n")).toEqual(refused("edit"));
  expect(await textOf(home)).toBe("one");
  await calls(home, INIT, "Read", { path: PATH });
  expect(await calls(home, INIT, "Edit", edit("one", "1"))).toStartWith("replaced 1");
  expect((await home.sys.call<{ content: string }>("fs.read", { path: other })).content).toBe("1");
});

test("a file of this computer is not written through a link that replaced its directory", async () => {
  const work = scratchDirectory("relinked");
  for (const name of ["src", "elsewhere"]) mkdirSync(join(work, name), { recursive: true });
  for (const name of ["src", "elsewhere"]) writeFileSync(join(work, name, "main.ts"), "let a = 1;\n");
  await using desk = await Desk.at({ cwd: work });
  const args = { target: "host", path: join(work, "src/main.ts") };
  const read = await desk.calls("Read", args);
  if (typeof read !== "string") await desk.answers(read);
  renameSync(join(work, "src"), join(work, "old"));
  symlinkSync("elsewhere", join(work, "src"));
  const asked = await desk.calls("Edit", { ...args, oldString: "a = 1", newString: "a = 3" });
  const told = typeof asked === "string" ? asked : await desk.answers(asked);
  expect(told).toContain("ESTALE");
  expect(told).toContain("it was a file when you read it; now a link leads to ");
  expect(readFileSync(join(work, "elsewhere/main.ts"), "utf8")).toBe("let a = 1;\n");
});
