// The tool Shell: runs a command and returns its output. A command that takes longer returns its output so far and an id, for reading on, input or
// ending it. Long output is cut in the middle; a file in gsv holds all of it.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Grant } from "../../abi/grants.ts";
import type { Caller } from "../../abi/identity.ts";
import { isUuid } from "../../abi/ids.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Execed, ExecRequest, Shells } from "../../syscalls/run/shell-service.ts";
import type { HostJob } from "../../targets/host-jobs.ts";
import type { Output } from "../../targets/output.ts";
import type { ReceiptContext } from "../dispatch.ts";
import type { KeptResults } from "../files/kept-results.ts";
import type { ShellRun } from "./script-runs.ts";
import { type FoundRun, LOST_SCRIPT, type ShellRuns } from "./shell-runs.ts";

export interface ShellToolPorts {
  readonly table: ShellRuns;
  readonly kept: KeptResults;
  readonly newId: () => string;
  /** What the sandbox withheld, by the output of a failed command. */
  readonly withheld: (command: HostJob, output: string) => readonly Grant[];
}

const WAIT_MS = 60_000;
const PIECE_BYTES = 256 * 1024;
/** Leaves room for the rest of the result. */
const OUTPUT_BYTES_MAX = LIMITS.toolOutputBytesMax - 1024;
const REMEMBERED_MAX = 1000;
const END_BYTES = 64 * 1024;
/** Common mistake: a program that only the host has. */
const NOT_FOUND = /: command not found\n?$/;
const ELSEWHERE = "gsv has no such program. For programs on the user's computer, use target host.";

export class ShellTool implements Pick<Shells, "exec"> {
  /** Bytes of output already returned, by command. */
  private readonly returned = new Map<string, number>();

  constructor(private readonly ports: ShellToolPorts) {}

  async exec(context: ReceiptContext, request: ExecRequest): Promise<Execed> {
    const { table } = this.ports;
    const { waitMs = WAIT_MS } = request;
    const { shell, command } =
      request.command === undefined ? await this.known(context, request) : await this.begin(context, request);
    await table.endOf(shell, context.signal, waitMs);
    const key = `${context.caller.uid}:${shell.about.id}`;
    const from = this.returned.get(key) ?? 0;
    const answer = await this.resultOf(context.caller, shell, from);
    this.returned.delete(key);
    if (answer.exit === null) this.returned.set(key, shell.output.bytes);
    if (this.returned.size > REMEMBERED_MAX) this.returned.delete(this.returned.keys().next().value ?? "");
    const failed = command !== null && answer.exit !== null && answer.exit !== 0;
    const withheld = failed ? this.ports.withheld(command, endOf(shell.output)) : [];
    if (withheld.length > 0) return { ...answer, withheld };
    const isElsewhere = request.target !== "host" && answer.exit === 127 && NOT_FOUND.test(answer.output);
    return isElsewhere ? { ...answer, hint: ELSEWHERE } : answer;
  }

  private async begin(context: ReceiptContext, request: ExecRequest): Promise<FoundRun> {
    const { command = "", id: _, input: __, signal: ___, ...rest } = request;
    // A repeated tool call finds the command that it started.
    const id = isUuid(context.requestId) ? context.requestId : this.ports.newId();
    const lost: Execed = { id, exit: LOST_SCRIPT.exit, output: LOST_SCRIPT.text, file: null, lost: true };
    return await this.ports.table.launch(context, { ...rest, id, script: command }, lost);
  }

  /** Throws if the command takes no input. */
  needTypable(caller: Caller, request: ExecRequest): void {
    this.ports.table.fed(caller, idIn(request));
  }

  private async known(context: CallContext, request: ExecRequest): Promise<FoundRun> {
    const { table } = this.ports;
    const { input, signal } = request;
    const id = idIn(request);
    const found = table.found(context.caller, id);
    if (input !== undefined)
      await table.input(context, { id, data: Buffer.from(input).toString("base64"), end: false });
    if (signal !== undefined)
      await (signal === "TERM" ? table.stop(context, id) : table.signal(context, { id, signal }));
    return found;
  }

  private async resultOf(caller: Caller, { about, output, exit }: ShellRun, from: number): Promise<Execed> {
    const bytes = output.bytes - from;
    if (bytes <= OUTPUT_BYTES_MAX) return { id: about.id, exit, output: outputText(output, from, bytes), file: null };
    const half = Math.floor(OUTPUT_BYTES_MAX / 2);
    const ends = `${outputText(output, from, half)}\n[… ${bytes - 2 * half} bytes left out …]\n${outputText(output, from + bytes - half, half)}`;
    const file = exit === null ? null : await this.ports.kept.keep(caller, "shell", about.id, piecesOf(output));
    return { id: about.id, exit, output: headAndTail(ends, OUTPUT_BYTES_MAX).text, file };
  }
}

function idIn({ id, input }: ExecRequest): string {
  if (id !== undefined) return id;
  const hints = input === undefined ? [] : ["to run a command, use command; input is for a running command"];
  throw new SysError("EINVAL", "command or id is missing", hints);
}

function* piecesOf(output: Output): Generator<Uint8Array> {
  for (let at = 0; at < output.bytes; ) {
    const { pieces, next } = output.page(at, PIECE_BYTES);
    for (const { bytes } of pieces) yield bytes;
    if (next === at) return;
    at = next;
  }
}

/** Where a command says why it failed. */
function endOf(output: Output): string {
  const from = Math.max(0, output.bytes - END_BYTES);
  return outputText(output, from, output.bytes - from);
}

function outputText(output: Output, from: number, bytesMax: number): string {
  const { pieces } = output.page(from, bytesMax);
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}
