// kill -9 at every point of every change, in a real process: afterwards bytes and rows agree, and acknowledged changes are there.

import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { ObjectMeta, ObjectStore } from "../../src/objects/objects.ts";
import { type DiskHome, openDisk, plain, RECEIPT } from "../support/objects.ts";
import { drawn, samples } from "../support/soak.ts";

const CHILD = join(import.meta.dir, "crash-child.ts");
/** Each runs in a process of its own; other seeds in each run. */
const DEATHS_EACH_RUN = 8;
const SEAMS = ["before:intend", "after:intend", "before:fulfil", "after:fulfil"];

async function inHome(work: (home: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "gsv-crash-"));
  try {
    await work(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function withDisk<T>(home: string, work: (disk: DiskHome) => Promise<T>): Promise<T> {
  const disk = await openDisk(home);
  try {
    return await work(disk);
  } finally {
    await disk.dispose();
  }
}

function start(home: string, seam: string, change: string) {
  return Bun.spawn([process.execPath, CHILD, home, seam, change], { env: {}, stdout: "pipe", stderr: "pipe" });
}

/** Every row has bytes with the right hash, every file has a row, nothing is half done. */
async function agree(disk: DiskHome): Promise<ReadonlyMap<string, string>> {
  expect(await disk.rows.intents()).toEqual([]);
  const contents = new Map<string, string>();
  for (const meta of await everything(disk.store)) {
    const bytes = await readFile(join(disk.directory, meta.key));
    expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(meta.sha256);
    expect(bytes.length).toBe(meta.size);
    contents.set(meta.key, bytes.toString());
  }
  const files = (await readdir(disk.directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(disk.directory, join(entry.parentPath, entry.name)));
  expect(files.sort()).toEqual([...contents.keys()].sort());
  return contents;
}

async function everything(store: ObjectStore): Promise<readonly ObjectMeta[]> {
  return store.page("", null, 10_000);
}

const CHANGES: readonly {
  readonly change: string;
  readonly seams: readonly string[];
  readonly after: readonly object[];
}[] = [
  { change: "put", seams: [...SEAMS, "in:stream"], after: [{ "d/a": "old" }, { "d/a": "new" }] },
  { change: "create", seams: SEAMS, after: [{ "d/a": "old" }, { "d/a": "old", "e/f/g": "new" }] },
  { change: "empty", seams: SEAMS, after: [{ "d/a": "old" }, { "d/a": "old", "e/f/.dir": "", "e/.dir": "" }] },
  { change: "remove", seams: SEAMS, after: [{ "d/a": "old" }, {}] },
  { change: "rename", seams: SEAMS, after: [{ "d/a": "old" }, { "d/b": "old" }] },
  { change: "move", seams: SEAMS, after: [{ "d/a": "old" }, { "moved/d/a": "old" }] },
];

/** Changes with a receipt: it is there if and only if the change took effect. */
const ASKED_FOR = ["put", "remove"];

describe("objects after kill -9", () => {
  const deaths = CHANGES.flatMap(({ change, seams, after }) => seams.map((seam) => ({ change, seam, after })));
  for (const { change, seam, after } of drawn(DEATHS_EACH_RUN, deaths)) {
    test(`${change} killed ${seam}: all of it or nothing, and nothing left over`, () =>
      inHome(async (home) => {
        await withDisk(home, (disk) => disk.store.put(plain("d/a"), new TextEncoder().encode("old")));
        const child = start(home, seam, change);
        await child.exited;
        expect(child.signalCode).toBe("SIGKILL");
        await withDisk(home, async (disk) => {
          await disk.store.recover();
          const contents = await agree(disk);
          expect(after).toContainEqual(Object.fromEntries(contents));
          const done = seam === "after:fulfil" || seam === "before:fulfil";
          if (done) expect(Object.fromEntries(contents)).toEqual(after[1] as never);
          const answered = await disk.requests.answered(RECEIPT.uid, RECEIPT.requestId, RECEIPT.bodyHash);
          const isTrue = ASKED_FOR.includes(change) && Bun.deepEquals(Object.fromEntries(contents), after[1]);
          expect(answered).toEqual(isTrue ? { answer: RECEIPT.answer, sameBody: true } : null);
          expect(await disk.store.recover()).toBe(0);
        });
      }));
  }

  test("a random kill during many writes loses no acknowledged write and leaves every object whole", async () => {
    for (let round = 0; round < samples(2, 200); round++) {
      await inHome(async (home) => {
        const child = start(home, "", "loop");
        const acknowledged = new Map<string, number>();
        let text = "";
        const reader = child.stdout.getReader();
        const enough = 20 + ((round * 13) % 100);
        for (let count = 0; count < enough; ) {
          const { value, done } = await reader.read();
          if (done) throw new Error(`the child ended early: ${await new Response(child.stderr).text()}`);
          text += new TextDecoder().decode(value);
          count = text.split("\n").length;
        }
        child.kill("SIGKILL");
        for (let next = await reader.read(); !next.done; next = await reader.read())
          text += new TextDecoder().decode(next.value);
        for (const [, key = "", n = ""] of text.matchAll(/^(\S+) (\d+)$/gm)) acknowledged.set(key, Number(n));
        await child.exited;
        await withDisk(home, async (disk) => {
          await disk.store.recover();
          const contents = await agree(disk);
          for (const [key, n] of acknowledged) {
            const kept = [n, n + 7].map((each) => `${each}`.repeat(1 + (each % 5000)));
            expect(kept).toContain(contents.get(key) ?? "lost");
          }
        });
      });
    }
  });
});
