// Habits from Unix and from other chat terminals: each does what it means there, or names what does.

import { expect, test } from "bun:test";
import type { Side } from "../../commands/files/copy/side.ts";
import { SysError } from "../../src/abi/errno.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const TASK = "task:aaaaaa";

async function withShell(work: (played: Played, asked: () => string[]) => Promise<void>): Promise<void> {
  const calls: string[] = [];
  const task = processInfo({ pid: TASK, label: "fix cart", profile: "task", state: "running" });
  const played = await Played.open({
    prepare(io) {
      const { fakeSys } = io;
      const kinds: { readonly [path: string]: string } = {
        "cart.js": "file",
        "/projects/cart": "directory",
        "notes.md": "file",
      };
      const look = async (path: string) => (kinds[path] ? { kind: kinds[path], real: path } : null);
      io.side = { look } as unknown as Side;
      fakeSys.answer("fs.stat", ({ path }: { path: string }) => {
        if (path.endsWith("notes.md")) return { path };
        throw new SysError("ENOENT", `${path}: no such file`);
      });
      fakeSys.answer("proc.list", () => ({ processes: [processInfo(), task], next: null }));
      fakeSys.answer("proc.mode", ({ pid, mode = "ask" }: { pid: string; mode?: string }) => {
        calls.push(`${pid} ${mode}`);
        return { pid, mode };
      });
      fakeSys.answer("proc.spawn", () => task);
      fakeSys.answer("proc.signal", ({ pid, signal }: { pid: string; signal: string }) => {
        calls.push(`${signal} ${pid}`);
        return { pid, signal, archive: null };
      });
      fakeSys.answer("proc.undo", ({ pid }: { pid: string }) => {
        calls.push(`undo ${pid}`);
        return { pid, runs: [], rewound: null, files: [], notKept: [], redo: "gsv undo --redo" };
      });
      fakeSys.answer("shell.run", ({ script }: { script: string }) => {
        calls.push(`shell: ${script}`);
        const exit = script.startsWith("git") ? 127 : /^(?:cat|cd) /.test(script) ? 1 : 0;
        return {
          output: { pieces: [], ended: true },
          exit,
          over: false,
          session: { cwd: "/home/sam", defined: [], jobs: 0 },
        };
      });
    },
  });
  await work(played, () => calls);
  await played.leave();
}

test("slash commands of other programs do what they mean there", () =>
  withShell(async (played, asked) => {
    await played.type("/plan\r");
    await played.until(/^\$ mode plan\nplan$/m);
    expect(asked()).toEqual(["init:1000 plan"]);
    await played.type("/resume\r");
    await played.until(/switch to process[\s\S]*task:aaaaaa/);
  }));

test("an unknown slash command gets a suggestion and runs nothing", () =>
  withShell(async (played, asked) => {
    await played.type("/modle\r");
    await played.until(/Unknown command: \/modle\. Did you mean \/mode/);
    await played.type("/agnts\r");
    await played.until(/Unknown command: \/agnts/);
    expect(asked()).toEqual([]);
    expect(played.text()).not.toContain("bash:");
  }));

test("mode and undo without a pid are about the attached process", () =>
  withShell(async (played, asked) => {
    await played.type(`/attach ${TASK}\r`);
    await played.until(/^~ {2}task:aaaaaa/m);
    await played.type("mode plan\r");
    await played.until(/^\$ mode plan\nplan$/m);
    await played.type("/mode\r");
    await played.until(/^\$ mode\nask$/m);
    await played.type("mode init:1000 yolo\r");
    await played.until(/^\$ mode init:1000 yolo\nyolo$/m);
    await played.type("undo\r");
    await played.until(/^\$ undo\n+to undo this/m);
    expect(asked()).toEqual([`${TASK} plan`, `${TASK} ask`, "init:1000 yolo", `undo ${TASK}`]);
  }));

test("history show and logs without a pid show the attached process", () =>
  withShell(async (played) => {
    const { fakeSys } = played.io;
    const asked: string[] = [];
    fakeSys.answer("proc.history", ({ pid }: { pid: string }) => {
      asked.push(pid);
      return { messages: [], messageCount: 0 };
    });
    await played.type(`/attach ${TASK}\r`);
    await played.until(/^~ {2}task:aaaaaa/m);
    for (const [line, shown] of [
      ["history show", TASK],
      ["history show --limit 5", TASK],
      ["logs --limit 5", TASK],
      ["logs init:1000", "init:1000"],
      ["history show --pid init:1000", "init:1000"],
    ] as const) {
      asked.length = 0;
      await played.type(`/clear\r${line}\r`);
      await played.until(() => asked.includes(shown));
      expect([...new Set(asked)]).toEqual([shown]);
      expect(played.text().split("\n")).toContain(`$ ${line}`);
    }
  }));

test("the dock names the new model as soon as a command has set it", () => {
  let answers = "anthropic/claude-opus-5";
  return withShell(async (played) => {
    played.io.fakeSys.answer("proc.model", ({ model }: { model?: string }) => {
      answers = model ?? answers;
      return { pid: "init:1000", model: answers, answers };
    });
    await played.type("/model offline\r");
    await played.until(/^~ {2}init:1000 {2}offline/m);
  });
});

