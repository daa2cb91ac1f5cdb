// The calls of one block of code (CodeMode): each is stored, judged, asked for and carried out like a call of the model's own, and its result
// kept with it. A block that is taken up again, after a person's answer or by the next kernel, is run from its beginning and told the same
// results, so that nothing happens twice; one that then goes another way is ended.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NestedCall } from "../../store/process/nested.ts";
import type { CallRow, ProcessStore } from "../../store/process/verbs.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import type { CallAnswer } from "../../tools/code-block.ts";
import type { CallsOutcome, RunPlace } from "./place.ts";

export interface BlockCallPorts {
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly store: ProcessStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** As with any other call. */
  readonly runOne: (place: RunPlace, call: CallRow) => Promise<CallsOutcome>;
}

/** What a block may call: what a model could call itself, and is over when it returns. */
const CALLABLE = ["fs.read", "fs.write", "fs.edit", "fs.delete", "fs.search", "shell.exec", "net.fetch"];

export class BlockCalls {
  /** It stepped aside: it waits for a person, or the run belongs to somebody else. */
  left = false;
  private position = 0;
  private bytes = 0;
  private known: Map<number, NestedCall> | null = null;

  constructor(
    private readonly ports: BlockCallPorts,
    private readonly place: RunPlace,
    private readonly block: CallRow,
  ) {}

  /** Whether it was begun before. */
  async isAgain(): Promise<boolean> {
    return (await this.load()).size > 0;
  }

  async call(name: string, json: string): Promise<CallAnswer> {
    const position = this.position++;
    const known = (await this.load()).get(position) ?? null;
    const syscall = CALLABLE.includes(name) ? this.ports.table.get(name) : undefined;
    if (syscall?.tool === undefined) throw new SysError("EINVAL", `a block of code has no ${name.slice(0, 40)}`);
    if (Buffer.byteLength(json) > LIMITS.toolArgsBytesMax)
      return { fault: `EFBIG: one call takes at most ${LIMITS.toolArgsBytesMax} bytes` };
    const args = JSON.parse(json) as CallRow["args"];
    if (known !== null && (known.call.call !== name || JSON.stringify(known.call.args) !== JSON.stringify(args)))
      throw new SysError("ECONFLICT", `run again, the block went another way: call ${position + 1} was another`);
    this.count(json);
    if (known?.result) return this.answered(known.result);
    return await this.carryOut(position, known?.call ?? (await this.begun(position, syscall, args)));
  }

  private async begun(position: number, syscall: AnySyscall, args: CallRow["args"]): Promise<CallRow> {
    const { store, clock, random } = this.ports;
    const { row, run } = this.place;
    const now = clock.now();
    const call: CallRow = {
      dispatchId: uuidv7(now, random),
      callId: `${this.block.callId}.${position + 1}`,
      tool: syscall.tool?.name ?? syscall.name,
      call: syscall.name,
      args,
      repeat: syscall.tool?.repeat ?? "effect",
      status: "registered",
      block: this.block.dispatchId,
    };
    const stored = await store.nest(row.pid, run.epoch, { block: this.block.dispatchId, position, call, now });
    if (!stored.ok) throw this.aside();
    return call;
  }

  private async carryOut(position: number, call: CallRow): Promise<CallAnswer> {
    if ((await this.ports.runOne(this.place, call)) === "left") throw this.aside();
    this.known = null;
    const result = (await this.load()).get(position)?.result;
    if (result === undefined || result === null) throw this.aside();
    return this.answered(result);
  }

  private answered({ outcome, output }: NonNullable<NestedCall["result"]>): CallAnswer {
    this.count(output);
    return outcome === "completed"
      ? { value: JSON.parse(output) as unknown }
      : { fault: output.replaceAll("\n", "; ") };
  }

  private count(text: string): void {
    this.bytes += Buffer.byteLength(text);
    if (this.bytes <= LIMITS.codeTrafficBytesMax) return;
    const most = LIMITS.codeTrafficBytesMax / 1024 / 1024;
    throw new SysError("EFBIG", `what a block of code says and is told is at most ${most} MiB`, ["do it in several"]);
  }

  private aside(): SysError {
    this.left = true;
    return new SysError("ECANCELED", "the block was put aside");
  }

  private async load(): Promise<Map<number, NestedCall>> {
    this.known ??= new Map(
      (await this.ports.store.nested(this.place.row.pid, this.block.dispatchId)).map((each) => [each.position, each]),
    );
    return this.known;
  }
}
