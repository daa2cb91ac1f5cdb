// The service behind codemode.exec. A code block only runs for the tool call it belongs to; calls from elsewhere are refused.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CodeMode } from "../../syscalls/run/codemode.ts";
import { type CodeRunner, runBlock } from "../../tools/code-block.ts";
import type { BlockCalls } from "./block-calls.ts";

export interface BlocksPorts {
  readonly newRunner: () => CodeRunner;
  readonly clock: Clock;
}

const LOGS_TOLD = 40;

export class Blocks implements CodeMode {
  private readonly open = new Map<string, BlockCalls>();
  private running = 0;

  constructor(private readonly ports: BlocksPorts) {}

  /** While the work runs, the call with this id may run its block. */
  async during<T>(dispatchId: string, calls: BlockCalls, work: () => Promise<T>): Promise<T> {
    this.open.set(dispatchId, calls);
    try {
      return await work();
    } finally {
      this.open.delete(dispatchId);
    }
  }

  async exec({ requestId, signal }: Parameters<CodeMode["exec"]>[0], { code, args }: Parameters<CodeMode["exec"]>[1]) {
    const calls = this.open.get(requestId);
    if (calls === undefined) throw new SysError("EPERM", "only the tool CodeMode runs code blocks");
    if (this.running >= LIMITS.codeRunningMax)
      throw new SysError("ELIMIT", `${LIMITS.codeRunningMax} code blocks are already running`, [
        "try again in a moment",
      ]);
    this.running++;
    try {
      const request = { code, args, ...beginningOf(requestId) };
      const place = { call: (name: string, json: string) => calls.call(name, json), signal };
      const { result, logs, fault } = await runBlock(this.ports, request, place);
      if (fault !== null) throw new SysError("EINVAL", `the code failed: ${fault}`, logHints(logs));
      return { result: result === null ? null : (JSON.parse(result) as unknown), logs };
    } finally {
      this.running--;
    }
  }
}

/** Time and seed derive from the call id, so that a repeated run of the block is identical. */
function beginningOf(dispatchId: string): { readonly now: number; readonly seed: number } {
  const hex = dispatchId.replaceAll("-", "");
  return { now: Number.parseInt(hex.slice(0, 12), 16) || 0, seed: Number.parseInt(hex.slice(-8), 16) || 1 };
}

function logHints(logs: readonly string[]): readonly string[] {
  if (logs.length === 0) return [];
  const left = logs.length - LOGS_TOLD;
  return ["its log:", ...(left > 0 ? [`(${left} earlier lines)`] : []), ...logs.slice(-LOGS_TOLD)];
}
