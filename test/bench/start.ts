// Starting: what every command pays before it does anything.

import { BINARY, type Floor, Home, run } from "./machine.ts";
import { median, type Row, rowOf, timed } from "./measure.ts";

export async function startRows(floor: Floor, rounds: number): Promise<Row[]> {
  const home = new Home();
  try {
    const empty = { value: median(await timed(rounds, () => floor.empty())), what: "an empty Bun binary" };
    const version = await timed(rounds, () => run([BINARY, "--version"], home.env()));
    await home.gsv(["proc", "list"]);
    await home.stopKernel();
    const memory: number[] = [];
    const list = await timed(rounds, async () => memory.push((await home.gsv(["proc", "list"])).rssMb));
    return [
      rowOf("--version", version, { floor: empty, budget: 6 }),
      rowOf("proc list, no kernel", list, { floor: empty, budget: 15 }),
      rowOf("proc list, peak memory", memory, { unit: "MB", budget: 45 }),
    ];
  } finally {
    await home.remove();
  }
}
