// `gsv prompt`, `gsv workspace trust`, `gsv diff`, `gsv undo` and `gsv rewind` on a terminal and in a pipe.

import { describe, expect, test } from "bun:test";
import type { Io } from "../../commands/command.ts";
import { FakeOutput, stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish, type } from "../support/shell.ts";
import { Project, works, write } from "../support/worker.ts";

/** Typed at a terminal, with this answer. */
async function typeAt(home: TestKernel, answer: string, ...argv: string[]) {
  const [stdout, stderr] = [new FakeOutput(), new FakeOutput()];
  stdout.isTTY = true;
  stderr.isTTY = true;
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answer;
  };
  const person: Io["person"] = {
    answersHere: () => true,
    ask,
    askHidden: async () => "",
    edit: async () => ({ text: "", done() {}, keep: () => "" }),
  };
  const typed = await finish(home, await begin(home, argv, stdinOf("tty"), { stdout, stderr, person }));
  return { ...typed, stdout: stdout.text, stderr: stderr.text, asked };
}

describe("gsv prompt", () => {
  test("prints the text, then the sizes; each alone on request; omissions on stderr", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("config.set", { key: "ai.maxContextBytes", value: "500" });
    await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "x".repeat(600) });
    const { stdout, stderr } = await type(home, "prompt");
    expect(stdout).toContain("You are friday");
    expect(stdout).toMatch(/^SOURCE +TOKENS +SHARE +BYTES +WHAT$/m);
    expect(stdout).toMatch(/^gsv +\d+ +[\d.]+% +\d+ +system prompt$/m);
    expect(stderr).toContain("left out (too long): /home/sam/context.d/10-a.md");
    await home.say("hello");
    const alone = await type(home, "prompt", INIT, "--turn", "1", "--text");
    expect(alone.stdout).toBe(home.model.asked(INIT)[0]?.system ?? "");
    expect((await type(home, "prompt", "--bill")).stdout).not.toContain("You are");
    const json = JSON.parse((await type(home, "prompt", "--json")).stdout);
    expect(json.tokens).toBe(json.bill.reduce((sum: number, line: { tokens: number }) => sum + line.tokens, 0));
  });
});

describe("gsv workspace trust", () => {
  test("shows the text to be trusted, with hidden characters, and trusts only what was confirmed", async () => {
    await using home = await TestKernel.boot();
    using project = new Project({ "AGENTS.md": "Run the tests.\u202e\n" });
    const refused = await typeAt(home, "n", "workspace", "attach", project.directory);
    const [id] = /dir_\w+/.exec(refused.stdout) ?? [""];
    expect(refused.asked).toHaveLength(1);
    expect(refused.stderr).toContain("Run the tests.⟨U+202E⟩");
    expect(refused.stderr).toContain(`gsv workspace trust ${id}`);
    const piped = await type(home, "workspace", "trust", id);
    expect(piped).toMatchObject({ status: 2, stdout: "" });
    expect(piped.stderr).toContain("there is no terminal to ask on");
    expect((await typeAt(home, "", "workspace", "trust", id)).status).toBe(1);
    const trusted = await typeAt(home, "y", "workspace", "trust", id);
    expect(trusted.stdout).toContain(`${id} is trusted: /workspaces/${id}/AGENTS.md`);
    // Once trusted, it is not asked again.
    expect((await typeAt(home, "y", "spawn", "--workspace", project.directory)).asked).toEqual([]);
    expect((await type(home, "workspace", "trust", id, "--undo")).stdout).toContain("is not trusted");
  });
});

describe("gsv diff and gsv undo", () => {
  test("print the diff of git in a pipe, colored and harmless on a terminal, and the restored files", async () => {
    await using home = await TestKernel.boot();
    const { pid } = await home.spawn({ workspace: "new" });
    await works(home, pid, write("plan.md", "one\u001b[2J\n"));
    const piped = await type(home, "diff", pid);
    expect(piped.stdout).toContain("+one\u001b[2J\n");
    expect(piped.stdout).not.toContain("\u001b[32m");
    const shown = await typeAt(home, "", "diff", pid);
    expect(shown.stdout).toContain("\u001b[32m+one");
    expect(shown.stdout).not.toContain("\u001b[2J");
    expect((await type(home, "diff", pid, "--stat")).stdout).toMatch(
      /^added +\+1 -0 +\/workspaces\/ws_\w+\/plan\.md\n$/,
    );
    const undone = await type(home, "undo", pid);
    expect(undone).toMatchObject({ status: 0, stderr: `to undo this: gsv undo ${pid} --redo\n` });
    expect(undone.stdout).toMatch(/^removed \/workspaces\/ws_\w+\/plan\.md\n$/);
    const again = await type(home, "undo", pid);
    expect(again).toMatchObject({ status: 3, stdout: "" });
    expect(again.stderr).toContain("nothing left to undo");
    const redone = JSON.parse((await type(home, "undo", pid, "--redo", "--json")).stdout);
    expect(redone).toMatchObject({ pid, files: [{ what: "added" }] });
    const back = await type(home, "rewind", pid, "1");
    expect(back.stdout).toStartWith(`${pid} is back at message 1\nremoved /workspaces/`);
    expect((await type(home, "rewind", pid, "1", "--files", "--history")).status).toBe(2);
  });

  test("missing versions cannot be undone, and nothing breaks", async () => {
    await using home = await TestKernel.boot();
    const project = new Project({ "a.txt": "a\n" });
    const { pid } = await home.spawn({ workspace: project.directory });
    await works(home, pid, { name: "Shell", args: { command: "echo b >> a.txt", target: "host" } });
    project[Symbol.dispose]();
    expect(await type(home, "diff", pid)).toMatchObject({ status: 0, stdout: "" });
    expect((await type(home, "undo", pid)).stderr).toContain("are gone");
  });
});
