// A reset or a kill that was cut off by kill -9 and that no client repeats: the next kernel completes it by itself. At every moment
// either the history or its archive exists.

import { expect, test } from "bun:test";
import type { Spawned } from "../../src/syscalls/services.ts";
import { linesOf } from "../support/crash.ts";
import { type TestHome, until, withHome } from "../support/home.ts";
import { oneIn } from "../support/soak.ts";
import { HomeBook } from "../support/sound.ts";

const BETWEEN = ["after:process.cut", "before:objects.put", "after:objects.put", "before:archives.add"];
const PUT_AWAY = ["after:archives.add"];
const RESET = [...BETWEEN, ...PUT_AWAY, "before:process.seal", "after:process.seal"];
const KILL = [
  ...["after:processes.tombstone", ...BETWEEN, ...PUT_AWAY],
  ...["before:process.remove", "after:process.remove", "before:processes.remove", "after:processes.remove"],
];

/** A process with a history and an end that was started, cut off at the seam and never repeated. */
async function cutOff(home: TestHome, call: "proc.reset" | "proc.kill", seam: string): Promise<string> {
  const book = home.beside("died");
  const chapter = home.beside("chapter");
  home.plan = () => ({ die: { at: [...linesOf(book), `end:${seam}`], book }, chapter });
  const sys = home.sys({ model: `script:${await home.file("script", [{ text: "noted", repeat: 1000 }])}` });
  const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "keep this", workspace: "new" });
  await sys.call("proc.wait", { pids: [pid] });
  const deaths = home.deaths;
  await home.file("chapter", ["end"]);
  home.refuseToStart = true;
  const given = sys.call(call, { pid }).catch(() => null);
  await until(`the kernel died ${seam}`, () => home.deaths > deaths);
  await sys.close();
  await given;
  home.refuseToStart = false;
  await Bun.file(chapter).delete();
  return pid;
}

/** Number of mentions of a process in the summary of its workspace. */
async function keptInWorkspace(home: TestHome, pid: string): Promise<number> {
  let count = 0;
  const summaries = new Bun.Glob("repos/*/ws_*/.gsv/summary.md");
  for await (const path of summaries.scan({ cwd: home.paths.home, dot: true, absolute: true }))
    count += (await Bun.file(path).text())
      .split("\n")
      .filter((line) => line.startsWith("## ") && line.includes(pid)).length;
  return count;
}

for (const [call, seams] of [
  ["proc.reset", RESET],
  ["proc.kill", KILL],
] as const) {
  test.concurrent(`the next kernel completes a ${call} cut off at any point, with one verified archive`, async () => {
    await withHome(async (home) => {
      for (const seam of oneIn(6, seams)) {
        const pid = await cutOff(home, call, seam);
        const half = new HomeBook(home);
        expect({ seam, kept: half.records(pid).some((record) => record.content === "keep this") }).toEqual({
          seam,
          kept: true,
        });
        home.start();
        await until("the next kernel serves", () => home.holder !== null && home.holder === home.kernels.at(-1)?.pid);
        await home.stop();
        const book = new HomeBook(home);
        expect({ seam, faults: book.faults }).toEqual({ seam, faults: [] });
        expect(book.records(pid).map((record) => record.content)).toEqual(["keep this", "noted"]);
        expect(book.archivesOf(pid)).toBe(1);
        expect(book.processes.has(pid)).toBe(call === "proc.reset");
        expect({ seam, kept: await keptInWorkspace(home, pid) }).toEqual({ seam, kept: 1 });
      }
    });
  }, 120_000);
}
