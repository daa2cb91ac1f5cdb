// A long answer over the wire of a model server: 50,000 tokens, one event each, from a server on loopback, and the same request answered in
// a word. What is added to a scripted model is reading, parsing and an SDK.

import { WIRES } from "../support/wire-bytes.ts";
import { type Floor, Home } from "./machine.ts";
import { type Row, rowOf, timed } from "./measure.ts";

const TOKENS = 50_000;
const TOKEN = "word ";
/** What a server writes at once. */
const PIECE_BYTES = 4096;

export async function modelRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [wire, model] of [
    ["openai chat completions", "openai/m"],
    ["anthropic", "anthropic/m"],
  ] as const) {
    rows.push(...(await rowsOf(wire, model, Math.ceil(rounds / 5))));
  }
  return rows;
}

async function rowsOf(wire: keyof typeof WIRES, model: string, rounds: number): Promise<Row[]> {
  const { body, type } = WIRES[wire]!;
  const answers = {
    short: Buffer.from(body({ text: ["Hello."] })),
    long: Buffer.from(body({ text: Array.from({ length: TOKENS }, () => TOKEN) })),
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const answer = (await request.text()).includes("go on") ? answers.long : answers.short;
      return new Response(inPieces(answer), { headers: { "content-type": type } });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const home = new Home({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: url, ANTHROPIC_API_KEY: "x", ANTHROPIC_BASE_URL: url });
  try {
    await home.gsv(["chat", "hello"], model);
    const short = await timed(rounds, () => home.gsv(["chat", "hello"], model));
    const kernel = await home.kernel();
    const wall: number[] = [];
    let cpuMs = 0;
    for (let round = -2; round < rounds; round++) {
      const before = kernel.cpuMs();
      const one = await home.gsv(["chat", "go on"], model);
      if (!one.stdout.startsWith(TOKEN.repeat(TOKENS).trimEnd())) throw new Error("the long answer came back short");
      if (round >= 0) wall.push(one.ms);
      if (round >= 0) cpuMs += one.cpuMs + kernel.cpuMs() - before;
      await home.gsv(["proc", "reset"], model);
    }
    return [
      rowOf(`${wire}: chat, warm`, short, { budget: 60 }),
      rowOf(`${wire}: 50,000 tokens, wall`, wall, { budget: 300 }),
      { name: `${wire}: 50,000 tokens, CPU`, unit: "s", median: cpuMs / 1000 / rounds, budget: 0.35 },
    ];
  } finally {
    await home.remove();
    await server.stop(true);
  }
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
