// One prompt from exec to exit: warm, cold, with a tool turn, and with a long answer.

import { join } from "node:path";
import { type Floor, Home } from "./machine.ts";
import { median, type Row, rowOf, timed, timedAgainst } from "./measure.ts";

const TOKENS = 50_000;
const TOKEN = "word ";

export async function chatRows(floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  await home.gsv(["chat", "hello"]);
  const asked = {
    value: median(await timed(rounds, () => floor.ask())),
    what: "a Bun binary that asks a socket once",
  };
  const warm = await timed(rounds, () => home.gsv(["chat", "hello"]));
  const tool = home.script("tool", [
    { when: "look", calls: [{ name: "Read", args: { path: "~" } }] },
    { when: "look", text: "Hello. That is all there is to say." },
  ]);
  const withTool = await timedAgainst(
    rounds,
    () => home.gsv(["chat", "hello"]),
    () => home.gsv(["chat", "look"], tool),
  );
  const added = withTool.values.map((ms) => ms - withTool.floor);
  return [
    rowOf("chat, warm", warm, { floor: asked, budget: 32 }),
    rowOf("chat, added by a tool turn", added, { budget: 10 }),
    ...(await coldRow(home, asked, Math.ceil(rounds / 2))),
    ...(await longRows(floor, Math.ceil(rounds / 5))),
  ];
}

// The kernel must have ended before each round; the wait is not measured.
async function coldRow(home: Home, floor: NonNullable<Row["floor"]>, rounds: number): Promise<Row[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await home.stopKernel();
    values.push((await home.gsv(["chat", "hello"])).ms);
  }
  return [rowOf("chat, cold (home exists, no kernel)", values, { floor, budget: 70 })];
}

async function longRows(floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const model = home.script("long", [{ text: TOKEN.repeat(TOKENS), chunk: TOKEN.length, repeat: 1_000_000 }]);
  const lines = join(home.directory, "lines.jsonl");
  await Bun.write(lines, `${JSON.stringify({ type: "text", text: TOKEN })}\n`.repeat(TOKENS));
  const least = { wall: [] as number[], cpu: [] as number[] };
  await timed(rounds, async (round) => {
    const one = await floor.print(lines);
    if (round >= 0) least.wall.push(one.ms);
    if (round >= 0) least.cpu.push(one.cpuMs);
  });
  const whole = await longAnswers(home, model, rounds, []);
  const streamed = await longAnswers(home, model, rounds, ["--stream"]);
  const what = "a Bun binary that parses and prints as many lines";
  const wall = { value: median(least.wall), what };
  const cpu = { value: median(least.cpu) / 1000, what };
  const name = "50,000 tokens, CPU of client and kernel";
  return [
    rowOf("50,000 tokens, wall", whole.wall, { floor: wall, budget: 100 }),
    { name, unit: "s", median: whole.cpuMs / 1000, floor: cpu, budget: 0.35 },
    rowOf("50,000 tokens with --stream, wall", streamed.wall, { floor: wall, budget: 100 }),
    { name: `${name}, --stream`, unit: "s", median: streamed.cpuMs / 1000, floor: cpu, budget: 0.35 },
  ];
}

/** Wall time of each round, and average CPU time of client and kernel. */
async function longAnswers(home: Home, model: string, rounds: number, flags: readonly string[]) {
  const kernel = await home.kernel();
  const wall: number[] = [];
  let cpuMs = 0;
  for (let round = -2; round < rounds; round++) {
    const before = kernel.cpuMs();
    const one = await home.gsv(["chat", ...flags, "go on"], model);
    if (!one.stdout.startsWith(TOKEN.repeat(TOKENS).trimEnd())) throw new Error("the long answer came back short");
    if (round >= 0) wall.push(one.ms);
    if (round >= 0) cpuMs += one.cpuMs + kernel.cpuMs() - before;
    await home.gsv(["proc", "reset"]);
  }
  return { wall, cpuMs: cpuMs / rounds };
}
