// A change to a file and the answer to its request are one commit: a kernel that dies in between has done both, or neither.

import { expect, test } from "bun:test";
import { answerAfterDeath, Dying } from "../support/dying.ts";
import { TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";

async function contentOf(home: TestKernel, path: string): Promise<string> {
  return (await home.sys.call<{ content: string }>("fs.read", { path })).content;
}

test("an edit is not repeated after the kernel died, and its answer is the same", async () => {
  const dying = new Dying();
  await using home = await TestKernel.boot(dying);
  await home.sys.call("fs.write", { path: "~/a", content: "x" });
  const edit = { path: "~/a", oldString: "x", newString: "x!" };
  const answer = await answerAfterDeath(home, dying, "fs.edit", edit);
  expect(answer).toEqual({ path: "/home/sam/a", replacements: 1, line: 1 });
  expect(await contentOf(home, "~/a")).toBe("x!");
});

test("a deletion is not repeated after the kernel died, so a new file of that name stays", async () => {
  const dying = new Dying();
  await using home = await TestKernel.boot(dying);
  await home.sys.call("fs.write", { path: "~/a", content: "x" });
  expect(await answerAfterDeath(home, dying, "fs.delete", { path: "~/a" })).toEqual({ path: "/home/sam/a" });
  await home.sys.call("fs.write", { path: "~/a", content: "another" });
  await home.sys.call("fs.delete", { path: "~/a" }, { requestId: "req-1" });
  expect(await contentOf(home, "~/a")).toBe("another");
});

test("an empty directory is deleted once, like a file", async () => {
  const dying = new Dying();
  await using home = await TestKernel.boot(dying);
  await home.sys.call("fs.write", { path: "~/d/a", content: "x" });
  await home.sys.call("fs.delete", { path: "~/d/a" });
  expect(await answerAfterDeath(home, dying, "fs.delete", { path: "~/d" })).toEqual({ path: "/home/sam/d" });
});

test("a write that creates directories is answered when it is complete, and never repeated", async () => {
  const dying = new Dying();
  await using home = await TestKernel.boot(dying);
  const write = { path: "~/new/deep/a", content: "first" };
  expect(await answerAfterDeath(home, dying, "fs.write", write)).toEqual({ path: "/home/sam/new/deep/a", size: 5 });
  await home.sys.call("fs.write", { path: "~/new/deep/a", content: "later" });
  await home.sys.call("fs.write", write, { requestId: "req-1" });
  expect(await contentOf(home, "~/new/deep/a")).toBe("later");
});

test("a kernel that dies between the directories and the file stores no answer: the same request creates the file", async () => {
  let deadly = true;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const objects = new Proxy(ports.objects, {
        get: (real, name) => {
          const verb: unknown = Reflect.get(real, name);
          if (typeof verb !== "function") return verb;
          return async (...args: unknown[]) => {
            const [object] = args as [{ readonly key?: string } | undefined];
            if (deadly && name === "put" && object?.key?.endsWith("deep/a")) throw new Error("killed here");
            return Reflect.apply(verb, real, args);
          };
        },
      });
      return { ...ports, objects };
    },
  });
  const write = { path: "~/new/deep/a", content: "x" };
  await rejection(home.sys.call("fs.write", write, { requestId: "req-1" }));
  expect(home.faults.splice(0).join()).toContain("killed here");
  deadly = false;
  await home.restart();
  const answer = await home.sys.call("fs.write", write, { requestId: "req-1" });
  expect(answer).toEqual({ path: "/home/sam/new/deep/a", size: 1 });
  expect(await contentOf(home, "~/new/deep/a")).toBe("x");
});

test("a request id with a stored change cannot be used for another call", async () => {
  const dying = new Dying();
  await using home = await TestKernel.boot(dying);
  await answerAfterDeath(home, dying, "fs.write", { path: "~/a", content: "x" });
  const other = home.sys.call("fs.write", { path: "~/a", content: "y" }, { requestId: "req-1" });
  expect(await rejection(other)).toMatchObject({ code: "ECONFLICT" });
});

test("a request in /tmp, which ends with the kernel, is carried out once while the kernel lives", async () => {
  await using home = await TestKernel.boot();
  const edit = { path: "/tmp/a", oldString: "x", newString: "x!" };
  await home.sys.call("fs.write", { path: "/tmp/a", content: "x" });
  for (let n = 0; n < 2; n++) await home.sys.call("fs.edit", edit, { requestId: "req-1" });
  expect(await contentOf(home, "/tmp/a")).toBe("x!");
});
