// Small files: the cost of one write and one read through the kernel, compared with the disk itself. 10,000 of each, fewer in a short run
// or on a slow disk: the name of a row has the number. Costs that grow with the number have their own row.

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Floor, Home } from "../machine.ts";
import { median, type Row, rowOf, timed } from "../measure.ts";

const CONTENT = Buffer.from("a note of ordinary length, as an agent would keep it. ".repeat(8));
const PER_DIRECTORY = 100;
const FILES_MAX = 10_000;
const FILES_PER_ROUND = 500;
const WRITING_MS = 60_000;

export async function fileRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const plain = home.beside("plain");
  await home.kernel();
  const trial = median((await throughTheKernel(home, "trial", PER_DIRECTORY)).write);
  const most = Math.min(FILES_MAX, rounds * FILES_PER_ROUND, Math.floor(WRITING_MS / trial));
  const files = Math.max(5, Math.floor(most / PER_DIRECTORY)) * PER_DIRECTORY;
  const floors = {
    write: median(await timed(files, async (n) => plainWrite(plain, at(n)))),
    read: median(await timed(files, async (n) => readFileSync(join(plain, at(n))))),
  };
  const { write, read } = await throughTheKernel(home, "bench", files);
  const what = (verb: string) => `a plain file ${verb}`;
  return [
    rowOf(`${files} small files: write`, write, {
      floor: { value: floors.write, what: what("written, synced, renamed") },
    }),
    rowOf(`${files} small files: read`, read, { floor: { value: floors.read, what: what("read") } }),
    {
      name: `${files} small files: a late write beside an early one`,
      unit: "ms",
      median: median(write.slice(-files / 5)),
      floor: { value: median(write.slice(0, files / 5)), what: "the first fifth" },
    },
  ];
}

/** Warm-up rounds have numbers below 0. */
function at(n: number): string {
  return `d${Math.floor(Math.abs(n) / PER_DIRECTORY)}/f${n}`;
}

/** As durable as an object: synced and renamed into place. */
function plainWrite(directory: string, name: string): void {
  const path = join(directory, name);
  mkdirSync(join(path, ".."), { recursive: true });
  const file = openSync(`${path}.new`, "w");
  writeSync(file, CONTENT);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

interface Times {
  readonly write: number[];
  readonly read: number[];
}

async function throughTheKernel(home: Home, under: string, files: number): Promise<Times> {
  using link = await home.dial();
  const data = CONTENT.toString("base64");
  for (let n = 0; n < files; n += PER_DIRECTORY) {
    const path = `~/${under}/d${n / PER_DIRECTORY}`;
    await link.call("fs.mkdir", { path, parents: true }, { requestId: `${under}-mkdir-${n}` });
  }
  const put = (n: number) =>
    link.call("fs.put", { path: `~/${under}/${at(n)}`, data }, { requestId: `${under}-put-${n}` });
  const get = (n: number) => link.call("fs.get", { path: `~/${under}/${at(n)}` });
  return { write: await timed(files, put), read: await timed(files, get) };
}
