// `gsv sh --host` on a real terminal: keys, ctrl-c, the size of the window, the exit status, and the terminal afterwards.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { scratchDirectory } from "../support/scratch.ts";

const directory = scratchDirectory("terminal");
mkdirSync(join(directory, "work"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Screen {
  readonly terminal: Bun.Terminal;
  readonly ended: Promise<number>;
  text(): string;
  type(line: string): void;
  /** Until this is shown. */
  shows(text: string): Promise<void>;
}

function open(...args: string[]): Screen {
  let shown = "";
  const child = Bun.spawn([...gsvCommand(), "sh", "--host", "--no-sandbox", ...args], {
    cwd: join(directory, "work"),
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
    terminal,
    ended: child.exited,
    text: () => shown,
    type: (line) => void terminal.write(`${line}\r`),
    shows: (text) => until(`the screen shows ${text}: ${JSON.stringify(shown)}`, () => shown.includes(text), 12_000),
  };
}

test("a shell of the machine on a terminal: what is typed runs there, and ctrl-c ends what runs and not the shell", async () => {
  const screen = open();
  const before = [screen.terminal.localFlags, screen.terminal.inputFlags, screen.terminal.outputFlags];
  await screen.shows("bash-");
  expect(screen.terminal.localFlags).not.toBe(before[0]);
  screen.type("echo at:$PWD: $(tty | cut -c1-8) $(stty size); echo key:$OPENAI_API_KEY:$BASH_ENV:");
  await screen.shows(`at:${join(directory, "work")}: /dev/pts 31 90`);
  await screen.shows("key:::");
  screen.terminal.resize(120, 40);
  screen.type("until [ \"$(stty size)\" = '40 120' ]; do sleep 0.01; done; echo re''sized");
  await screen.shows("resized");
  screen.type("echo be''gun; sleep 1000; echo status:$?");
  await screen.shows("begun");
  screen.terminal.write("\x03");
  screen.type("echo still:$?:");
  await screen.shows("still:130:");
  screen.type("exit 7");
  expect(await screen.ended).toBe(7);
  expect([screen.terminal.localFlags, screen.terminal.inputFlags, screen.terminal.outputFlags]).toEqual(before);
  expect(screen.text()).not.toContain("trapped");
  screen.terminal.close();
});

test("when the terminal goes, what runs on it goes too", async () => {
  const screen = open();
  await screen.shows("bash-");
  screen.type("echo pid:$$:; sleep 1000");
  await screen.shows("pid:");
  await until("the pid is shown", () => /pid:(\d+):/.test(screen.text()));
  const [, pid = ""] = /pid:(\d+):/.exec(screen.text()) ?? [];
  screen.terminal.close();
  await screen.ended;
  await until("the shell is gone", () => {
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch {
      return true;
    }
  });
});

test("a script and a stdin that is no terminal need none", async () => {
  const screen = open("-c", "echo plain; exit 3");
  expect(await screen.ended).toBe(3);
  expect(screen.text()).toContain("plain\r\n");
  screen.terminal.close();
  const env = { PATH: process.env.PATH ?? "", HOME: directory, GSV_HOME: join(directory, "home") };
  Bun.spawnSync([...gsvCommand(), "kernel", "stop"], { env });
});
