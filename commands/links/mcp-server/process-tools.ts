// Tools about processes: list, spawn, send, wait, history, abort.

import { SysError } from "../../../src/abi/errno.ts";
import type { Message } from "../../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import { sanitize } from "../../../src/lib/text/sanitize.ts";
import { field } from "../../../src/syscalls/define.ts";
import { messageLine, processText, stateText, waitsForText } from "../../../src/syscalls/format.ts";
import type { Aborted, HistoryPage, MessageText, ProcessPage, Sent, Spawned } from "../../../src/syscalls/services.ts";
import { fittingLines, listText, numberIn, pieceOf, withCursor } from "./pages.ts";
import { type ServerPorts, tool } from "./tool.ts";
import { LONGEST_WAIT_S, untilEnd } from "./wait.ts";

const PAGE = 200;

const pid = field.pid("process");
const cursor = field.optional(field.text("cursor of the page before", { longest: 100 }));

export const processTools = [
  tool({
    name: "list_processes",
    description: "List the person's agents (processes): pid, state, label, what they wait for.",
    needs: ["proc.list", "proc.get"],
    readOnly: true,
    input: { pid: field.optional(field.pid("show all of this one")), cursor },
    async run({ sys }, { pid: one, cursor: after }) {
      if (one !== undefined) return sanitize(processText(await sys.call<ProcessInfo>("proc.get", { pid: one })));
      const asked = { limit: PAGE, ...(after !== undefined && { after }) };
      const { processes, next } = await sys.call<ProcessPage>("proc.list", asked);
      const rows = processes.map((row) => ({ createdAt: row.createdAt, id: row.pid, line: processLine(row) }));
      return listText(rows, next, "(no processes)");
    },
  }),

  tool({
    name: "spawn_process",
    description: "Start a new agent. With a message it begins at once; then wait for it.",
    needs: ["proc.spawn"],
    readOnly: false,
    input: {
      label: field.text("its task in a few words", { shortest: 1, longest: 200, line: true }),
      message: field.optional(field.text("first message")),
      workspace: field.optional(
        field.text("here (the directory of this client), new, none or an id; default none", { longest: 100 }),
      ),
    },
    async run(ports, { label, message, workspace = "none" }) {
      const place = workspace === "here" ? await hereOf(ports) : workspace;
      if (place.includes("/")) throw new SysError("EINVAL", "workspace is here, new, none or the id of a workspace");
      const asked = { label, workspace: place, ...(message !== undefined && { prompt: message }) };
      const made = await ports.sys.call<Spawned>("proc.spawn", asked);
      return made.runId === null
        ? `started ${made.pid}; next: send_message`
        : `started ${made.pid}, run ${made.runId}; next: wait`;
    },
  }),

  tool({
    name: "send_message",
    description: "Send a message to an agent. Returns at once; then wait for the answer.",
    needs: ["proc.send"],
    readOnly: false,
    input: {
      pid: field.optional(field.pid("process; default: the person's own agent")),
      message: field.text("message", { shortest: 1 }),
      interrupt: field.flag("abort its current run first"),
    },
    async run({ sys }, { pid: to, message, interrupt }) {
      const asked = { message, ...(to !== undefined && { pid: to }), ...(interrupt === true && { interrupt }) };
      const sent = await sys.call<Sent>("proc.send", asked);
      return `sent to ${sent.pid}${sent.queued ? " (queued)" : ""}, run ${sent.runId}; next: wait`;
    },
  }),

  tool({
    name: "wait",
    description: "Wait until an agent has answered, and return the answer. Returns early if it still runs: call again.",
    needs: ["proc.wait", "proc.get"],
    readOnly: true,
    input: {
      pid,
      run: field.optional(field.uuid("run, as spawn_process and send_message return it")),
      seconds: field.withDefault(
        field.int(`at most; up to ${LONGEST_WAIT_S}`, { min: 1, max: LONGEST_WAIT_S }),
        LONGEST_WAIT_S,
      ),
    },
    run: untilEnd,
  }),

  tool({
    name: "read_history",
    description: "Read messages of an agent, the newest first page; the cursor leads to older ones.",
    needs: ["proc.history"],
    readOnly: true,
    input: {
      pid,
      message: field.optional(field.int("only this message, in full; 0: the newest answer")),
      cursor,
    },
    run: ({ sys }, { pid: of, message, cursor: from }) =>
      message === undefined
        ? historyOf(sys, of, numberIn(from))
        : fullText(sys, { pid: of, offset: numberIn(from), ...(message > 0 && { seq: message }) }),
  }),

  tool({
    name: "abort_run",
    description: "Abort what an agent does now. It stays and can get new messages.",
    needs: ["proc.abort"],
    readOnly: false,
    input: { pid },
    async run({ sys }, args) {
      const { aborted } = await sys.call<Aborted>("proc.abort", args);
      return aborted ? `aborted the run of ${args.pid}` : `${args.pid} does nothing now`;
    },
  }),
];

function processLine(row: ProcessInfo): string {
  const { pid: of, label, waitsFor } = row;
  const waits = waitsFor === null ? "" : `  waits for ${waitsForText(waitsFor)}`;
  return sanitize(`${of}  ${stateText(row)}  ${label ?? "-"}${waits}`);
}

async function hereOf({ here }: ServerPorts): Promise<string> {
  if (here !== null) return await here();
  throw new SysError("EINVAL", "this server was not started in a directory: workspace here is not possible");
}

/** The newest page, or the one before message number `before`. */
export async function historyOf(sys: ServerPorts["sys"], pid: string, before = 0): Promise<string> {
  const asked = { pid, limit: PAGE, ...(before > 0 && { beforeSeq: before }) };
  const { messages, inPart, hasMoreBefore } = await sys.call<HistoryPage>("proc.history", asked);
  // From the newest on, as many as fit.
  const lines = messages.map((message) => historyLine(message, inPart.includes(message.id))).reverse();
  const { text, count } = fittingLines(lines);
  const oldest = messages.at(-count)?.id;
  if (oldest === undefined) return "(no messages)";
  const inOrder = count === 1 ? text : lines.slice(0, count).reverse().join("\n");
  return withCursor(inOrder, hasMoreBefore || count < messages.length ? oldest : null);
}

function historyLine(message: Message, isCut: boolean): string {
  return sanitize(`#${message.id} ${messageLine(message)}${isCut ? ` (cut: message ${message.id} has all)` : ""}`);
}

async function fullText(
  sys: ServerPorts["sys"],
  asked: { readonly pid: string; readonly seq?: number; readonly offset: number },
): Promise<string> {
  const { text, next } = await sys.call<MessageText>("proc.message", asked);
  return sanitize(pieceOf(text, asked.offset, next));
}
