import { beforeEach, describe, expect, test } from "bun:test";
import type { BackupMade, BackupRestored, HomeKeeping } from "../../src/abi/backup.ts";
import { FakeIo, runs } from "../support/io.ts";

const COUNTS = { processes: 1, messages: 12, archives: 0, files: 3 };
const MADE: BackupMade = { file: "/b.tar", bytes: 1536, generation: 4, counts: COUNTS, faults: [] };
const RESTORED: BackupRestored = {
  home: "/home/sam/.gsv",
  madeAt: 0,
  counts: COUNTS,
  faults: [],
  replaced: null,
};

class KeepingIo extends FakeIo {
  readonly keptCalls: unknown[] = [];
  made = MADE;
  restored = RESTORED;
  override readonly keep: HomeKeeping = {
    backup: async (...given) => {
      this.keptCalls.push(["backup", ...given]);
      return this.made;
    },
    restore: async (...given) => {
      this.keptCalls.push(["restore", ...given]);
      return this.restored;
    },
    usage: async () => ({
      home: "/home/sam/.gsv",
      rows: [
        { kind: "process", name: "init:1000", bytes: 5 * 1024 * 1024, count: 1 },
        { kind: "files", name: "/home/sam", bytes: 900, count: 12 },
      ],
      usedBytes: 5 * 1024 * 1024 + 900,
      freeBytes: 3 * 1024 ** 3,
    }),
  };
}

let io: KeepingIo;
beforeEach(() => {
  io = new KeepingIo();
});

describe("gsv backup", () => {
  test("it prints the file, its size and its contents", async () => {
    expect(await runs(io, "backup", "b.tar")).toBe(0);
    expect(io.keptCalls).toEqual([["backup", "b.tar", { force: false }]]);
    expect(io.stdout.text).toBe("/b.tar (1.5 KiB): 1 process, 12 messages, 0 archives, 3 files\n");
  });

  test("with --json it is one object, and --force is passed on", async () => {
    expect(await runs(io, "backup", "--force", "b.tar", "--json")).toBe(0);
    expect(io.keptCalls).toEqual([["backup", "b.tar", { force: true }]]);
    expect(JSON.parse(io.stdout.text)).toEqual({ ...MADE });
  });

  test("skipped parts are named on stderr, and the status is 1", async () => {
    io.made = { ...MADE, faults: ["task:abc123: its database is missing"] };
    expect(await runs(io, "backup", "b.tar")).toBe(1);
    expect(io.stdout.lines).toHaveLength(1);
    expect(io.stderr.text).toBe("gsv: skipped, because it is damaged: task:abc123: its database is missing\n");
  });

  test("no file, or two files, is a usage error", async () => {
    expect(await runs(io, "backup")).toBe(2);
    expect(await runs(io, "backup", "a", "b")).toBe(2);
    expect(await runs(io, "restore")).toBe(2);
    expect(await runs(io, "df", "more")).toBe(2);
    expect(io.keptCalls).toEqual([]);
  });
});

describe("gsv restore", () => {
  test("it prints restored parts, the place of the old ones, and missing ones", async () => {
    io.restored = { ...RESTORED, replaced: "/home/sam/.gsv/backup/replaced-1" };
    expect(await runs(io, "restore", "--force", "b.tar")).toBe(0);
    expect(io.keptCalls).toEqual([["restore", "b.tar", { force: true }]]);
    expect(io.stdout.lines).toEqual([
      "restored /home/sam/.gsv as of 1970-01-01T00:00:00.000Z: 1 process, 12 messages, 0 archives, 3 files",
      "the previous home is in /home/sam/.gsv/backup/replaced-1",
      "set your secrets again: a backup has none",
    ]);
  });

  test("parts that the backup never had are named on stderr, and the status is 1", async () => {
    io.restored = { ...RESTORED, faults: ["/home/sam/a: its bytes are missing or damaged"] };
    expect(await runs(io, "restore", "b.tar")).toBe(1);
    expect(io.stderr.text).toContain("/home/sam/a: its bytes are missing or damaged");
  });
});

describe("gsv df", () => {
  test("it is a table that ends with the sum and the free space", async () => {
    // A common flag of df.
    expect(await runs(io, "df", "-h")).toBe(0);
    expect(io.stdout.lines).toEqual([
      "5.0 MiB   1  process  init:1000",
      "  900 B  12  files    /home/sam",
      "5.0 MiB  13  total    /home/sam/.gsv",
      "3.0 GiB free on this disk",
    ]);
  });
});
