// /proc compared with a real directory: 500 processes listed, and the state of each read, in one call to a running kernel. The floor is the
// same over 500 directories with a file each.

import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Link } from "../../../src/rpc/client.ts";
import { type Floor, Home } from "../machine.ts";
import { type Row, rowOf, timedAgainst } from "../measure.ts";

const PROCESSES = 500;

export async function mountRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const directory = home.beside("plain");
  await home.kernel();
  using link = await home.dial();
  // The home's init is one of them.
  for (let index = 1; index < PROCESSES; index++)
    await link.call("proc.spawn", { label: `task ${index}` }, { requestId: `spawn-${index}` });
  const status = await text(link, "/proc/self/status");
  for (let index = 0; index < PROCESSES; index++) {
    mkdirSync(join(directory, `task:${index}`));
    writeFileSync(join(directory, `task:${index}`, "status"), status);
  }
  const list = await timedAgainst(
    rounds,
    () => readdir(directory, { withFileTypes: true }),
    () => link.call("fs.read", { path: "/proc" }),
  );
  const read = await timedAgainst(
    rounds,
    () => statesIn(directory),
    () => statesOf(link),
  );
  const what = "a real directory";
  return [
    rowOf("500 processes under /proc: list", list.values, { floor: { value: list.floor, what } }),
    rowOf("500 processes under /proc: list and read each", read.values, { floor: { value: read.floor, what } }),
  ];
}

async function text(link: Link, path: string): Promise<string> {
  return ((await link.call("fs.read", { path })) as { content: string }).content;
}

async function statesOf(link: Link): Promise<void> {
  const found = (await link.call("fs.search", { query: "State:", path: "/proc", include: "status" })) as {
    count: number;
  };
  if (found.count !== PROCESSES) throw new Error(`${found.count} states were found`);
}

async function statesIn(directory: string): Promise<void> {
  let found = 0;
  for (const name of await readdir(directory)) {
    const status = await readFile(join(directory, name, "status"), "utf8");
    found += status.split("\n").filter((line) => line.includes("State:")).length;
  }
  if (found !== PROCESSES) throw new Error(`${found} states were found`);
}
