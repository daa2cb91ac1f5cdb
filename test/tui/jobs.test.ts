// Processes as jobs of the line: start in the background, list, report the end, fg and bg.

import { expect, test } from "bun:test";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";

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

test("a message or a chat command with & at its end starts a background task", () =>
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

test("jobs lists tasks, and the end of a task is reported once", () =>
  withTasks(async (played) => {
    await played.type("why? &\r");
    await played.until(/^\[1\] task/m);
    await played.type("jobs\r");
    await played.until(/^\[1\]\+ running {2}task:aaaaaa {2}why\?$/m);
    await played.play(said.complete("ok", null, { pid: FIRST }));
    await played.until(/^\[1\] done {2}task:aaaaaa {2}why\? · fg %1 to read it$/m);
    expect(played.everything().filter((line) => line.startsWith("[1] done"))).toHaveLength(1);
  }));

test("a task that ends before its start is known is reported too", () =>
  withTasks(async (played) => {
    const begun = Promise.withResolvers<void>();
    played.io.fakeSys.answer("proc.spawn", async () => {
      await begun.promise;
      return processInfo({ pid: FIRST, label: "why?", profile: "task" });
    });
    await played.type("why? &\r");
    await played.play(said.complete("ok", null, { pid: FIRST }));
    begun.resolve();
    await played.until(/^\[1\] task:aaaaaa {2}why\?\n+\[1\] done {2}task:aaaaaa {2}why\? · fg %1 to read it$/m);
  }));

test("fg attaches to the newest job, or one by number, pid or beginning of its text; bg leaves it running", () =>
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
    expect(played.text()).toContain(`${FIRST} runs in the background`);
    await played.type("bg %2\r");
    await played.until(/task:bbbbbb already runs in the background/);
  }));

test("job names without a task go to the shell", () =>
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
    await played.until(/^No jobs\./m);
  }));
