// `gsv context` and `gsv skills`: context files on the command line, with every change a version.

import { describe, expect, test } from "bun:test";
import type { Commit } from "../../src/abi/repo.ts";
import { stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { begin, finish, type } from "../support/shell.ts";

const subjects = async (home: TestKernel) =>
  (await home.sys.call<{ commits: Commit[] }>("repo.log", {})).commits.map(({ subject }) => subject);

describe("gsv context", () => {
  test("adds, lists, shows and removes files, each change a version", async () => {
    await using home = await TestKernel.boot();
    expect((await type(home, "context", "list")).stderr).toContain("no context yet");
    expect(await type(home, "context", "add", "10-style", "Answer in German.")).toMatchObject({
      status: 0,
      stdout: "wrote /home/sam/context.d/10-style.md\n",
    });
    const piped = await finish(home, await begin(home, ["context", "add", "20-me", "-"], stdinOf("pipe", ["# Me\n"])));
    expect(piped.status).toBe(0);
    expect((await type(home, "context", "list")).stdout).toBe("10-style.md\n20-me.md\n");
    expect((await type(home, "context", "show", "10-style.md")).stdout).toBe("Answer in German.\n");
    expect((await type(home, "context", "show")).stdout).toBe(
      "== 10-style.md\nAnswer in German.\n\n== 20-me.md\n# Me\n",
    );
    expect((await type(home, "context", "add", "20-me", "again")).stderr).toContain("exists");
    expect((await type(home, "context", "rm", "20-me")).status).toBe(0);
    expect((await type(home, "context", "show", "20-me")).status).toBe(3);
    expect(await subjects(home)).toEqual([
      "remove context.d/20-me.md",
      "write context.d/20-me.md",
      "write context.d/10-style.md",
    ]);
  });

  test("reports a missing agent or process, and one without context", async () => {
    await using home = await TestKernel.boot();
    for (const verb of ["list", "show"]) {
      const nobody = await type(home, "context", verb, "--of", "nobody");
      expect([nobody.status, nobody.stderr]).toEqual([3, expect.stringContaining("no such account: nobody")]);
      const gone = await type(home, "context", verb, "--pid", "task:zzzzzz");
      expect([gone.status, gone.stderr]).toEqual([3, expect.stringContaining("no such process: task:zzzzzz")]);
      const none = await type(home, "context", verb, "--pid", "init:1000");
      expect([none.status, none.stderr]).toEqual([0, expect.stringContaining("no context yet")]);
    }
  });

  test("names flags before a missing command, and lists the commands only if nothing else is wrong", async () => {
    await using home = await TestKernel.boot();
    const stray = await type(home, "context", "-Z");
    expect([stray.status, stray.stderr]).toEqual([2, expect.stringContaining("needs a command before -Z")]);
    expect((await type(home, "context")).stderr).toStartWith("Commands");
  });

  test("shows the context of your own agent, and no other", async () => {
    await using home = await TestKernel.boot();
    expect((await type(home, "context", "list", "--of", "friday")).stdout).toBe(
      "00-boot.md\n00-style.md\n10-user.md\n",
    );
    expect((await type(home, "context", "list", "--of", "root")).status).toBe(1);
    expect((await type(home, "context", "show", "../../x")).status).toBe(2);
  });
});

describe("gsv skills", () => {
  test("lists, shows and finds built-in skills, and restores missing ones without touching edited ones", async () => {
    await using home = await TestKernel.boot();
    const { stdout } = await type(home, "skills", "list", "--json");
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).name);
    expect(names.length).toBeGreaterThanOrEqual(4);
    expect((await type(home, "skills", "show", "processes")).stdout).toContain("# Work in several processes");
    expect((await type(home, "skills", "search", "restore an old version")).stdout).toMatch(/^NAME.*\nversions /);
    expect((await type(home, "skills", "search", "zebra crossing")).status).toBe(1);
    expect((await type(home, "skills", "validate")).stdout).toBe(`${names.length} skills are valid\n`);
    await home.sys.call("fs.write", { path: "~friday/skills.d/processes.md", content: "mine" });
    await home.sys.call("fs.delete", { path: "~friday/skills.d/versions.md" });
    await home.sys.call("fs.delete", { path: "~friday/context.d/00-boot.md" });
    const updated = await type(home, "skills", "update");
    expect(updated.stdout).toContain("new   /home/friday/skills.d/versions.md");
    expect(updated.stdout).toContain("kept  /home/friday/skills.d/processes.md");
    expect(updated.stdout).not.toContain("00-boot");
    const wrong = await type(home, "skills", "validate");
    expect(wrong).toMatchObject({ status: 1, stdout: expect.stringContaining("processes.md: it must begin with ---") });
  });

  test("creates a valid skill, and your own has priority over the agent's", async () => {
    await using home = await TestKernel.boot();
    expect(await type(home, "skills", "create", "versions", "--description", "Mine")).toMatchObject({ status: 0 });
    expect((await type(home, "skills", "show", "versions")).stdout).toContain("Mine");
    expect((await type(home, "skills", "validate", "versions")).status).toBe(0);
    expect((await type(home, "skills", "create", "No Name", "--description", "x")).status).toBe(2);
    expect((await type(home, "skills", "create", "versions", "--description", "x")).stderr).toContain("exists");
    expect((await type(home, "skills", "show", "nothing")).status).toBe(3);
  });
});
