// /proc: processes as files, one row per file. Reads and writes are calls by the reader, so files show and do only what the reader may.

import type { Caller } from "../../src/abi/identity.ts";
import { initPid } from "../../src/abi/ids.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { WaitsFor } from "../../src/abi/process/process.ts";
import type { BillLine } from "../../src/abi/process/prompt.ts";
import type { Segment } from "../../src/abi/process/segment.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { FileError } from "../error.ts";
import type { FileSystem } from "../filesystem.ts";
import { type Row, syntheticFs, type TextRow } from "../generated/synthetic.ts";
import { contextFileRows, unlessGone } from "../read/context-files.ts";
import { Control } from "./control.ts";
import { cmdlineText, environText, factsText, identityText, limitsText, statusText, usageText } from "./facts.ts";
import { type MachinePorts, machineRows } from "./machine.ts";
import { type Page, ProcQueries } from "./queries.ts";
import { type LivePorts, Streams } from "./stream.ts";

export interface ProcOptions {
  readonly sysFor: (caller: Caller) => Sys;
  /** Calls that are logged as the caller's actions. */
  readonly actFor: (caller: Caller) => Sys;
  readonly clock: Clock;
  /** The command line's formatters, so that files read the same. */
  readonly historyLines: (page: Page) => readonly string[];
  readonly waitsForText: (waits: WaitsFor) => string;
  readonly segmentName: (segment: Segment) => string;
  /** Data that is not stored yet. */
  readonly live?: LivePorts;
  readonly machine?: MachinePorts;
}

export function procFs(options: ProcOptions): FileSystem {
  const queries = new ProcQueries(options.sysFor, options.segmentName);
  const streams = new Streams(queries, options.live ?? null, options.clock);
  const rows: readonly Row[] = [
    { path: "/*", list: (caller) => queries.pids(caller), has: (caller, _before, pid) => queries.has(caller, pid) },
    ...factRows(queries, options),
    ...workRows(queries, options),
    { path: "/*/stream", read: (caller, [pid = ""], range) => streams.read(caller, pid, range) },
    ...controlRows(new Control(options.actFor)),
    mapsRow(options.sysFor),
    ...contextFileRows({
      path: "/*/context.d/*",
      ...options,
      calls: { list: "proc.context.list", set: "proc.context.set" },
      argsOf: ([pid]) => ({ pid }),
    }),
    { path: "/self", link: async (caller) => caller.pid ?? initPid(caller.ownerUid) },
    ...kernelRows(queries, options.clock),
    ...(options.machine === undefined ? [] : machineRows(options.machine)),
  ];
  return syntheticFs(rows, options.clock);
}

function factRows(queries: ProcQueries, { waitsForText }: ProcOptions): TextRow[] {
  const row = (name: string, text: (caller: Caller, pid: string) => Promise<string>): TextRow => ({
    path: `/*/${name}`,
    text: (caller, [pid = ""]) => text(caller, pid),
  });
  return [
    row("status", async (caller, pid) => statusText(await queries.info(caller, pid), waitsForText)),
    row("identity", async (caller, pid) => identityText(await queries.info(caller, pid))),
    row("cmdline", async (caller, pid) =>
      cmdlineText(await queries.info(caller, pid), (await queries.caps(caller, pid)).dropped),
    ),
    row("cwd", async (caller, pid) => `${(await queries.info(caller, pid)).cwd}\n`),
    row("environ", async (caller, pid) => environText(await queries.info(caller, pid))),
    row("model", async (caller, pid) => {
      await queries.info(caller, pid);
      return `${(await queries.setting(caller, "ai.model")) || "default"}\n`;
    }),
    row("caps", async (caller, pid) => (await queries.caps(caller, pid)).capabilities.map(line).join("")),
    row("limits", async (caller, pid) => {
      await queries.info(caller, pid);
      return limitsText(await queries.setting(caller, "run.maxTurns"));
    }),
  ];
}

