// Compares rows and bytes while both change. Whatever change is under way, and however its steps interleave with the check's reads:
// no whole file is reported missing or damaged, and no file with a row a stray. Real faults are still found.

import { describe, expect, test } from "bun:test";
import type { Bytes, StoredItem } from "../../src/objects/objects.ts";
import { type CurrentRows, faultOf, strays } from "../../src/objects/verify.ts";

const KEY = "d/a";

/** Files and rows in memory, as a driver on disk has them. Before each read the steps that are due take effect. */
class World {
  readonly files = new Map<string, { readonly text: string; readonly mtimeMs: number }>();
  readonly rows = new Map<string, string>();
  moving: string[] = [];
  asked = 0;
  private instant = 0;
  private steps: (readonly [due: number, step: () => void])[] = [];

  constructor() {
    for (const key of [KEY, "d/b"]) {
      this.write(key, `text of ${key}`);
      this.rows.set(key, `text of ${key}`);
    }
  }

  begin(change: Change, due: readonly number[]): void {
    this.steps = change(this).map((step, index) => [due[index] ?? 0, step]);
  }

  write(key: string, text: string): void {
    this.files.set(key, { text, mtimeMs: this.instant++ });
  }

  /** A file, or a directory with everything below it. */
  move<T>(things: Map<string, T>, from: string, to: string): void {
    for (const [key, thing] of [...things]) {
      if (key !== from && !key.startsWith(`${from}/`)) continue;
      things.delete(key);
      things.set(to + key.slice(from.length), thing);
    }
  }

  private ask<T>(answer: () => T): Promise<T> {
    for (; (this.steps[0]?.[0] ?? Infinity) <= this.asked; this.steps.shift()) this.steps[0]?.[1]();
    this.asked++;
    return Promise.resolve(answer());
  }

  readonly known: CurrentRows = {
    get: (key) =>
      this.ask(() => {
        const sha256 = this.rows.get(key);
        return sha256 === undefined ? null : { key, sha256 };
      }),
    holds: (sha256) => this.ask(() => [...this.rows.values()].includes(sha256)),
    moving: () => this.ask(() => this.moving),
  };

  readonly bytes: Pick<Bytes, "sha256" | "list" | "isUnchanged"> = {
    sha256: ({ key }) => this.ask(() => this.files.get(key)?.text ?? null),
    list: () => this.list(),
    isUnchanged: ({ name, mtimeMs }) => this.ask(() => this.files.get(name)?.mtimeMs === mtimeMs),
  };

  private async *list(): AsyncGenerator<StoredItem> {
    for (const name of new Set(["d/new", "e/a", "z/a", ...this.files.keys()])) {
      const file = await this.ask(() => this.files.get(name));
      if (file !== undefined) yield { name, kind: "bytes", key: name, size: 1, mtimeMs: file.mtimeMs };
    }
  }
}

type Change = (world: World) => readonly (() => void)[];

const changing =
  (keys: readonly string[], bytes: (world: World) => void, rows: (world: World) => void): Change =>
  (world) => [
    () => {
      world.moving = [...keys];
    },
    () => bytes(world),
    () => {
      rows(world);
      world.moving = [];
    },
  ];
const written = (key: string, text: string) =>
  changing(
    [key],
    (world) => world.write(key, text),
    (world) => world.rows.set(key, text),
  );
const removed = changing(
  [KEY],
  (world) => world.files.delete(KEY),
  (world) => world.rows.delete(KEY),
);
const renamed = (from: string, to: string) =>
  changing(
    [from, to],
    (world) => world.move(world.files, from, to),
    (world) => world.move(world.rows, from, to),
  );

const CHANGES: { readonly [what: string]: Change } = {
  written: written("d/new", "new"),
  rewritten: written(KEY, "new"),
  removed,
  renamed: renamed(KEY, "e/a"),
  "moved with its directory": renamed("d", "z"),
  "removed and written again with the same content": (world) => [
    ...removed(world),
    ...written(KEY, `text of ${KEY}`)(world),
  ],
};

/** All ways in which so many steps can interleave with the reads, in their order. */
function* moments(steps: number, questions: number, from = 0): Generator<readonly number[]> {
  if (steps === 0) return yield [];
  for (let at = from; at <= questions; at++) for (const rest of moments(steps - 1, questions, at)) yield [at, ...rest];
}

async function straysIn(world: World): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of strays(world.bytes as Bytes, world.known)) found.push(name);
  return found;
}

describe("a check during changes", () => {
  for (const [what, change] of Object.entries(CHANGES)) {
    test(`a file that is ${what} is neither missing nor damaged nor a stray, at no moment`, async () => {
      const steps = change(new World()).length;
      let ways = 0;
      for (const due of moments(steps, steps > 3 ? 8 : 14)) {
        const [judged, list] = [new World(), new World()];
        judged.begin(change, due);
        const fault = await faultOf(judged.bytes as Bytes, judged.known, { key: KEY, sha256: `text of ${KEY}` });
        list.begin(change, due);
        expect({ due, fault, strays: await straysIn(list) }).toEqual({ due, fault: null, strays: [] });
        ways++;
      }
      expect(ways).toBeGreaterThan(400);
    });
  }
});

test("lost, damaged and stray content is found during another change", async () => {
  for (const due of moments(3, 6)) {
    const world = new World();
    world.files.delete("d/b");
    world.write("d/stray", "stray");
    world.begin(written(KEY, "new"), due);
    expect(await faultOf(world.bytes as Bytes, world.known, { key: "d/b", sha256: "text of d/b" })).toBe("missing");
    world.write("d/b", "other");
    expect(await faultOf(world.bytes as Bytes, world.known, { key: "d/b", sha256: "text of d/b" })).toBe("damaged");
    expect(await straysIn(world)).toEqual(["d/stray"]);
  }
});
