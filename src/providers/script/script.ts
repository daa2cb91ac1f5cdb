// Plays a file of answers instead of asking a model: for demos, tests and benchmarks. JSON lines; blank lines and lines that begin
// with # are skipped; each other line is one answer, an object with any of
//   text, thinking            text of the answer, thinking         calls     [{"name":"Write","args":{…}}], or "json":"…" for args
//   delayMs                   wait before the first piece          chunk     send in pieces of so many code points
//   chunkDelayMs              wait between pieces                  cut       true: stop with no end, as a lost connection does
//   error                     {"class":"outage","message":"…"}     when      text in the last user message, or /regex/i
//   repeat                    the line counts as so many answers   usage     {"input":1,"output":2,…}; stop: "length", "refusal"
//   for                       "summary": answers no message, but each request to summarise history
// {{n}} is the number of the turn, {{last}} the last user message, {{result}} the last tool result. The file is read at each turn;
// a fault in it is a `config` failure that names the line. Nothing is remembered between turns (see LineSelector).

import { readFile, stat } from "node:fs/promises";
import { LIMITS } from "../../abi/config/limits.ts";
import type { Failure, ModelRequest, Provider, StreamEvent } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import { callId, lastResultText } from "../local.ts";
import { LineSelector, parseScript, ScriptFault, type ScriptLine } from "./script-file.ts";

// Yield to the event loop after so many pieces, so that an abort can arrive.
const PIECES_PER_YIELD = 128;

export function scriptProvider({ clock }: { readonly clock: Clock }): Provider {
  return {
    name: "script",
    async *stream(request, signal) {
      const found = await findLine(request);
      if (signal.aborted) yield { type: "aborted" };
      else if ("class" in found) yield { type: "error", failure: found };
      else yield* play(found.line, { clock, signal, request, turn: found.turn, lastUser: found.lastUser });
    },
  };
}

type SelectedLine = Failure | { readonly line: ScriptLine; readonly turn: number; readonly lastUser: string };

async function findLine(request: ModelRequest): Promise<SelectedLine> {
  const path = request.model;
  let place: LineSelector;
  try {
    const lines = parseScript(await readScript(path));
    if (request.purpose === "summary") return summaryLine(path, lines);
    place = new LineSelector(lines);
  } catch (error) {
    if (error instanceof ScriptFault) return { class: "config", message: `script ${path}: ${error.message}` };
    throw error;
  }
  for await (const messages of request.earlier?.() ?? []) {
    place.pass(messages);
    await yieldToLoop();
  }
  place.pass(request.messages);
  const { line, turn } = place.cue();
  if (line !== null) return { line, turn, lastUser: place.lastUser };
  return { class: "config", message: `script ${path}: no line left for turn ${turn}: add one, or a repeat` };
}

function summaryLine(path: string, lines: readonly ScriptLine[]): SelectedLine {
  const line = lines.find(({ isSummary }) => isSummary);
  if (line !== undefined) return { line, turn: 1, lastUser: "" };
  return { class: "config", message: `script ${path}: no line is for a summary` };
}

/** Yields to the event loop. */
function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function readScript(path: string): Promise<string> {
  try {
    const found = await stat(path);
    // Devices never end, and opening a FIFO blocks.
    if (!found.isFile()) throw new ScriptFault("not a file");
    if (found.size > LIMITS.fileBytesMax) {
      throw new ScriptFault(`larger than ${LIMITS.fileBytesMax} bytes`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof ScriptFault) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "EIO";
    throw new ScriptFault(code === "ENOENT" ? "no such file" : `cannot be read (${code})`);
  }
}

interface Play {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly request: ModelRequest;
  readonly turn: number;
  readonly lastUser: string;
}

async function* play(line: ScriptLine, playing: Play): AsyncGenerator<StreamEvent> {
  const { clock, signal, request } = playing;
  const fill = filler(playing);
  if (line.delayMs > 0) await clock.sleep(line.delayMs, signal);
  let sent = 0;
  for (const event of piecesOf(line, fill, request)) {
    if (sent > 0 && line.chunkDelayMs > 0) await clock.sleep(line.chunkDelayMs, signal);
    else if (sent > 0 && sent % PIECES_PER_YIELD === 0) await yieldToLoop();
    if (signal.aborted) break;
    yield event;
    sent++;
  }
  if (signal.aborted) yield { type: "aborted" };
  else if (line.error !== null) yield { type: "error", failure: { ...line.error, message: fill(line.error.message) } };
  else if (!line.cut) yield { type: "done", stop: line.stop, usage: line.usage };
}

function* piecesOf(line: ScriptLine, fill: (text: string) => string, request: ModelRequest): Generator<StreamEvent> {
  for (const text of cutUp(fill(line.thinking), line.chunk)) yield { type: "thinking", text };
  for (const text of cutUp(fill(line.text), line.chunk)) yield { type: "text", text };
  for (const [index, call] of line.calls.entries()) {
    yield { type: "call.start", index, id: callId("script", request.messages, index), name: call.name };
    const written = call.json ?? JSON.stringify(fillAll(call.args, fill));
    for (const json of cutUp(written, line.chunk)) yield { type: "call.delta", index, json };
  }
}

function* cutUp(text: string, chunk: number): Generator<string> {
  if (chunk === 0) {
    if (text !== "") yield text;
    return;
  }
  let from = 0;
  let points = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
    if (++points % chunk === 0) {
      yield text.slice(from, at + 1);
      from = at + 1;
    }
  }
  if (from < text.length) yield text.slice(from);
}

function filler({ request, turn, lastUser }: Play): (text: string) => string {
  const values: { readonly [name: string]: () => string } = {
    n: () => String(turn),
    last: () => lastUser,
    result: () => lastResultText(request.messages),
  };
  return (text) => text.replace(/\{\{(n|last|result)\}\}/g, (whole, name: string) => values[name]?.() ?? whole);
}

// Only text in values is filled in, not keys.
function fillAll(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]));
}
