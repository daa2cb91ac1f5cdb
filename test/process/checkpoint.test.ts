// A workspace's record of a process: it survives reset and kill, is one version with an author, and never blocks them.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { summaryWith } from "../../src/process/history/summary.ts";
import type { Closed, Spawned } from "../../src/syscalls/services.ts";
import { plainGit } from "../support/git.ts";
import { TestKernel } from "../support/kernel.ts";

const treeOf = (home: TestKernel, id: string) => join(home.paths.reposDir, "sam", id);

async function worked(home: TestKernel, label = "docs audit"): Promise<{ pid: string; id: string; tree: string }> {
  const { pid, workspaceId } = await home.spawn({ workspace: "new", label });
  const id = workspaceId ?? "";
  home.model.will(pid, { text: "The docs are stale in two places." });
  await home.say("Look through the docs.", { pid });
  // Until the delayed work of a new kernel is done.
  await home.clock.advance(2000);
  return { pid, id, tree: treeOf(home, id) };
}

describe("a workspace", () => {
  test("saves messages and state as one version of its owner, on reset and on kill", async () => {
    await using home = await TestKernel.boot();
    const { pid, id, tree } = await worked(home);
    const reset = await home.sys.call<Closed>("proc.reset", { pid });
    expect(reset.checkpoint).toEqual({
      workspaceId: id,
      commit: plainGit(tree, "rev-parse", "HEAD").trim(),
      fault: null,
    });
    expect(plainGit(tree, "log", "--format=%an %s").trim().split("\n")).toEqual([
      "sam checkpoint proc reset",
      "sam begin workspace",
    ]);
    expect(plainGit(tree, "status", "--porcelain")).toBe("");
    const chat = readFileSync(join(tree, `.gsv/processes/${pid}/chat.jsonl`), "utf8")
      .trim()
      .split("\n");
    expect(chat.map((line) => JSON.parse(line).role)).toEqual(["user", "assistant"]);
    const summary = readFileSync(join(tree, ".gsv/summary.md"), "utf8");
    expect(summary).toContain("- last asked: Look through the docs.");
    expect(summary).toContain("- last answer: The docs are stale in two places.");
    expect(summary).toContain(reset.archivedTo ?? "nowhere");
    home.model.will(pid, { text: "Done." });
    await home.say("Mend them.", { pid });
    const killed = await home.sys.call<Closed>("proc.kill", { pid });
    expect(killed.checkpoint?.commit).toBe(plainGit(tree, "rev-parse", "HEAD").trim());
    const asked = readFileSync(join(tree, ".gsv/summary.md"), "utf8").match(/last asked: .*/g);
    expect(asked).toEqual(["last asked: Mend them.", "last asked: Look through the docs."]);
    // The process is gone; its record is still readable.
    const { content } = await home.sys.call<{ content: string }>("fs.read", {
      path: `/workspaces/${id}/.gsv/summary.md`,
    });
    expect(content).toContain("Mend them.");
  });

  test("gives its record to the next process, which finds it on start", async () => {
    await using home = await TestKernel.boot();
    const { pid, id } = await worked(home);
    await home.sys.call("proc.kill", { pid });
    const next = await home.spawn({ workspace: id });
    expect(next).toMatchObject({ workspaceId: id, cwd: `/workspaces/${id}` });
    await home.say("Go on.", { pid: next.pid });
    const system = home.model.requests.at(-1)?.system ?? "";
    expect(system).toContain("last asked: Look through the docs.");
    await home.sys.call("fs.write", {
      path: `/workspaces/${id}/.gsv/context.d/10-rules.md`,
      content: "Be brief here.",
    });
    await home.say("And on.", { pid: next.pid });
    const told = home.model.requests.at(-1)?.system ?? "";
    expect(told).toContain("Be brief here.");
    expect(told).not.toContain("last asked");
  });

  test("saves nothing of a discarded history, and nothing of an empty one", async () => {
    await using home = await TestKernel.boot();
    const { pid, id, tree } = await worked(home);
    const killed = await home.sys.call<Closed>("proc.kill", { pid, noArchive: true });
    expect(killed.checkpoint).toEqual({ workspaceId: id, commit: null, fault: null });
    expect(readdirSync(join(tree, ".gsv"))).toEqual(["workspace.json"]);
    const silent = await home.spawn({ workspace: id });
    await home.sys.call("proc.reset", { pid: silent.pid });
    expect(plainGit(tree, "log", "--format=%s").trim()).toBe("begin workspace");
  });

  test("saves edits made outside gsv as their own version", async () => {
    await using home = await TestKernel.boot();
    const { pid, tree } = await worked(home);
    writeFileSync(join(tree, "notes.md"), "mine\n");
    utimesSync(join(tree, "notes.md"), 1, 1);
    await home.sys.call("proc.reset", { pid });
    expect(plainGit(tree, "log", "--format=%s", "-2").trim().split("\n")).toEqual([
      "checkpoint proc reset",
      "edit notes.md",
    ]);
  });
});

