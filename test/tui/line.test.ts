// The line: queued messages, history and its search, completion, colours while typing.

import { expect, test } from "bun:test";
import { complete } from "../../tui/line/complete.ts";
import { lineOfPast, type Past, pastOf } from "../../tui/line/history.ts";
import { spansOf } from "../../tui/line/syntax.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import { RUN, said } from "../support/chat.ts";
import { FakeIo } from "../support/io.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

const OTHER = `${RUN.slice(0, -1)}7`;

async function busy(): Promise<Played> {
  const shell = await Played.open();
  const { fakeSys } = shell.io;
  let sent = 0;
  fakeSys.answer("proc.send", ({ pid }: { pid: string }) => ({ pid, runId: sent++ === 0 ? RUN : OTHER, queued: true }));
  fakeSys.answer("proc.abort", () => ({ aborted: true }));
  await shell.type("one\r");
  await shell.play(said.start(), said.state("running"), said.delta("Well"));
  return shell;
}

test("a message is queued until a run takes it; up takes it back, and the kernel drops it", async () => {
  const shell = await busy();
  await shell.type("two\r");
  expect(shell.text()).toMatch(/^ {2}↳ queued: two {3}↑ edit$/m);
  await shell.type("\x1b[A");
  expect(shell.io.fakeSys.asked("proc.abort")).toEqual([{ pid: "init:1000", runId: OTHER }]);
  expect(shell.text()).toEndWith("› two");
  await shell.type("\r");
  await shell.play({ ...said.start(), name: "chat.entered", messages: [{ run: OTHER, seq: 5 }] } as never);
  expect(shell.text()).toMatch(/^› two$/m);
  expect(shell.text()).not.toContain("queued");
  await shell.leave();
});

test("ctrl-s changes when a message is sent: at the next step, after this answer, or at once", async () => {
  const shell = await busy();
  await shell.type("two");
  expect(shell.text()).toContain("writing  enter: send at the next step · ctrl-s change");
  await shell.type("\x13");
  expect(shell.text()).toContain("enter: send after this answer");
  await shell.type("\r");
  expect(shell.text()).toContain("↳ after this answer: two");
  expect(shell.io.fakeSys.asked("proc.send")).toHaveLength(1);
  await shell.type("three\x13");
  expect(shell.text()).toContain("enter: stop this run and send");
  await shell.type("\x15");
  await shell.play(said.text("Well."), said.complete("ok", "Well."), said.state("idle"));
  expect(shell.io.fakeSys.asked("proc.send").slice(1)).toEqual([{ pid: "init:1000", message: "two" }]);
  await shell.leave();
});

test("a message that is sent at once stops the run; kept messages are sent on leaving", async () => {
  const shell = await busy();
  await shell.type("\x13");
  await shell.type("later\r");
  await shell.type("\x13");
  await shell.type("now\r");
  const sent = () => shell.io.fakeSys.asked("proc.send").slice(1);
  expect(sent()).toEqual([{ pid: "init:1000", message: "now", interrupt: true }]);
  expect(await shell.leave()).toBe(0);
  expect(sent().slice(1)).toEqual([{ pid: "init:1000", message: "later" }]);
});

test("history stores each line with time, directory and exit status, as one line of the file", () => {
  const past: readonly Past[] = [
    { text: "ls /proc", at: Date.UTC(2026, 0, 2), cwd: "/home/sam", status: null },
    { text: "ls /proc", at: Date.UTC(2026, 0, 2), cwd: "/home/sam", status: 0 },
    { text: 'printf "a\\n\tb"\n| cat', at: Date.UTC(2026, 0, 3), cwd: "/tmp/a b", status: 3 },
  ];
  const lines = past.map(lineOfPast);
  expect(lines[1]).toBe("2026-01-02T00:00:00.000Z\t0\t/home/sam\tls /proc");
  for (const line of lines) expect(line).not.toContain("\n");
  expect(pastOf(["an old line", ...lines])).toEqual([
    { text: "an old line", at: null, cwd: null, status: null },
    ...past.slice(1),
  ]);
});

