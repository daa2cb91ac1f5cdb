// gsv line by line: lines, pasted lines, unfinished lines, ctrl-c, ctrl-d, jobs, and a stored history.

import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { asOneLine } from "../../tui/line/unfinished.ts";
import { until } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { scratchDirectory } from "../support/scratch.ts";

const UP = "\u001b[A";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const directory = scratchDirectory("plain");
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function open() {
  let shown = "";
  const child = Bun.spawn([...gsvCommand(), "--plain"], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", HOME: directory, GSV_HOME: join(directory, "home"), TERM: "xterm" },
    terminal: {
      ...{ cols: 90, rows: 30 },
      data: (_, bytes) => {
        shown += Buffer.from(bytes).toString();
      },
    },
  });
  const shows = (text: string) =>
    until(`the screen shows ${text}`, () => shown.includes(text), 12_000).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(shown)}`);
    });
  return {
    ended: child.exited,
    shows,
    /** Keys, once the prompt is there; older output is forgotten. */
    async keys(keys: string, prompt = "$ ") {
      await shows(prompt);
      shown = "";
      child.terminal?.write(keys);
    },
    goOn: () => void child.kill("SIGCONT"),
    press: (key: string) => void child.terminal?.write(key),
    text: () => shown,
  };
}

test("lines, pastes and interrupts work, and history has them the next time", async () => {
  const first = open();
  await first.keys("sleep 100 &\r");
  await first.shows("[1] 100001");
  await first.keys("kill %1; wait\r");
  await first.shows("Terminated");
  await first.keys("while :; do :; done\r");
  await first.keys(CTRL_C, "done\r");
  // A ctrl-c before the loop has begun is lost, so it is pressed again.
  await until("the loop is over", async () => {
    if (!first.text().includes("$ ")) first.press(CTRL_C);
    await Bun.sleep(20);
    return first.text().includes("$ ");
  });
  await first.keys("echo status $?\r");
  await first.shows("status 130");
  await first.keys('echo one\recho two\rfor i in 日本 é\rdo echo "[$i]"\r\rdone\recho par');
  await first.shows("[é]");
  await first.keys("tial\r", "echo par");
  await first.shows("\r\npartial");
  await first.keys('echo "a\r');
  await first.keys(CTRL_C, "> ");
  await first.keys("cat <<E\r");
  await first.keys("x\r", "> ");
  await first.keys("E\r", "> ");
  await first.shows("\nx\r\n");
  await first.keys("(exit 3)\r");
  await first.keys(CTRL_D);
  expect(await first.ended).toBe(3);

  const second = open();
  await second.keys(UP.repeat(6));
  await second.shows("for i in 日本 é");
  await second.keys("\r", "done");
  await second.shows("[é]");
  await second.keys("/quit\r");
  expect(await second.ended).toBe(0);
  const lines = readFileSync(join(directory, "home", "history"), "utf8");
  expect(lines).toContain('for i in 日本 é; do echo "[$i]"; done\n');
}, 40_000);

test("a typed text of many lines is one line of history if possible", () => {
  expect(asOneLine("for i in 1 2\ndo echo $i\n\ndone")).toBe("for i in 1 2; do echo $i; done");
  expect(asOneLine("f() {\n  echo a\n}")).toBe("f() { echo a; }");
  expect(asOneLine("if a\nthen\n b\nelse\n c\nfi")).toBe("if a; then b; else c; fi");
  expect(asOneLine("a &&\nb |\nc \\\n d")).toBe("a && b | c  d");
  expect(asOneLine("cat <<E\nx\nE")).toBeNull();
  expect(asOneLine('echo "a\nb"')).toBeNull();
});

test("after ctrl-z and fg the typed line is still there", async () => {
  const shell = open();
  await shell.keys("echo h\u001a");
  // It may stop after the first signal to continue, and then waits for the next.
  const goesOn = (what: string, text: string) =>
    until(what, async () => {
      shell.goOn();
      await Bun.sleep(20);
      return shell.text().includes(text);
    });
  await goesOn("the prompt is there again", "$ ");
  shell.press("i\r");
  await goesOn("what was typed is carried out", "\r\nhi");
  await shell.keys(CTRL_D);
  expect(await shell.ended).toBe(0);
});
