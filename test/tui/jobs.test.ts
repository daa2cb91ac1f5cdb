// Processes as jobs of the line: begun behind, listed, told of when they end, brought to the front and left again.

import { expect, test } from "bun:test";
import { said } from "../support/chat.ts";
import { Played, processInfo } from "../support/played.ts";

const FIRST = "task:aaaaaa";
const SECOND = "task:bbbbbb";

async function withTasks(work: (played: Played, asked: () => unknown[]) => Promise<void>): Promise<void> {
  const pids = [FIRST, SECOND];
  const made: ReturnType<typeof processInfo>[] = [];
  const played = await Played.open({
    prepare({ fakeSys }) {
      fakeSys.answer("proc.spawn", ({ label }: { label: string }) => {
        const info = processInfo({ pid: pids[made.length] ?? "", label, profile: "task", state: "running" });
        made.push(info);
        return info;
      });
      fakeSys.answer("proc.list", () => ({ processes: [processInfo(), ...made], next: null }));
    },
  });
  await work(played, () => played.io.fakeSys.asked("proc.spawn"));
  await played.leave();
}

test("what ends in & is asked of a task of its own, whether it is said or chat is called", () =>
  withTasks(async (played, asked) => {
    await played.type("why is the sky blue? &\r");
    await played.until(/^\[1\] task:aaaaaa {2}why is the sky blue\?$/m);
    await played.type('chat "and the sea" &\r');
    await played.until(/^\[2\] task:bbbbbb {2}and the sea$/m);
    expect(asked()).toEqual([
      { prompt: "why is the sky blue?", label: "why is the sky blue?" },
      { prompt: "and the sea", label: "and the sea" },
    ]);
    expect(played.io.fakeSys.asked("proc.send")).toEqual([]);
    expect(played.text()).toContain("› why is the sky blue? &");
  }));

test("jobs lists them, and the end of one is told where one is, once", () =>
  withTasks(async (played) => {
    await played.type("why? &\r");
    await played.until(/^\[1\] task/m);
    await played.type("jobs\r");
    await played.until(/^\[1\]\+ running {8}task:aaaaaa {2}why\?$/m);
    await played.play(said.complete("ok", null, { pid: FIRST }));
    await played.until(/^\[1\] done {2}task:aaaaaa {2}why\? · fg %1 reads it$/m);
    expect(played.everything().filter((line) => line.startsWith("[1] done"))).toHaveLength(1);
  }));

test("one that is done before it is known to have begun is told of, too", () =>
  withTasks(async (played) => {
    const begun = Promise.withResolvers<void>();
    played.io.fakeSys.answer("proc.spawn", async () => {
      await begun.promise;
      return processInfo({ pid: FIRST, label: "why?", profile: "task" });
    });
    await played.type("why? &\r");
    await played.play(said.complete("ok", null, { pid: FIRST }));
    begun.resolve();
    await played.until(/^\[1\] task:aaaaaa {2}why\?\n+\[1\] done {2}task:aaaaaa {2}why\? · fg %1 reads it$/m);
  }));

test("fg talks to the newest, to one by its number or the beginning of what it does, and bg leaves it to itself", () =>
  withTasks(async (played) => {
    await played.type("first thing? &\r");
    await played.until(/^\[1\]/m);
    await played.type("second thing? &\r");
    await played.until(/^\[2\]/m);
    for (const [line, pid] of [
      ["fg", SECOND],
      ["fg %1", FIRST],
      ["fg %-", FIRST],
      ["fg %second", SECOND],
      [`fg ${FIRST}`, FIRST],
    ] as const) {
      await played.type(`${line}\r`);
      await played.until(new RegExp(`^~ {2}${pid}`, "m"));
      await played.type("bg\r");
      await played.until(/^~ {2}init:1000/m);
    }
    expect(played.text()).toContain(`${FIRST} works on in the background`);
    await played.type("bg %2\r");
    await played.until(/task:bbbbbb works in the background already/);
  }));

test("what is nobody's job here is the shell's to answer", () =>
  withTasks(async (played) => {
    const ran: string[] = [];
    played.io.fakeSys.answer("shell.run", ({ script }: { script: string }) => {
      ran.push(script);
      return {
        output: { pieces: [], ended: true },
        exit: 0,
        over: false,
        session: { cwd: "/home/sam", defined: [], jobs: 0 },
      };
    });
    for (const line of ["sleep 5 &", "fg %1", "jobs -l", "fg"]) {
      await played.type(`${line}\r`);
      await played.until(() => ran.includes(line));
    }
    expect(played.io.fakeSys.asked("proc.spawn")).toEqual([]);
    await played.type("jobs\r");
    await played.until(/^no jobs:/m);
  }));
