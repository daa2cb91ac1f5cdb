// Three kinds of answers from a model server on loopback: a word, a tool turn and 50,000 tokens of one event each. In turns with the same
// chat on a scripted model, so that the difference is HTTP, parsing and an SDK.

import { WIRES } from "../support/wire-bytes.ts";
import { type Floor, Home } from "./machine.ts";
import { type Row, rowOf, timedAgainst } from "./measure.ts";

const TOKENS = 50_000;
const TOKEN = "word ";
/** The size of one write of the server. */
const PIECE_BYTES = 4096;

export async function modelRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [wire, model] of [
    ["openai chat completions", "openai/m"],
    ["anthropic", "anthropic/m"],
  ] as const) {
    rows.push(...(await rowsOf(wire, model, rounds)));
  }
  return rows;
}

async function rowsOf(wire: string, model: string, rounds: number): Promise<Row[]> {
  const server = serve(wire);
  const url = `http://127.0.0.1:${server.port}`;
  await using home = new Home({
    OPENAI_API_KEY: "x",
    OPENAI_BASE_URL: url,
    ANTHROPIC_API_KEY: "x",
    ANTHROPIC_BASE_URL: url,
  });
  try {
    const scripted = () => home.gsv(["chat", "hello"]);
    const word = () => home.gsv(["chat", "hello"], model);
    const tool = () => home.gsv(["chat", "look"], model);
    const warm = await timedAgainst(rounds, scripted, word);
    const turn = await timedAgainst(rounds, word, tool);
    const added = turn.values.map((ms) => ms - turn.floor);
    const floor = { value: warm.floor, what: "the same on a scripted model" };
    return [
      rowOf(`${wire}: chat, warm`, warm.values, { floor, budget: 60 }),
      rowOf(`${wire}: chat, added by a tool turn`, added, { budget: 15 }),
      ...(await longRows(home, wire, model, Math.ceil(rounds / 5))),
    ];
  } finally {
    await server.stop(true);
  }
}

async function longRows(home: Home, wire: string, model: string, rounds: number): Promise<Row[]> {
  const kernel = await home.kernel();
  const wall: number[] = [];
  let cpuMs = 0;
  for (let round = -2; round < rounds; round++) {
    await home.gsv(["proc", "reset"], model);
    const before = kernel.cpuMs();
    const one = await home.gsv(["chat", "go on"], model);
    if (!one.stdout.startsWith(TOKEN.repeat(TOKENS).trimEnd())) throw new Error("the long answer came back short");
    if (round >= 0) wall.push(one.ms);
    if (round >= 0) cpuMs += one.cpuMs + kernel.cpuMs() - before;
  }
  return [
    rowOf(`${wire}: 50,000 tokens, wall`, wall, { budget: 300 }),
    { name: `${wire}: 50,000 tokens, CPU`, unit: "s", median: cpuMs / 1000 / rounds, budget: 0.35 },
    { name: `${wire}: the kernel after that`, unit: "MiB", median: kernel.rssMb() },
  ];
}

/** Answers by the last message: a long text, a call and then its end, or a word. */
function serve(wire: string): Bun.Server<undefined> {
  const { body, type } = WIRES[wire]!;
  const word = Buffer.from(body({ text: ["Hello."] }));
  const call = Buffer.from(body({ calls: [{ name: "Read", json: ['{"path":"~"}'] }] }));
  const long = Buffer.from(body({ text: Array.from({ length: TOKENS }, () => TOKEN) }));
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { messages } = (await request.json()) as { messages: readonly unknown[] };
      const last = JSON.stringify(messages.at(-1));
      const answer = last.includes("go on") ? long : last.includes("look") ? call : word;
      return new Response(inPieces(answer), { headers: { "content-type": type } });
    },
  });
}

function inPieces(bytes: Buffer): ReadableStream<Uint8Array> {
  let from = 0;
  return new ReadableStream({
    pull(controller) {
      if (from >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(from, from + PIECE_BYTES));
      from += PIECE_BYTES;
    },
  });
}
