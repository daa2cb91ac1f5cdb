// Startup: the cost that every command pays first.

import { BINARY, type Floor, Home, run } from "./machine.ts";
import { type Row, rowOf, timedAgainst } from "./measure.ts";

export async function startRows(floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const against = (work: () => Promise<unknown>) => timedAgainst(rounds, () => floor.empty(), work);
  const version = await against(() => run([BINARY, "--version"], home.env()));
  await home.gsv(["proc", "list"]);
  await home.stopKernel();
  const list = await against(() => home.gsv(["proc", "list"]));
  const search = await against(() => home.gsv(["man", "-k", "stop", "a", "process"]));
  const complete = await against(() => home.gsv(["__complete", "1", "kill", "in"]));
  const setting = await against(() => home.gsv(["config", "get", "ai.model"]));
  const first: number[] = [];
  for (let round = 0; round < Math.ceil(rounds / 2); round++) first.push(await firstRun());
  const memory: number[] = [];
  for (let round = 0; round < 5; round++) {
    memory.push(await floor.peakMemoryMb([BINARY, "proc", "list"], home.env()));
  }
  // Compiling a function that a short command calls forty times costs more than it saves: 2 ms and 3 MiB for a dozen.
  const talkative = { ...home.env(), BUN_JSC_reportCompileTimes: "1" };
  const compiled = (await run([BINARY, "proc", "list"], talkative)).stderr.split("Optimized ").length - 1;
  const what = "an empty Bun binary";
  return [
    rowOf("--version", version.values, { floor: { value: version.floor, what }, budget: 6 }),
    rowOf("proc list, no kernel", list.values, { floor: { value: list.floor, what }, budget: 15 }),
    rowOf("config get, no kernel", setting.values, { floor: { value: setting.floor, what }, budget: 15 }),
    rowOf("first run ever: a home is created, one prompt", first, { budget: 70 }),
    rowOf("proc list, peak memory", memory, { unit: "MiB", budget: 45 }),
    { name: "proc list, compiled meanwhile", unit: "functions", median: compiled, budget: 5 },
    rowOf("man -k", search.values, { floor: { value: search.floor, what }, budget: 50 }),
    rowOf("TAB after gsv kill in", complete.values, { floor: { value: complete.floor, what }, budget: 50 }),
  ];
}

/** The time of the prompt; removing the home is not measured. */
async function firstRun(): Promise<number> {
  await using home = new Home();
  return (await home.gsv(["chat", "hello"])).ms;
}