test("ctrl-r finds words in any order, in this directory or among failed lines", async () => {
  const shell = await Played.open({ history: ["git status", "bun test tui", "ls", "test the tui"] });
  await shell.type("\x12tui te");
  expect(shell.text()).toMatch(/^ {2}bun test tui\s*\n› test the tui\s*\nhistory: tui te {2}1 of 2 · enter accept/m);
  await shell.type("\x12");
  await shell.type("\r");
  expect(shell.text()).toEndWith("› bun test tui");
  await shell.type("\x12\tgit");
  expect(shell.text()).toMatch(/history in this directory: git {2}no match/);
  await shell.type("\x07");
  expect(shell.text()).toEndWith("› bun test tui");
  await shell.leave();
});

test("`!!` shows and runs the last line, and a space before a line keeps it out of history", async () => {
  const kept: Past[] = [];
  const shell = await Played.open({ history: ["ls /proc"], keep: (entry) => kept.push(entry) });
  await shell.type("!!");
  expect(shell.text()).toEndWith("!! ls /proc");
  await shell.type("\x15 secret thing\r");
  await shell.type("an open one\r");
  expect(kept.map(({ text }) => text)).toEqual(["an open one"]);
  expect(kept[0]).toMatchObject({ cwd: "/home/sam", status: null });
  await shell.leave();
});

