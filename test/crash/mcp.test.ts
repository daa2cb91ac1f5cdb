// kill -9 of kernels and of an MCP server in the middle of tool calls, 200 times in 1,000 calls in a soak. Each call has one result; what a
// result reports as done happened once, what it reports as failed did not happen, and nothing happened twice. No server or child is left.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "../../src/abi/links/mcp.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { isAlive, type TestHome, until, withHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";

const SERVER = join(import.meta.dir, "../support/mcp/noting.ts");
const PROCESSES = samples(2, 4);
/** Few: after a server's death the rest of a turn is refused. */
const CALLS_PER_MESSAGE = 2;
const MESSAGES_EACH = samples(4, 125);
const CALLS = PROCESSES * MESSAGES_EACH * CALLS_PER_MESSAGE;
const KILLS = samples(4, 200);
/** A run that takes longer stands still. */
const PATIENCE_MS = 60_000;

test(
  `${KILLS} kills of kernels and servers in ${CALLS} calls: each call has one result, which is true, and no process is left`,
  () => withHome(killedAtWork),
  samples(60_000, 30 * 60_000),
);

async function killedAtWork(home: TestHome): Promise<void> {
  const { int } = seeded(SEED);
  const calls = Array.from({ length: CALLS_PER_MESSAGE }, (_, at) => ({
    ...{ name: "mcp__notes__note", args: { text: `{{last}}.${at}` } },
  }));
  const script = await home.file("script", [
    { when: "note", calls },
    { when: "note", text: "Noted." },
  ]);
  const place = home.beside("");
  const sys = home.sys({ model: `script:${script}` });
  const command = [process.execPath, SERVER, place];
  await sys.call("sys.mcp.add", { name: "notes", command, directory: "/" });
  await sys.call("sys.mcp.allow", { name: "notes", tool: "note" });
  let left = KILLS;
  const said: Acknowledged[] = [];
  const work = Array.from({ length: PROCESSES }, async (_, at) => {
    const own = home.sys({ model: `script:${script}`, seed: 100 + at });
    const { pid } = await own.call<Spawned>("proc.spawn", {});
    for (let n = 1; n <= MESSAGES_EACH || left > 0; n++) {
      const text = `note ${at}-${n}`;
      const { runId } = await own.call<Sent>("proc.send", { pid, message: text });
      said.push({ pid, runId, text, sender: "person" });
      expect((await ended(own, pid, runId)).status).toBe("ok");
      await serverRests(own);
    }
  });
  const killer = (async () => {
    for (; left > 0; left--) {
      const before = notesIn(place).length;
      const more = 1 + int(Math.ceil(CALLS / KILLS));
      await until("some more calls", () => notesIn(place).length >= before + more, PATIENCE_MS);
      if (left % 2 === 0) await home.kill();
      else killServer(place);
    }
  })();
  await Promise.all([...work, killer]);
  await home.stop();
  const book = new HomeBook(home);
  expect([...book.faults, ...book.missing(said), ...falseResults(book, said, notesIn(place))]).toEqual([]);
  const started = [...pidsIn(place, "servers"), ...pidsIn(place, "children")];
  await until("no server or child is left", () => started.every((pid) => !isAlive(pid)));
  if (process.env.GSV_SOAK === "1")
    process.stderr.write(`${home.deaths} kernels killed; ${outcomesText(book, said)}\n`);
}

async function ended(sys: Sys, pid: string, run: string): Promise<WaitResult> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { results } = await sys.call<{ results: [WaitResult] }>("proc.wait", { pids: [pid], run }, { signal });
  return results[0];
}

/** After a failure calls are refused for a while, which would test nothing. */
async function serverRests(sys: Sys): Promise<void> {
  await until(
    "the server may be started again",
    async () => {
      const { servers } = await sys.call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
      if (servers[0]?.state !== "failed") return true;
      await sys.call("sys.mcp.refresh", { name: "notes" }).catch(() => {});
      return false;
    },
    PATIENCE_MS,
  );
}

function killServer(place: string): void {
  const pid = pidsIn(place, "servers").findLast(isAlive);
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

/** A result must not report what did not happen, and nothing may happen twice. */
function falseResults(book: HomeBook, said: readonly Acknowledged[], notes: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const note of notes) times.set(note, (times.get(note) ?? 0) + 1);
  return resultsOf(book, said).flatMap(({ text, outcomes }) => {
    const [outcome = "none"] = outcomes;
    const happened = times.get(text) ?? 0;
    if (outcomes.length !== 1) return [`${text} has ${outcomes.length} results`];
    const isTrue = outcome === "completed" ? happened === 1 : outcome === "failed" ? happened === 0 : happened <= 1;
    return isTrue ? [] : [`${text} is ${outcome} and happened ${happened} times`];
  });
}

function resultsOf(book: HomeBook, said: readonly Acknowledged[]) {
  return [...new Set(said.map(({ pid }) => pid))].flatMap((pid) => {
    const records = book.records(pid);
    return records.flatMap(({ calls }) =>
      calls.map(({ id, args }) => ({
        text: String(args.text),
        outcomes: records.flatMap(({ callId, outcome }) => (callId === id ? [String(outcome)] : [])),
      })),
    );
  });
}

function outcomesText(book: HomeBook, said: readonly Acknowledged[]): string {
  const counts = new Map<string, number>();
  for (const { outcomes } of resultsOf(book, said)) counts.set(outcomes.join(), (counts.get(outcomes.join()) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${outcome}: ${count}`).join(", ");
}

function notesIn(place: string): string[] {
  return linesIn(place, "notes");
}

function pidsIn(place: string, name: string): number[] {
  return linesIn(place, name).map(Number);
}

function linesIn(place: string, name: string): string[] {
  try {
    return readFileSync(join(place, name), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
