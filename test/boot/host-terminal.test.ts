// `gsv sh --host` on a real terminal: keys, ctrl-c, jobs, the size of the window, the exit status, and the terminal afterwards. Without a
// sandbox and in the host's own.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parentOf } from "../../src/targets/pids.ts";
import { until } from "../support/home.ts";
import { gone, WAYS } from "../support/host.ts";
import { gsvCommand } from "../support/program.ts";
import { startedWith } from "../support/sandbox.ts";
import { scratchDirectory } from "../support/scratch.ts";

const directory = scratchDirectory("terminal");
mkdirSync(join(directory, "work"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let marks = 0;

interface Screen {
  readonly pid: number;
  readonly terminal: Bun.Terminal;
  readonly ended: Promise<number>;
  text(): string;
  type(line: string): void;
  /** Waits until this is on the screen. */
  shows(text: string): Promise<void>;
}

function open({ args = [], cwd = join(directory, "work") }: { args?: readonly string[]; cwd?: string }): Screen {
  let shown = "";
  const child = Bun.spawn([...gsvCommand(), "sh", "--host", ...args], {
    cwd,
    env: {
      ...{
        PATH: process.env.PATH ?? "",
        HOME: directory,
        GSV_HOME: join(directory, "home"),
        TERM: "xterm",
        PS1: "trapped",
      },
      ...{ OPENAI_API_KEY: "sk-canary-0123456789", BASH_ENV: "/trapped", INPUTRC: "/trapped" },
    },
    terminal: {
      cols: 90,
      rows: 31,
      data: (_, bytes) => {
        shown += Buffer.from(bytes).toString();
      },
    },
  });
  const { terminal } = child;
  if (terminal === undefined) throw new Error("there is no terminal");
  return {
    pid: child.pid,
    terminal,
    ended: child.exited,
    text: () => shown,
    type: (line) => void terminal.write(`${line}\r`),
    shows: (text) => until(`the screen shows ${text}: ${JSON.stringify(shown)}`, () => shown.includes(text), 12_000),
  };
}

describe.each(WAYS)("$name", ({ sandbox }) => {
  const way = sandbox === null ? ["--no-sandbox"] : [];

  test("a line runs on a terminal there, and ctrl-c ends the command and not the shell", async () => {
    const screen = open({ args: way });
    const before = [screen.terminal.localFlags, screen.terminal.inputFlags, screen.terminal.outputFlags];
    await screen.shows("bash-");
    expect(screen.terminal.localFlags).not.toBe(before[0]);
    screen.type("echo at:$PWD: $(test -t 0 && stty size); echo key:$OPENAI_API_KEY:$BASH_ENV:");
    await screen.shows(`at:${join(directory, "work")}: 31 90`);
    await screen.shows("key:::");
    screen.terminal.resize(120, 40);
    screen.type("until [ \"$(stty size)\" = '40 120' ]; do sleep 0.01; done; echo re''sized");
    await screen.shows("resized");
    // A shell of its own: in the moment before its exec, a child of this one has its handlers and would lose the key.
    screen.type("bash -c 'echo be''gun; exec sleep 1000'; echo status:$?");
    await screen.shows("begun");
    screen.terminal.write("\x03");
    await until("it asks again", () => /begun[\s\S]*bash-[\d.]+[#$] $/.test(screen.text()));
    screen.type("echo still:$?:");
    await screen.shows("still:130:");
    screen.type("exit 7");
    expect(await screen.ended).toBe(7);
    expect([screen.terminal.localFlags, screen.terminal.inputFlags, screen.terminal.outputFlags]).toEqual(before);
    expect(screen.text()).not.toContain("trapped");
    expect(screen.text()).not.toContain("no job control");
    screen.terminal.close();
  });

  test("ctrl-z stops a command, which is listed and can be resumed", async () => {
    const screen = open({ args: way });
    await screen.shows("bash-");
    screen.type("bash -c 'echo be''gun; read -r line; echo heard:$line:'");
    await screen.shows("begun");
    screen.terminal.write("\x1a");
    // Keys before the next prompt are discarded.
    await until("it asks again", () => /Stopped[\s\S]*bash-[\d.]+[#$] $/.test(screen.text()));
    screen.type("jobs; echo o''n; fg");
    await until("it goes on", () => /on\r+\n[\s\S]*heard/.test(screen.text()));
    screen.type("so");
    await screen.shows("heard:so:");
    screen.type("exit 0");
    await screen.ended;
    screen.terminal.close();
  });

  // A shell that is killed leaves its jobs, as shells do; a sandbox leaves nothing.
  const ends = ["the terminal", "gsv", ...(sandbox === null ? [] : ["the sandbox"])];
  test.each(ends)("when %s goes, its command ends, too", async (what) => {
    const mark = `1000.${process.pid}${++marks}`;
    const screen = open({ args: way });
    await screen.shows("bash-");
    screen.type(`sleep ${mark} & sleep ${mark}`);
    await until("it runs", () => startedWith(mark).length >= 2);
    if (what === "the sandbox") for (const pid of childrenOf(screen.pid)) process.kill(pid, "SIGKILL");
    else if (what === "gsv") process.kill(screen.pid, "SIGKILL");
    else screen.terminal.close();
    await screen.ended;
    await gone(mark);
    screen.terminal.close();
  });
});

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

test("a session in gsv's own home is refused", async () => {
  mkdirSync(join(directory, "home"), { recursive: true, mode: 0o700 });
  const screen = open({ cwd: join(directory, "home") });
  expect(await screen.ended).toBe(1);
  expect(screen.text()).toContain("is in gsv's own home, which is off limits");
  screen.terminal.close();
});

test("a script and a stdin that is not a terminal need none", async () => {
  const screen = open({ args: ["--no-sandbox", "-c", "echo plain; exit 3"] });
  expect(await screen.ended).toBe(3);
  expect(screen.text()).toContain("plain\r\n");
  screen.terminal.close();
  const env = { PATH: process.env.PATH ?? "", HOME: directory, GSV_HOME: join(directory, "home") };
  Bun.spawnSync([...gsvCommand(), "kernel", "stop"], { env });
});
