// Backups of files that are written, renamed and removed meanwhile, by a kernel that continues or died there: each is in the backup in its
// old or new state, or is gone, and no file is reported damaged that was whole at every moment.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeBackup } from "../../src/backup/make.ts";
import { takeFrom } from "../../src/backup/objects.ts";
import { placeRepos, takeRepos } from "../../src/backup/repos.ts";
import { unpack } from "../../src/backup/unpack.ts";
import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows, StoredObjects } from "../../src/objects/objects.ts";
import { FakeClock } from "../support/clock.ts";
import { plainGit } from "../support/git.ts";
import { type DiskHome, newDisk, plain } from "../support/objects.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const BEFORE = { "d/a": "old a", "d/b": "old b", "e/c": "same", "e/d": "same" };

const CHANGES: readonly {
  readonly what: string;
  readonly change: (store: StoredObjects) => Promise<unknown>;
  readonly after: { readonly [key: string]: string };
}[] = [
  {
    what: "rewritten",
    change: (store) => store.put(plain("d/a"), bytes("new")),
    after: { ...BEFORE, "d/a": "new" },
  },
  {
    what: "removed",
    change: (store) => store.remove("d/a"),
    after: { "d/b": "old b", "e/c": "same", "e/d": "same" },
  },
  {
    what: "renamed",
    change: (store) => store.rename("d/a", "d/z"),
    after: { "d/z": "old a", "d/b": "old b", "e/c": "same", "e/d": "same" },
  },
  {
    what: "moved with its directory",
    change: (store) => store.rename("d", "f/g"),
    after: { "f/g/a": "old a", "f/g/b": "old b", "e/c": "same", "e/d": "same" },
  },
  {
    what: "moved over another",
    change: (store) => store.rename("d/a", "d/b"),
    after: { "d/b": "old a", "e/c": "same", "e/d": "same" },
  },
];

/** A store that stops in its next change after moving the bytes and before the row follows. */
function standing(disk: DiskHome) {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const rows: ObjectRows = {
    ...disk.rows,
    async fulfil(intent, outcome) {
      reached.resolve();
      await goOn.promise;
      await disk.rows.fulfil(intent, outcome);
    },
  };
  const { directory } = disk;
  const store = diskObjects({ directory, rows, clock: new FakeClock(), random: seeded(2).bytes });
  return { store, reached: reached.promise, goOn: goOn.resolve };
}

async function withDisk(work: (disk: DiskHome) => Promise<void>): Promise<void> {
  const disk = await newDisk();
  try {
    for (const [key, text] of Object.entries(BEFORE)) await disk.store.put(plain(key), bytes(text));
    await work(disk);
  } finally {
    await disk.dispose();
  }
}

/** Makes a backup, applies an event after its first copy of the rows, and returns its content. */
async function backedUp(disk: DiskHome, onTaken: (round: number) => Promise<unknown> = async () => {}) {
  const [staging, into] = ["staging", "back"].map((name) => join(disk.home, name));
  for (const directory of [staging, into]) mkdirSync(directory ?? "", { mode: 0o700 });
  let round = 0;
  const made = await makeBackup({
    kernelDb: join(disk.home, "kernel.db"),
    procDir: join(disk.home, "proc"),
    reposDir: join(disk.home, "repos"),
    taker: async () => {
      await onTaken(round++);
      return takeFrom(disk.directory);
    },
    staging: staging ?? "",
    file: join(disk.home, "b.tar"),
    force: false,
    gsv: "1",
    now: 1,
  });
  await unpack(made.file, into ?? "");
  const objects = join(into ?? "", "objects");
  const keys = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(objects.length + 1));
  const held = Object.fromEntries(keys.map((key) => [key, readFileSync(join(objects, key), "utf8")]));
  return { held, faults: made.faults, counted: made.counts.files };
}

for (const { what, change, after } of CHANGES) {
  test(`a file that is being ${what} is restored in its new state, also if the kernel died there`, () =>
    withDisk(async (disk) => {
      const { store, reached, goOn } = standing(disk);
      const changed = change(store);
      await reached;
      expect(await backedUp(disk)).toEqual({ held: after, faults: [], counted: Object.keys(after).length });
      goOn();
      await changed;
    }));

  test(`a file that is ${what} after its row was copied is restored as it is, however long that takes`, () =>
    withDisk(async (disk) => {
      const { store, reached, goOn } = standing(disk);
      let changed: Promise<unknown> | undefined;
      const made = await backedUp(disk, async (round) => {
        if (round === 0) changed = change(store);
        await reached;
      });
      expect(made).toEqual({ held: after, faults: [], counted: Object.keys(after).length });
      goOn();
      await changed;
    }));
}

test("a file that is rewritten after each copy of its row does not block a backup", () =>
  withDisk(async (disk) => {
    const { held, faults } = await backedUp(disk, (round) => disk.store.put(plain("d/a"), bytes(`round ${round}`)));
    expect({ held, faults }).toEqual({ held: { ...BEFORE, "d/a": expect.stringMatching(/^round \d+$/) }, faults: [] });
  }));

test("lost bytes are reported next to a change under way, and do not block a backup", () =>
  withDisk(async (disk) => {
    rmSync(join(disk.directory, "d/b"));
    const { store, reached, goOn } = standing(disk);
    const changed = store.put(plain("d/a"), bytes("new"));
    await reached;
    const { held, faults } = await backedUp(disk, (round) =>
      disk.store.put(plain("e/c", 0o600 + (round % 8)), bytes("same")),
    );
    expect({ held, faults }).toEqual({
      held: { "d/a": "new", "e/c": "same", "e/d": "same" },
      faults: ["/d/b: its bytes are missing or damaged"],
    });
    goOn();
    await changed;
  }));

type Triple = [string, string, string];

/** The files in the backup, and a callback for each. */
class Taken extends Set<string> {
  constructor(private readonly onTaken: () => void) {
    super();
  }

  override add(sha256: string): this {
    this.onTaken();
    return super.add(sha256);
  }
}

const GIT_EVENTS = {
  "a commit": (tree: string) => committed(tree, "second"),
  "packing everything": (tree: string) => void plainGit(tree, "gc", "-q"),
};

function committed(tree: string, text: string): void {
  writeFileSync(join(tree, "a.md"), text);
  plainGit(tree, "add", "a.md");
  plainGit(tree, "commit", "-q", "-m", text);
}

for (const [what, event] of Object.entries(GIT_EVENTS)) {
  test(`a repository is backed up whole, whichever of its files was the last before ${what}`, async () => {
    const root = scratchDirectory("taken");
    try {
      for (let at = 0, taken = 1; at < taken; at++) {
        const [repos, into, back] = ["repos", "into", "back"].map((name) => join(root, `${at}`, name)) as Triple;
        const [tree, restored] = [join(repos, "sam/home"), join(back, "sam/home")];
        for (const directory of [tree, into, back]) mkdirSync(directory, { recursive: true });
        plainGit(tree, "init", "-q", "-b", "main");
        committed(tree, "first");
        taken = 0;
        const onTaken = () => {
          if (taken++ === at) event(tree);
        };
        await placeRepos(await takeRepos(repos, into, new Taken(onTaken)), into, back);
        expect([at, plainGit(restored, "fsck", "--strict", "--no-dangling")]).toEqual([at, ""]);
        expect(plainGit(restored, "log", "--format=%s", "main")).toMatch(/^(?:second\n)?first\n$/);
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
}
