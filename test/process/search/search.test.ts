// Search in live and archived histories of your own, in any spelling. The index is derived.

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { SearchResult } from "../../../src/syscalls/proc/history-service.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";
import { addHuman } from "../../support/people.ts";

function search(home: TestKernel, words: string, more: object = {}, sys = home.sys): Promise<SearchResult> {
  return sys.call("proc.search", { words: words.split(" "), ...more });
}

async function found(home: TestKernel, words: string, more: object = {}): Promise<string[]> {
  return (await search(home, words, more)).found.map(({ pid, seq, role }) => `${pid} ${seq} ${role}`);
}

function allBytes({ paths }: TestKernel): string {
  const files = ["", "-wal"].map((suffix) => `${paths.indexDb}${suffix}`).filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, "latin1")).join("");
}

test("messages, answers, calls and results are found, newest first, with marked matches", async () => {
  await using home = await TestKernel.boot();
  const calls = [{ id: "c", name: "Write", args: { path: "~/walrus.md", content: "The walrus sleeps." } }];
  home.model.will(INIT, { text: "A walrus, yes.", calls }, { text: "done" });
  await home.say("Tell me of the Walrus and the sea");
  expect(await found(home, "walrus")).toEqual([`${INIT} 3 toolResult`, `${INIT} 2 assistant`, `${INIT} 1 user`]);
  const { found: rows } = await search(home, "WALRUS sea");
  expect(rows).toMatchObject([{ pid: INIT, seq: 1, role: "user", archiveId: null }]);
  const { snippet, hits } = rows[0]!;
  expect(hits.map(([begin, end]) => snippet.slice(begin, end))).toEqual(["Walrus", "sea"]);
});

test("the index is current at every search, and reads nothing twice", async () => {
  let read = 0;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const history: typeof ports.processes.history = (pid, query) => {
        if (query.afterSeq !== undefined && query.limit === 200) read++;
        return ports.processes.history(pid, query);
      };
      return { ...ports, processes: { ...ports.processes, history } };
    },
  });
  await home.say("first otter");
  expect(await found(home, "otter")).toHaveLength(1);
  const before = read;
  expect(await found(home, "otter")).toHaveLength(1);
  expect(read).toBe(before);
  await home.clock.advance(1000);
  await home.say("second otter");
  expect(await found(home, "otter")).toHaveLength(2);
});

test("archived messages are found in their archive, and ended processes by pid", async () => {
  await using home = await TestKernel.boot();
  await home.say("the heron stands");
  const pid = await home.task();
  await home.say("the heron flies", { pid });
  expect(await found(home, "heron")).toHaveLength(2);
  await home.sys.call("proc.reset", { pid: INIT });
  await home.sys.call("proc.kill", { pid });
  const { found: rows } = await search(home, "heron");
  expect(rows.map(({ pid: of, seq }) => `${of} ${seq}`).sort()).toEqual([`${INIT} 1`, `${pid} 1`]);
  for (const { archiveId } of rows)
    expect(await home.sys.call("archive.verify", { id: archiveId })).toMatchObject({ ok: true });
  expect(await found(home, "heron", { pid })).toEqual([`${pid} 1 user`]);
  expect(await home.refusal("proc.search", { words: ["heron"], pid: "task:zzzzzz" })).toMatchObject({ code: "ESRCH" });
});

test("archives older than the index are found too", async () => {
  await using home = await TestKernel.boot();
  await home.say("the egret wades");
  await home.sys.call("proc.reset", { pid: INIT });
  expect(existsSync(home.paths.indexDb)).toBe(false);
  expect(await found(home, "egret")).toEqual([`${INIT} 1 user`]);
});

test("words, phrases and prefixes match; case, accents and scripts without spaces make no difference", async () => {
  await using home = await TestKernel.boot();
  await home.say("Die Straße nach Ávila ist lang");
  await home.say("明日は雨が降ります");
  await home.say('he said "rent is due" and left the compiler running');
  expect(await found(home, "avila STRASSE")).toHaveLength(0);
  expect(await found(home, "avila straße")).toHaveLength(1);
  expect(await found(home, "雨")).toHaveLength(1);
  expect((await search(home, "雨が")).found[0]).toMatchObject({ snippet: "明日は雨が降ります", hits: [[3, 5]] });
  expect(await found(home, '"rent is due"')).toHaveLength(1);
  expect(await found(home, '"due is rent"')).toHaveLength(0);
  expect(await found(home, "compil*")).toHaveLength(1);
  expect(await found(home, "compil")).toHaveLength(0);
  for (const odd of ["a AND", "NEAR(x", 'x"', "col:umn", "^rent", "rent NOT due", "(", "*"])
    await search(home, odd).catch((error) => expect(error).toMatchObject({ code: "EINVAL" }));
  expect(await home.refusal("proc.search", { words: ["—", '""'] })).toMatchObject({ code: "EINVAL" });
});

