// Plays the same random work in gsv's files and on real ones, as an unprivileged user: answers and trees must be equal.
// The table below lists each difference with its reason; any other difference is a fault.

import { afterAll, expect, test } from "bun:test";
import { type FileMove, type Outcome, randomMove } from "../support/file-moves.ts";
import { HostFiles, me, OurFiles } from "../support/host-files.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";

interface Deviation {
  readonly why: string;
  readonly explains: (move: FileMove, theirs: Outcome, ours: Outcome) => boolean;
}

const bothRefuse = (theirs: Outcome, ours: Outcome) => theirs.code !== "done" && ours.code !== "done";
const pathsOf = (move: FileMove) => [move.path, ...(move.do === "rename" ? [move.to] : [])];

const DEVIATIONS: readonly Deviation[] = [
  {
    why: "links that lead in a circle through a closed directory: which of the two is met first depends on how many are followed",
    explains: (_move, theirs, ours) =>
      bothRefuse(theirs, ours) && [theirs.code, ours.code].every((code) => code === "ELOOP" || code === "EACCES"),
  },
  {
    why: "a path that ends in / names a directory: that it is none is said first, where the host says EISDIR, EEXIST or EACCES",
    explains: (move, theirs, ours) => bothRefuse(theirs, ours) && pathsOf(move).some((path) => path.endsWith("/")),
  },
  {
    why: "a path that ends in .. names no file to move or remove: the host says so before it looks for the other one, and says ENOTEMPTY",
    explains: (move, theirs, ours) => bothRefuse(theirs, ours) && pathsOf(move).some((path) => path.endsWith("/..")),
  },
];

const MOVES_EACH = 40;
const host = new HostFiles();
afterAll(() => host.end());

test.if(process.platform === "linux")(
  "random work on files has the same results as on the host, except for the listed differences",
  async () => {
    const random = seeded(samples(7, Date.now() % 1_000_000));
    const rounds = Math.ceil(samples(1500, 20_000) / MOVES_EACH);
    let moves = 0;
    let differences = 0;
    for (let round = 0; round < rounds; round++) {
      host.begin();
      const ours = await OurFiles.begin();
      const about = [`seed ${random.seed}`];
      let alike = true;
      for (let n = 0; n < MOVES_EACH && alike; n++) {
        const move = randomMove(random, me);
        about.push(JSON.stringify(move));
        const [theirs, answer] = [await host.perform(move), await ours.perform(move)];
        moves++;
        if (Bun.deepEquals(theirs, answer)) continue;
        differences++;
        const explained = DEVIATIONS.some(({ explains }) => explains(move, theirs, answer));
        if (!explained) expect(answer, about.join("\n")).toEqual(theirs);
        // An operation that only one side refused makes the trees differ from here on.
        alike = bothRefuse(theirs, answer);
      }
      if (alike) expect(await ours.standing(), about.join("\n")).toEqual(host.standing());
    }
    expect(differences / moves, `seed ${random.seed}`).toBeLessThan(0.05);
  },
  120_000,
);
