// The tool Shell: a command run and told in one answer. What takes longer than the caller waits is told so far, with the id by which it is
// asked again, fed or ended. Beginning and end of what was printed are told; the whole, where it is longer, lies in a file of gsv.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { isUuid } from "../../abi/ids.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Execed, ExecRequest, Shells } from "../../syscalls/run/shell-service.ts";
import type { Output } from "../../targets/output.ts";
import type { ReceiptContext } from "../dispatch.ts";
import type { KeptResults } from "../files/kept-results.ts";
import type { Shell } from "./gsv-scripts.ts";
import { LOST_SCRIPT, type ShellTable } from "./shells.ts";

export interface ShellToolPorts {
  readonly table: ShellTable;
  readonly kept: KeptResults;
  readonly newId: () => string;
}

const WAIT_MS = 60_000;
const PIECE_BYTES = 1024 * 1024;
/** Room for the words around it. */
const TOLD_BYTES = LIMITS.toolOutputBytesMax - 1024;
const REMEMBERED_MAX = 1000;
/** The commonest mistake with two machines. */
const NOT_FOUND = /: command not found\n?$/;
const ELSEWHERE = "gsv has no such program: those of the person's machine run with target host";

export class ShellTool implements Pick<Shells, "exec"> {
  /** How much of a command was told before. */
  private readonly told = new Map<string, number>();

  constructor(private readonly ports: ShellToolPorts) {}

  async exec(context: ReceiptContext, request: ExecRequest): Promise<Execed> {
    const { table } = this.ports;
    const { waitMs = WAIT_MS } = request;
    const shell =
      request.command === undefined ? await this.known(context, request) : await this.begin(context, request);
    await table.endOf(shell, context.signal, waitMs);
    const key = `${context.caller.uid}:${shell.about.id}`;
    const from = this.told.get(key) ?? 0;
    const answer = await this.tell(context.caller, shell, from);
    this.told.delete(key);
    if (answer.exit === null) this.told.set(key, shell.output.bytes);
    if (this.told.size > REMEMBERED_MAX) this.told.delete(this.told.keys().next().value ?? "");
    const isElsewhere = request.target !== "host" && answer.exit === 127 && NOT_FOUND.test(answer.output);
    return isElsewhere ? { ...answer, hint: ELSEWHERE } : answer;
  }

  private async begin(context: ReceiptContext, request: ExecRequest): Promise<Shell> {
    const { command = "", id: _, input: __, signal: ___, ...rest } = request;
    // A tool call that is carried out again finds the command it began.
    const id = isUuid(context.requestId) ? context.requestId : this.ports.newId();
    const lost: Execed = { id, exit: LOST_SCRIPT.exit, output: LOST_SCRIPT.text, file: null };
    return (await this.ports.table.launch(context, { ...rest, id, script: command }, lost)).shell;
  }

  /** Refuses what cannot be typed into. */
  needTypable(caller: Caller, request: ExecRequest): void {
    this.ports.table.fed(caller, idIn(request));
  }

  private async known(context: CallContext, request: ExecRequest): Promise<Shell> {
    const { table } = this.ports;
    const { input, signal } = request;
    const id = idIn(request);
    const { shell } = table.found(context.caller, id);
    if (input !== undefined)
      await table.input(context, { id, data: Buffer.from(input).toString("base64"), end: false });
    if (signal !== undefined)
      await (signal === "TERM" ? table.stop(context, id) : table.signal(context, { id, signal }));
    return shell;
  }

  private async tell(caller: Caller, { about, output, exit }: Shell, from: number): Promise<Execed> {
    const bytes = output.bytes - from;
    if (bytes <= TOLD_BYTES) return { id: about.id, exit, output: textOf(output, from, bytes), file: null };
    const half = Math.floor(TOLD_BYTES / 2);
    const ends = `${textOf(output, from, half)}\n[… ${bytes - 2 * half} bytes left out …]\n${textOf(output, from + bytes - half, half)}`;
    const file = exit === null ? null : await this.ports.kept.keep(caller, "shell", about.id, piecesOf(output));
    return { id: about.id, exit, output: headAndTail(ends, TOLD_BYTES).text, file };
  }
}

function idIn({ id, input }: ExecRequest): string {
  if (id !== undefined) return id;
  const hints =
    input === undefined ? [] : ["input is what is typed into one that runs; what bash is to run is command"];
  throw new SysError("EINVAL", "say a command to run, or the id of one that runs", hints);
}

function* piecesOf(output: Output): Generator<Uint8Array> {
  for (let at = 0; at < output.bytes; ) {
    const { pieces, next } = output.page(at, PIECE_BYTES);
    yield Buffer.concat(pieces.map(({ bytes }) => bytes));
    if (next === at) return;
    at = next;
  }
}

function textOf(output: Output, from: number, bytesMax: number): string {
  const { pieces } = output.page(from, bytesMax);
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}