test("/new takes flags of spawn, or a prompt", () =>
  withShell(async (played) => {
    const made = () => played.io.fakeSys.asked("proc.spawn");
    await played.type("/new why don't the tests pass?\r");
    await played.until(/Switched to task:aaaaaa/);
    expect(made()).toEqual([{ prompt: "why don't the tests pass?", label: "why don't the tests pass?" }]);
    await played.type("/new --label 'the docs' --mode plan\r");
    await played.until(() => made().length === 2);
    expect(made()[1]).toMatchObject({ label: "the docs", mode: "plan" });
    await played.type("/clear\r/new --lable docs\r");
    await played.until(/^\$ spawn --lable docs\n.*unknown flag --lable/m);
    await played.type("/clear\r/new --label $(whoami)\r");
    await played.until(/\/new takes flags of spawn/);
    expect(made()).toHaveLength(2);
    await played.type("/clear\r/new --mode plan --label='the tests' why don't they pass?\r");
    await played.until(() => made().length === 3);
    expect(made()[2]).toMatchObject({ label: "the tests", mode: "plan", prompt: "why don't they pass?" });
    await played.type("/new --workspace ./none fix it\r");
    await played.until(/^\$ spawn --workspace .\/none --prompt 'fix it'$/m);
  }));

test("gsv inside gsv says where you are, and prints no help page", () =>
  withShell(async (played, asked) => {
    await played.type("gsv\r");
    await played.until(/^You are in gsv\. Type \? for keys, or help for commands\.$/m);
    expect(played.text()).not.toContain("Commands");
    expect(asked()).toEqual([]);
  }));

test("clear clears the screen and keeps what was there in scrollback", () =>
  withShell(async (played, asked) => {
    for (const line of ["clear", "clear -x", "/clear"]) {
      await played.type("gsv\r");
      await played.until(() => played.rowsNow().join("\n").includes("You are in gsv."));
      await played.type(`${line}\r`);
      await played.until(() => !played.rowsNow().join("\n").includes("You are in gsv."));
    }
    expect(played.everything().join("\n")).toContain("You are in gsv.");
    expect(asked()).toEqual([]);
  }));

test("a line that begins with # is not sent, and says so", () =>
  withShell(async (played, asked) => {
    await played.type("# always use tabs\r");
    await played.until(/^\$ # always use tabs\n+.*Comment, not sent\./m);
    expect(asked()).toEqual([]);
    expect(played.io.fakeSys.asked("proc.send")).toEqual([]);
  }));

test("a program or file that only this computer has gets a hint with the line that reaches it", () =>
  withShell(async (played) => {
    await played.type("git status -s\r");
    await played.until(/^\$ git status -s[\s\S]*To run it on this computer: ! git status -s$/m);
    await played.type("cat cart.js\r");
    await played.until(/cart\.js is on this computer\. To run it there: ! cat cart\.js$/m);
    await played.type("cd /projects/cart\r");
    await played.until(/To let your agent work there: workspace attach \/projects\/cart --pid init:1000$/m);
    await played.type("cat notes.md\r");
    await played.until(/^\$ cat notes\.md\n.*\n+~ {2}init/m);
    expect(played.text()).not.toContain("notes.md is");
  }));

test("kill takes the number from jobs", () =>
  withShell(async (played, asked) => {
    await played.type("why? &\r");
    await played.until(/^\[1\] task:aaaaaa/m);
    await played.type("kill -9 %1\r");
    await played.until(() => asked().length > 0);
    await played.type("kill %7\r");
    await played.until(() => asked().length > 1);
    expect(asked()).toEqual([`KILL ${TASK}`, "shell: kill %7"]);
  }));

test("diff with two files compares them in the shell", () =>
  withShell(async (played, asked) => {
    await played.type("diff ./a.txt ./b.txt\r");
    await played.until(() => asked().length > 0);
    expect(asked()).toEqual(["shell: diff ./a.txt ./b.txt"]);
  }));

test("going back to a process shows only messages that were not on this screen yet", () =>
  withShell(async (played) => {
    const messages = ["one", "two", "three"].flatMap((text, at) => [
      { id: 2 * at + 1, role: "user", content: text },
      { id: 2 * at + 2, role: "assistant", content: { text: `answer ${text}`, toolCalls: [] } },
    ]);
    played.io.fakeSys.answer("proc.history", ({ pid }: { pid: string }) => ({
      ...{ pid, hasMoreBefore: false, hasMoreAfter: false },
      ...{ messages: pid === TASK ? messages : [], messageCount: pid === TASK ? messages.length : 0 },
    }));
    const shown = (text: string) => played.everything().filter((line) => line.trim() === text).length;
    await played.type(`/attach ${TASK}\r`);
    await played.until(/^ {2}answer three$/m);
    expect(shown("answer one")).toBe(1);
    await played.type("bg\r");
    await played.until(/Switched to init:1000/);
    messages.push({ id: 7, role: "user", content: "four" });
    await played.type("fg\r");
    await played.until(/^› four$/m);
    expect([shown("answer one"), shown("answer three")]).toEqual([1, 1]);
  }));
