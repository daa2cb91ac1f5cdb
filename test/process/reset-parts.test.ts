// A long history is deleted in parts after it was archived. A kernel that dies between two parts loses nothing: the next one finishes the
// reset with the archive that is stored.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ArchiveInfo, Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const MESSAGES = 450;
const VERSION = { name: "Read", args: { path: "/proc/version" } };

/** `clear` replaces the deletion of one part. */
function bootWith(clear: (stored: () => Promise<boolean>) => Promise<boolean>): Promise<TestKernel> {
  return TestKernel.boot({
    ports: (ports) => ({
      ...ports,
      processes: Object.assign(Object.create(ports.processes), {
        clearClosed: (pid: string) => clear(() => ports.processes.clearClosed(pid)),
      }),
    }),
  });
}

/** Many messages in one run. */
async function longHistory(home: TestKernel): Promise<void> {
  home.model.will(INIT, { text: "looking", calls: [VERSION], hold: true }, { text: "done" });
  const { runId } = await home.send("message 1");
  await home.holding();
  for (let n = 2; n <= MESSAGES; n++) await home.send(`message ${n}`);
  home.model.release();
  await home.ended(runId);
}

function archivedTexts({ paths }: TestKernel, to: string): string[] {
  const lines = gunzipSync(readFileSync(join(paths.objectsDir, to)))
    .toString()
    .trimEnd()
    .split("\n");
  return lines
    .map((line) => (JSON.parse(line) as { content: string }).content)
    .filter((text) => /^message \d+$/.test(text));
}

const ALL = Array.from({ length: MESSAGES }, (_, at) => `message ${at + 1}`);

test("a reset that dies between two parts is finished by the next kernel, with all messages in one archive", async () => {
  const reached = Promise.withResolvers<void>();
  let parts = 0;
  await using home = await bootWith(async (stored) => {
    if (++parts !== 2) return await stored();
    reached.resolve();
    return await new Promise<never>(() => {});
  });
  await longHistory(home);
  void home.sys.call("proc.reset", { pid: INIT }).catch(() => undefined);
  await reached.promise;
  await home.restart();
  await home.until("the history is archived", async () => (await home.messages(INIT)).length === 0);
  const { archives } = await home.sys.call<{ archives: ArchiveInfo[] }>("archive.list", {});
  expect(archives).toHaveLength(1);
  expect(archives[0]?.messages).toBe(MESSAGES + 3);
  expect(archivedTexts(home, `/var/sessions/sam/${INIT}/${archives[0]?.id}.jsonl.gz`)).toEqual(ALL);
  await home.say("hello");
  expect(await home.outline(INIT)).toEqual(["user: hello", "assistant: done"]);
});

test("a long history is deleted in parts, and the answer counts all of it", async () => {
  let parts = 0;
  await using home = await bootWith(async (stored) => {
    const more = await stored();
    if (more) parts++;
    return more;
  });
  await longHistory(home);
  const closed = await home.sys.call<Closed>("proc.reset", { pid: INIT });
  expect([closed.archivedMessages, parts]).toEqual([MESSAGES + 3, 2]);
  expect(archivedTexts(home, closed.archivedTo ?? "")).toEqual(ALL);
  expect(await home.messages(INIT)).toEqual([]);
});