describe("reset and kill continue", () => {
  const broken: { readonly [what: string]: (tree: string) => void } = {
    "when another git holds the index": (tree) => writeFileSync(join(tree, ".git/index.lock"), ""),
    "when the repository is damaged": (tree) => {
      rmSync(join(tree, ".git/objects"), { recursive: true });
      writeFileSync(join(tree, ".git/HEAD"), "nonsense");
    },
    "when a merge is under way": (tree) => writeFileSync(join(tree, ".git/MERGE_HEAD"), ""),
    "when there is something else in the way": (tree) => {
      mkdirSync(join(tree, ".gsv/summary.md"), { recursive: true });
    },
    "when the tree is gone": (tree) => {
      rmSync(tree, { recursive: true });
      writeFileSync(tree, "");
    },
  };
  for (const [what, breakIt] of Object.entries(broken)) {
    test(`${what}: the history is archived, the answer and the log name the unsaved parts`, async () => {
      await using home = await TestKernel.boot();
      const { pid, id, tree } = await worked(home);
      breakIt(tree);
      const given = home.sys.call<Closed>("proc.kill", { pid });
      let closed: Closed | null = null;
      void given.then((answer) => {
        closed = answer;
      });
      await home.until("the kill is answered", async () => {
        // Time passes only for the call that waits for the lock.
        if (home.clock.isDueWithin(80)) await home.clock.advance(80);
        return closed !== null;
      });
      expect(await given).toMatchObject({ archivedMessages: 2, checkpoint: { workspaceId: id, commit: null } });
      expect((await given).checkpoint?.fault).toBeString();
      expect(home.faults.join("\n")).toContain(`no checkpoint of ${pid} in ${id}`);
      home.faults.length = 0;
      expect((await home.refusal("proc.get", { pid })).code).toBe("ESRCH");
    });
  }
});

test("reset does not wait for a git that never ends", async () => {
  await using home = await TestKernel.boot();
  const { pid, id, tree } = await worked(home);
  const lock = join(tree, ".git/index.lock");
  writeFileSync(lock, "");
  const given = home.sys.call<Closed>("proc.reset", { pid });
  await home.until("it waits for the lock", () => home.clock.isDueWithin(80));
  // Longer than the limit of a checkpoint, at once.
  await home.clock.advance(6000);
  expect((await given).checkpoint).toMatchObject({ workspaceId: id, commit: null });
  home.faults.length = 0;
  rmSync(lock);
  await home.until("it is kept all the same", async () => {
    if (home.clock.isDueWithin(80)) await home.clock.advance(80);
    return plainGit(tree, "log", "--format=%s", "-1").includes("checkpoint");
  });
});

test("an attached directory is not changed", async () => {
  await using home = await TestKernel.boot();
  const directory = join(home.directory, "../", `${home.directory.split("/").at(-1)}-project`);
  mkdirSync(directory);
  try {
    plainGit(directory, "init", "-q");
    const { pid, workspaceId } = await home.sys.call<Spawned>("proc.spawn", { workspace: directory });
    expect(workspaceId).toStartWith("dir_");
    await home.say("hello", { pid });
    const closed = await home.sys.call<Closed>("proc.kill", { pid });
    expect(closed.checkpoint).toBeUndefined();
    expect(readdirSync(directory)).toEqual([".git"]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("a summary keeps a person's text above it, and only the newest sections", () => {
  let text = "# Rome\n\nKeep to the budget.\n";
  for (let at = 0; at < 25; at++) text = summaryWith(text, `## section ${at}\n- 2 messages: /archive-${at}`);
  expect(text).toStartWith("# Rome\n\nKeep to the budget.\n\n## section 24\n");
  expect(text.match(/^## /gm)).toHaveLength(20);
  expect(summaryWith(text, "## later\n- 2 messages: /archive-24").match(/archive-24/g)).toHaveLength(1);
  expect(summaryWith("", "## one")).toBe("# What was done here\n\n## one\n");
});