function workRows(queries: ProcQueries, { historyLines, segmentName }: ProcOptions): Row[] {
  const row = (name: string, text: (caller: Caller, pid: string) => Promise<string>): TextRow => ({
    path: `/*/${name}`,
    text: (caller, [pid = ""]) => text(caller, pid),
  });
  const lines = async function* <Each>(pages: AsyncIterable<Each>, linesOf: (page: Each) => readonly string[]) {
    for await (const page of pages) yield linesOf(page).map(line).join("");
  };
  const asJson = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message));
  return [
    {
      path: "/*/messages",
      text: async (caller, [pid = ""]) => lines(queries.history(caller, pid), ({ messages }) => asJson(messages)),
    },
    {
      path: "/*/segments/*",
      list: async (caller, [pid = ""]) => (await queries.segments(caller, pid)).map(segmentName),
      has: async (caller, [pid = ""], name) => (await queries.segment(caller, pid, name)) !== null,
    },
    {
      path: "/*/segments/*",
      text: async (caller, [pid = "", name = ""]) => {
        const segment = await queries.segment(caller, pid, name);
        if (segment === null) throw new FileError("ENOENT", `/${pid}/segments/${name}`);
        return lines(queries.between(caller, pid, segment), asJson);
      },
    },
    { path: "/*/history", text: async (caller, [pid = ""]) => lines(queries.history(caller, pid), historyLines) },
    row("queue", async (caller, pid) => factsText([["Queued", (await queries.info(caller, pid)).queued]])),
    row("pending", async (caller, pid) => (await queries.pending(caller, pid)).map(jsonLine).join("")),
    row("approvals", async (caller, pid) => (await queries.approvals(caller, pid)).map(jsonLine).join("")),
    row("notifications", async (caller, pid) => {
      await queries.info(caller, pid);
      return (await queries.notifications(caller)).map(jsonLine).join("");
    }),
    row("usage", async (caller, pid) => {
      const { total, rows } = await queries.usage(caller, pid);
      return usageText(total, rows, await queries.budgets(caller, pid));
    }),
    row("clients", async (caller, pid) => {
      await queries.info(caller, pid);
      return factsText([["Clients", (await queries.kernel(caller)).clients]]);
    }),
  ];
}

function controlRows(control: Control): TextRow[] {
  const own = { mode: 0o600, owner: async ({ uid, gid }: Caller) => ({ uid, gid }) };
  return [
    {
      path: "/*/ctl",
      ...own,
      text: async () => control.verbs,
      write: (caller, [pid = ""], text, options) => control.ctl(caller, pid, text, options),
    },
    {
      path: "/*/note",
      ...own,
      text: async () => "",
      write: (caller, [pid = ""], text, options) => control.note(caller, pid, text, options),
    },
  ];
}

function kernelRows(queries: ProcQueries, clock: Clock): TextRow[] {
  return [
    { path: "/version", text: async (caller) => line(`gsv ${(await queries.kernel(caller)).version}`) },
    {
      path: "/uptime",
      text: async (caller) => {
        const { startedAt } = await queries.kernel(caller);
        return line(startedAt === null ? "0.00" : (Math.max(0, clock.now() - startedAt) / 1000).toFixed(2));
      },
    },
    {
      path: "/loadavg",
      text: async (caller) => {
        const { working, processes } = await queries.kernel(caller);
        return line(`${working}/${processes}`);
      },
    },
  ];
}

function line(text: string): string {
  return `${text}\n`;
}

function jsonLine(value: object): string {
  return line(JSON.stringify(value));
}

interface PromptSizes {
  readonly model: string;
  readonly windowTokens: number | null;
  readonly tokens: number;
  readonly bytes: number;
  readonly bill: readonly BillLine[];
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Contents of the next request, by source and tokens. */
function mapsRow(sysFor: (caller: Caller) => Sys): Row {
  return {
    path: "/*/maps",
    text: async (caller, [pid = ""]) =>
      mapsText(await unlessGone(`/${pid}`, sysFor(caller).call("proc.prompt", { pid }))),
  };
}

/** One line per file, tool and message role. */
function mapsText({ model, windowTokens, tokens, bytes, bill, leftOut }: PromptSizes): string {
  const lines = bill.map(
    (line) => `${line.source}\t${line.bytes}\t${line.tokens}\t${shareOf(line.tokens, tokens)}\t${plain(line.what)}`,
  );
  const window = windowTokens === null ? "" : ` of ${windowTokens}`;
  return [
    `# next request to ${plain(model)}: about ${tokens} tokens${window}, ${bytes} bytes`,
    "# source\tbytes\ttokens\tshare\twhat",
    ...lines,
    ...leftOut.map(({ path, why }) => `# left out (${why}): ${plain(path)}`),
    "",
  ].join("\n");
}

function shareOf(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`;
}

function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, "?");
}
