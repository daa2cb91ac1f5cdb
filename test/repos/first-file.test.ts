// A new home has no versioned files, but it has their directories: they are empty until the first file.

import { expect, test } from "bun:test";
import { runs, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";

async function gsv(home: TestKernel, stdin: string, ...argv: string[]): Promise<readonly [number, string]> {
  const io = new KernelIo(home.sys);
  io.stdin = stdinOf("pipe", [stdin]);
  const status = await runs(io, ...argv);
  return [status, io.stdout.text + io.stderr.text];
}

for (const top of ["context.d", "skills.d", "knowledge"]) {
  test(`~/${top} takes its first file from cp and touch`, async () => {
    await using home = await TestKernel.boot();
    expect(await gsv(home, "", "ls", `~/${top}`)).toEqual([0, ""]);
    expect(await gsv(home, "x\n", "cp", "-", `~/${top}/brief.md`)).toEqual([0, ""]);
    expect(await gsv(home, "", "cat", `~/${top}/brief.md`)).toEqual([0, "x\n"]);
    await using other = await TestKernel.boot();
    expect(await gsv(other, "", "touch", `~/${top}/brief.md`)).toEqual([0, ""]);
    expect(await gsv(other, "", "ls", `~/${top}`)).toEqual([0, "brief.md\n"]);
  });
}

test("no other directory is made", async () => {
  await using home = await TestKernel.boot();
  for (const path of ["~/notes/a.md", "~/context.d/deep/a.md"])
    expect((await gsv(home, "x\n", "cp", "-", path))[0]).toBe(3);
  expect(await gsv(home, "", "ls", "~")).toEqual([0, ""]);
});

test("every account has ~/context.d, and scripts see it too", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("agent.create", { name: "ada" });
  expect(await gsv(home, "", "ls", "~ada/context.d")).toEqual([0, "00-style.md\n10-user.md\n"]);
  expect(await gsv(home, "", "sh", "-c", "cd ~/context.d && ls && echo x > a.md && cd .. && ls")).toEqual([
    0,
    "context.d\n",
  ]);
});