test("a search can be limited by process, time and number", async () => {
  await using home = await TestKernel.boot();
  for (const text of ["one newt", "two newts newt", "three newt"]) {
    await home.say(text);
    await home.clock.advance(3_600_000);
  }
  const pid = await home.task();
  await home.say("newt elsewhere", { pid });
  expect(await found(home, "newt", { pid: INIT })).toHaveLength(3);
  expect(await found(home, "newt", { since: "90m" })).toHaveLength(2);
  expect(await found(home, "newt", { since: "2026-01-02" })).toHaveLength(4);
  expect(await search(home, "newt", { limit: 2 })).toMatchObject({
    more: true,
    found: [{ pid }, { pid: INIT, seq: 5 }],
  });
  expect(await home.refusal("proc.search", { words: ["newt"], since: "soon" })).toMatchObject({ code: "EINVAL" });
});

test("you find only your own messages, and root finds all", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  await home.say("sam's badger");
  await bob.sys.call("proc.send", { message: "bob's badger" });
  await home.until(
    "bob is answered",
    async () => (await search(home, "badger", {}, home.person(0))).found.length === 2,
  );
  expect(await found(home, "badger")).toEqual([`${INIT} 1 user`]);
  expect((await search(home, "badger", {}, bob.sys)).found.map(({ pid }) => pid)).toEqual([bob.init]);
  expect(await home.refusal("proc.search", { words: ["badger"], pid: INIT }, bob.sys)).toMatchObject({ code: "ESRCH" });
});

describe("the index", () => {
  test("is rebuilt if it is missing, damaged, or of another version", async () => {
    await using home = await TestKernel.boot();
    await home.say("a lone curlew");
    const { indexDb } = home.paths;
    const spoil: (() => void)[] = [
      () => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${indexDb}${suffix}`, { force: true });
      },
      () => truncateSync(indexDb, Math.floor(statSync(indexDb).size / 2)),
      () => writeFileSync(indexDb, "this is no database at all, and never was"),
      () => writeFileSync(indexDb, ""),
      () => {
        const db = new Database(indexDb);
        db.run("PRAGMA user_version = 99");
        db.close();
      },
    ];
    for (const damage of spoil) {
      expect(await found(home, "curlew")).toEqual([`${INIT} 1 user`]);
      await home.restart();
      damage();
    }
    expect(await found(home, "curlew")).toEqual([`${INIT} 1 user`]);
  });

  test("holds nothing of a discarded history, in no byte of its files", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task();
    await home.say("the hidden capercaillie", { pid });
    await home.say("something else");
    expect(await found(home, "capercaillie")).toHaveLength(1);
    expect(allBytes(home)).toContain("capercaillie");
    await home.sys.call("proc.kill", { pid, noArchive: true });
    await home.until("it is forgotten", () => !allBytes(home).includes("capercaillie"));
    expect(await found(home, "capercaillie")).toHaveLength(0);
    expect(await found(home, "something")).toHaveLength(1);
  });

  test("forgets archives that retention deleted", async () => {
    await using home = await TestKernel.boot({
      retention: async () => ({ archivesDays: 1, auditDays: 0, runsDays: 0, syscallLogDays: 0 }),
    });
    await home.say("an old bittern");
    await home.sys.call("proc.reset", { pid: INIT });
    expect(await found(home, "bittern")).toHaveLength(1);
    await home.clock.advance(2 * 86_400_000);
    await home.until("it is swept", async () => !allBytes(home).includes("bittern"));
    expect(await found(home, "bittern")).toHaveLength(0);
  });

  test("skips a damaged archive and reads it once", async () => {
    await using home = await TestKernel.boot();
    await home.say("a shy dunlin");
    const { archivedTo } = await home.sys.call<{ archivedTo: string }>("proc.reset", { pid: INIT });
    writeFileSync(`${home.paths.objectsDir}${archivedTo}`, "damaged");
    expect(await found(home, "dunlin")).toEqual([]);
    expect(await found(home, "dunlin")).toEqual([]);
    expect(home.faults).toHaveLength(1);
    expect(home.faults.splice(0)[0]).toContain("is not searchable");
  });
});