test("history lists typed lines, the newest last, with everything in them inert", async () => {
  const typed = ["ls /proc", "for x in a b\ndo echo $x\ndone", "say \x1b[31mred"];
  const shell = await Played.open({ history: [...Array.from({ length: 40 }, (_, at) => `line ${at}`), ...typed] });
  await shell.type("/clear\rhistory 4\r");
  await shell.until(
    /^\$ history 4\n[\s\S]*^ {2}41 {2}ls \/proc\n {2}42 {2}for x in a b; do echo \$x; done\n {2}43 {2}say ␛\[31mred\n.*\n+Messages of init:1000: history show$/m,
  );
  expect(shell.text()).not.toContain("line 39");
  expect(shell.io.fakeSys.asked("proc.history")).toHaveLength(1);
  await shell.type("/clear\rhistory\r");
  await shell.until(/^ {2}22 {2}line 21$/m);
  expect(shell.everything()).not.toContain("   9  line 8");
  await shell.leave();
});

test("the suggestion comes from this directory before other directories", async () => {
  const shell = await Played.open({ history: ["ls /proc", "ls /bin"] });
  await shell.type("ls /p");
  expect(shell.text()).toEndWith("$ ls /proc");
  await shell.type("\x1b[C");
  expect(shell.text()).toEndWith("$ ls /proc");
  await shell.leave();
});

test("TAB lists completions with notes, and each further TAB takes the next", async () => {
  const shell = await Played.open();
  const docs = processInfo({ pid: "task:aaaaaa", label: "docs audit" });
  const links = processInfo({ pid: "task:bbbbbb", label: "dead links" });
  shell.io.fakeSys.answer("proc.list", () => ({ processes: [docs, links] }));
  await shell.type("kill task:\t");
  await shell.until(/^ {2}task:aaaaaa {4}docs audit · idle\n {2}task:bbbbbb {4}dead links · idle$/m);
  await shell.type("\t");
  expect(shell.text()).toEndWith("$ kill task:aaaaaa");
  await shell.type("\t");
  expect(shell.text()).toEndWith("$ kill task:bbbbbb");
  await shell.type("\x15kill doc\t");
  await shell.until(/^\$ kill task:aaaaaa$/m);
  await shell.leave();
});

const theme = themeOf({ colour: true, unicode: true });

test("models, settings, files after an @ and host paths are completed too", async () => {
  const io = new FakeIo();
  const model = { model: "anthropic/claude-fable-5", windowTokens: 200_000 };
  io.fakeSys.answer("ai.models", () => ({ models: [model], notes: [] }));
  io.fakeSys.answer("fs.list", ({ path }: { path: string }) => ({
    entries: path === "/home/sam" ? [{ name: "my notes.md", kind: "file" }] : [],
  }));
  io.side = {
    names: async () => ["src", "setup.ts"],
    look: async (path: string) => ({ kind: path.endsWith("src") ? "directory" : "file" }),
    within: (folder: string, name: string) => `${folder}/${name}`,
  } as never;
  const place = { io, cwd: "/home/sam", home: "/home/sam", pid: "init:1000", programs: () => ["ls"] };
  const texts = async (text: string, to: "chat" | "shell" | "host" | "slash") =>
    (await complete(text, to, place)).candidates.map((each) => each.text);
  expect(await texts("/model fab", "slash")).toEqual([]);
  expect(await texts("/model claude", "slash")).toEqual(["anthropic/claude-fable-5 "]);
  expect(await texts("spawn --model anth", "shell")).toEqual(["anthropic/claude-fable-5 "]);
  expect(await texts("look at @my", "chat")).toEqual(["@my\\ notes.md "]);
  // The attached process resolves names in its own directory.
  const coder = processInfo({ pid: "task:aaaaaa", cwd: "/workspaces/dir_aaaaaa" });
  io.fakeSys.answer("proc.get", ({ pid }: { pid: string }) => (pid === coder.pid ? coder : processInfo()));
  io.fakeSys.answer("fs.list", ({ path }: { path: string }) => ({
    entries: path === "/workspaces/dir_aaaaaa" ? [{ name: "app.py", kind: "file" }] : [],
  }));
  const theirs = await complete("look at @a", "chat", { ...place, pid: coder.pid });
  expect(theirs.candidates.map(({ text }) => text)).toEqual(["@app.py "]);
  expect((await complete("/new --lab", "slash", place)).candidates.map(({ text }) => text)).toEqual(["--label "]);
  expect(await texts("look at @host:s", "chat")).toEqual(["@host:src/", "@host:setup.ts "]);
  expect(await texts("! cat s", "host")).toEqual(["src/", "setup.ts "]);
});

test("known commands are bold and unknown ones red while typing; strings, variables and operators have colours", () => {
  const paints = (text: string, to: "shell" | "chat" | "host") =>
    spansOf(text, { route: { to, text }, theme, programs: (word) => word === "ls" || word === "grep" }).map(
      ({ from, to: end, paint }) => [text.slice(from, end), paint],
    );
  expect(paints('ls "$HOME" | grpe x > $OUT # why', "shell")).toEqual([
    ["ls", theme.bold],
    ['"$HOME"', theme.string],
    ["|", theme.keyword],
    ["grpe", theme.bad],
    [">", theme.keyword],
    ["$OUT", theme.number],
    ["# why", theme.dim],
  ]);
  expect(paints("for f in a; do ls $f; done", "shell").map(([text]) => text)).toEqual([
    "for",
    ";",
    "do",
    "ls",
    "$f",
    ";",
    "done",
  ]);
  expect(paints("look at @notes.md and task:abc123", "chat")).toEqual([
    ["@notes.md", theme.you],
    ["task:abc123", theme.you],
  ]);
});

test("a notice goes with the next key; news of another process stays for its time, or until the next line", async () => {
  const shell = await Played.open();
  await shell.type("\x03");
  expect(shell.text()).toContain("ctrl-d to leave");
  await shell.type("a");
  expect(shell.text()).not.toContain("ctrl-d to leave");
  await shell.play({ ...said.complete("ok"), pid: "task:aaaaaa" });
  await shell.type("b");
  expect(shell.text()).toContain("task:aaaaaa done");
  await shell.type("\r");
  expect(shell.text()).not.toContain("task:aaaaaa done");
  await shell.end();
});
