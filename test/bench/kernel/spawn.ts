// Spawns acknowledged over the socket: one after another, and a hundred at once.

import { type Floor, Home } from "../machine.ts";
import { type Row, rowOf, timed } from "../measure.ts";

const SPAWNS = 60;
const AT_ONCE = 100;

export async function spawnRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  await home.kernel();
  using link = await home.dial();
  let count = 0;
  const spawn = () => link.call("proc.spawn", { label: "bench" }, { requestId: `spawn-${++count}` });
  const one = await timed(SPAWNS, spawn);
  const many = await timed(Math.ceil(rounds / 5), () => Promise.all(Array.from({ length: AT_ONCE }, spawn)));
  return [
    rowOf("spawn, acknowledged over the socket", one, { budget: 3 }),
    rowOf(`${AT_ONCE} spawns at once, all acknowledged`, many, { budget: 150 }),
  ];
}
