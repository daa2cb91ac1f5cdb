// The cost of a streamed answer in client and kernel together: a model server that writes one token at a time, gsv in a terminal, and
// beside it a program that writes the same text plainly. Each round has its own kernel and client, as a person's first answer has.

import { Session } from "../../support/session.ts";
import { BINARY, cpuSince, type Floor, Home, Kernel } from "../machine.ts";
import { median, type Row, rowOf } from "../measure.ts";
import { END, SHAPES, type Shape } from "./shapes.ts";

const SCREEN = { columns: 100, rows: 30 };
const RATE = 1000;
/** Most an answer may cost, as a multiple of the plain writer. */
const TIMES = 4;
const WAIT_MS = 120_000;
const SETTLE_MS = 300;

interface Case {
  readonly shape: Shape;
  readonly tokens: number;
  /** Tokens per second; 0: as fast as they go out. */
  readonly rate: number;
}

const CASES: readonly Case[] = [
  ...SHAPES.flatMap((shape) => [RATE, 0].map((rate) => ({ shape, tokens: 5000, rate }))),
  { shape: "prose", tokens: 50_000, rate: 10 * RATE },
];

export async function streamRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const server = Bun.spawn([process.execPath, `${import.meta.dir}/token-server.ts`], { stdout: "pipe" });
  const { value } = await server.stdout.getReader().read();
  const url = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`;
  try {
    const rows: Row[] = [];
    for (const each of CASES) rows.push(await rowFor(each, url, Math.max(3, Math.ceil(rounds / 4))));
    return rows;
  } finally {
    server.kill();
  }
}

async function rowFor(what: Case, url: string, rounds: number): Promise<Row> {
  const [both, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    both.push(await answered(what, url));
    plain.push(await writtenPlainly(what));
  }
  const { shape, tokens, rate } = what;
  const value = median(plain);
  return rowOf(`stream: ${tokens} tokens of ${shape}, ${rate === 0 ? "at once" : `${rate}/s`}, CPU`, both, {
    floor: { value, what: "the same text, written plainly token by token" },
    ...(rate === 0 ? {} : { budget: TIMES * value }),
  });
}

async function answered({ shape, tokens, rate }: Case, url: string): Promise<number> {
  await using home = new Home({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: url });
  const kernel = await home.kernel();
  await using session = new Session({ argv: [BINARY], env: home.env("openai/m"), ...SCREEN });
  await session.until(/^›$/m);
  const both = [kernel, new Kernel(session.process.pid)];
  await Bun.sleep(SETTLE_MS);
  const before = both.map((each) => each.threads());
  session.type(`, stream ${shape} ${tokens} ${rate}\r`);
  await session.until((shown) => shown.includes(END) && !shown.includes("esc stop"), WAIT_MS);
  await Bun.sleep(SETTLE_MS);
  return both.reduce((sum, each, at) => sum + cpuSince(before[at]!, each.threads()), 0);
}

async function writtenPlainly({ shape, tokens, rate }: Case): Promise<number> {
  const script = `
    import { tokensOf } from ${JSON.stringify(`${import.meta.dir}/shapes.ts`)};
    const tokens = tokensOf(${JSON.stringify(shape)}, ${tokens});
    await Bun.stdin.stream().getReader().read();
    const from = performance.now();
    for (let sent = 0; sent < tokens.length; await Bun.sleep(1)) {
      const due = ${rate} === 0 ? tokens.length : Math.ceil(((performance.now() - from) / 1000) * ${rate});
      while (sent < Math.min(due, tokens.length)) process.stdout.write(tokens[sent++]);
    }
    await Bun.sleep(${WAIT_MS});`;
  const argv = [process.execPath, "-e", script];
  await using session = new Session({ argv, env: { PATH: process.env.PATH ?? "" }, ...SCREEN, cwd: "/" });
  await Bun.sleep(2 * SETTLE_MS);
  const writer = new Kernel(session.process.pid);
  const before = writer.threads();
  session.type("\r");
  await session.until((shown) => shown.includes(END), WAIT_MS);
  await Bun.sleep(SETTLE_MS);
  return cpuSince(before, writer.threads());
}
