// The index of histories is searched piece by piece; the result does not show where one ends.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { HistoryIndex } from "../../src/store/history-index.ts";
import { scratchDirectory } from "../support/scratch.ts";

const ROWS = 25;

function indexOf(pieceRows: number): HistoryIndex {
  const index = new HistoryIndex(join(scratchDirectory("index"), "index.db"), () => 1, pieceRows);
  for (let n = 1; n <= ROWS; n++) {
    const texts = [{ seq: n, role: "user", at: (n * 7) % 10, text: n % 4 === 0 ? `other ${n}` : `needle ${n}` }];
    const pid = `task:aaaaa${n % 3}`;
    index.add({ pid, ownerUid: 1000, archiveId: null, texts, through: n, asOf: n });
  }
  return index;
}

test("pieces of any size give the same hits, the newest first, each with its snippet", async () => {
  const results: unknown[] = [];
  for (const pieceRows of [1, 3, 10, ROWS, 1000]) {
    const index = indexOf(pieceRows);
    const query = { match: "needle", ownerUid: null, pid: null, since: null };
    const hits = await index.search({ ...query, limit: 8 });
    const ofOne = await index.search({ ...query, pid: "task:aaaaa1", since: 5, limit: 100 });
    results.push({ hits, ofOne });
    expect(hits.map(({ at }) => at)).toEqual([9, 9, 8, 7, 7, 7, 6, 5]);
    expect(hits.every(({ seq, snippet }) => snippet.endsWith(` ${seq}`))).toBe(true);
    expect(ofOne.map(({ seq }) => seq)).toEqual([7, 1, 25]);
    expect(ofOne.every(({ pid, at }) => pid === "task:aaaaa1" && at >= 5)).toBe(true);
    index.close();
  }
  for (const result of results) expect(result).toEqual(results[0]);
});

test("an index without words finds nothing", async () => {
  const index = new HistoryIndex(join(scratchDirectory("index"), "index.db"), () => 1);
  expect(await index.search({ match: "needle", ownerUid: null, pid: null, since: null, limit: 5 })).toEqual([]);
  index.close();
});

test("a long history is forgotten whole, in steps between which other work runs, and others stay", async () => {
  const index = indexOf(1000);
  const texts = Array.from({ length: 1000 }, (_, seq) => ({ seq, role: "user", at: 1, text: "needle of a long one" }));
  index.add({ pid: "task:long", ownerUid: 1000, archiveId: null, texts, through: 1000, asOf: 1 });
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  await index.forgetLive("task:long", null);
  clearInterval(count);
  const hits = await index.search({ match: "needle", ownerUid: null, pid: null, since: null, limit: 2000 });
  expect([hits.filter(({ pid }) => pid === "task:long").length, hits.length]).toEqual([0, 19]);
  expect([...index.marks("process").keys()]).not.toContain("task:long");
  expect(turns).toBeGreaterThan(0);
  index.close();
});
