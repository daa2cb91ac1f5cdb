// The service behind proc.ipc.*: checks who may ask whom, and writes the text for the other process.

import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { callId } from "../../abi/ids.ts";
import { IPC_TIMEOUT_MS } from "../../abi/ipc.ts";
import { HOPS_MAX } from "../../abi/process/cause.ts";
import type { ClientInfo, Sys } from "../../abi/sys.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { spanText } from "../../lib/text/duration.ts";
import type { IpcRow } from "../../store/kernel/due/ipc.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Ipc, IpcMessage, IpcReply, IpcRequest } from "../../syscalls/proc/ipc-service.ts";
import type { Sent } from "../../syscalls/services.ts";
import { spanMs } from "../when.ts";
import type { Calls, CallsPorts } from "./calls.ts";

export interface IpcPorts extends Pick<CallsPorts, "clock"> {
  readonly kernel: KernelStore;
  readonly random: (length: number) => Uint8Array;
  readonly calls: Calls;
  readonly sysFor: (caller: Caller, client?: ClientInfo) => Sys;
}

export function ipcService(ports: IpcPorts): Ipc {
  const { kernel, clock, calls } = ports;
  return {
    async send(context, message) {
      const { caller, requestId } = context;
      if (caller.pid === undefined)
        throw new SysError("EINVAL", "only a process sends messages this way", [
          "as a person: gsv send --pid PID TEXT",
        ]);
      const target = await targetOf(kernel, context, message.pid);
      const text = await messageText(ports, context, message);
      const wanted = { pid: target.pid, message: text };
      const options = { requestId: `${requestId}:send` };
      const { runId, queued } = await ports.sysFor(caller).call<Sent>("proc.send", wanted, options);
      return { pid: target.pid, runId, queued };
    },

    async call(context, request) {
      const { caller } = context;
      if (request.background && caller.pid === undefined)
        throw new SysError("EINVAL", "only a process gets a reply as a message", ["call without background"]);
      const target = await targetOf(kernel, context, request.pid);
      const now = clock.now();
      const ms = timeoutOf(request);
      const id = callId(ports.random);
      const about = { id, deadlineAt: now + ms };
      const opened = await kernel.ipc.open({
        ...{ ...about, ownerUid: caller.ownerUid, requestKey: `${caller.uid}:${context.requestId}` },
        ...{ sourcePid: caller.pid ?? null, sourceRunId: caller.doing?.run ?? null },
        ...{ targetPid: target.pid, targetRunId: null, message: await messageText(ports, context, request, about) },
        ...{
          replyAs: request.background ? "message" : "result",
          status: "open",
          createdAt: now,
          response: null,
          error: null,
        },
      });
      if ("ring" in opened)
        throw new SysError("EDEADLK", `not called: ${opened.ring.join(" → ")} would wait for each other`, [
          "answer your own call first, or use Send",
        ]);
      if ("chain" in opened)
        throw new SysError(
          "ELOOP",
          `not called: more than ${HOPS_MAX} processes would wait: ${opened.chain.join(" → ")}`,
        );
      const { row } = opened;
      const sys = ports.sysFor(caller, context.client);
      if (row.replyAs === "message") {
        const runId = await calls.begun(row, sys);
        return { id: row.id, pid: row.targetPid, runId, deadlineAt: row.deadlineAt };
      }
      const over = row.status === "open" ? await calls.carryOut(row, sys, context.gone ?? context.signal) : row;
      return replyOf(over);
    },
  };
}

function replyOf({ id, targetPid: pid, status, response, error, createdAt, deadlineAt }: IpcRow): IpcReply {
  switch (status) {
    case "replied":
      return { id, pid, text: response ?? "" };
    case "timeout":
      throw new SysError("ETIMEDOUT", `no reply of ${pid} within ${spanText(deadlineAt - createdAt)} (call ${id})`);
    default:
      throw new SysError("EIO", `${pid} did not answer call ${id}: ${error ?? status}`);
  }
}

async function targetOf(kernel: KernelStore, { caller }: CallContext, pid: string): Promise<ProcessRow> {
  if (pid === caller.pid) throw new SysError("EDEADLK", `${pid} cannot call itself`);
  const target = await visibleProcess(kernel, caller, pid);
  // Root sees all processes, but messages stay with one owner.
  if (target.ownerUid === caller.ownerUid) return target;
  throw new SysError("EPERM", `${pid} belongs to another account`);
}

function timeoutOf({ timeout, timeoutMs }: IpcRequest): number {
  const { usual, min, max } = IPC_TIMEOUT_MS;
  const ms = timeout === undefined ? (timeoutMs ?? usual) : spanMs(/^\d+$/.test(timeout) ? `${timeout}s` : timeout);
  if (ms !== null && ms >= min && ms <= max) return ms;
  throw new SysError("EINVAL", `--timeout ${JSON.stringify(timeout)}: must be a time from 1s to 10m`);
}

/** The text for the other process. */
async function messageText(
  { kernel, clock }: IpcPorts,
  { caller }: CallContext,
  { message, metadata }: IpcMessage,
  call?: { readonly id: string; readonly deadlineAt: number },
): Promise<string> {
  const source = caller.pid === undefined ? null : await kernel.processes.get(caller.pid);
  const label = source?.label ? ` (${source.label})` : "";
  const account = `${caller.username}, uid ${caller.uid}`;
  const from = source === null ? account : `${source.pid}${label} of ${account}`;
  const iso = (at: number) => new Date(at).toISOString();
  // Without the time: a message that is sent again after a crash must be the same.
  const head =
    call === undefined
      ? `Message from ${from}.`
      : `Call ${call.id} from ${from}, at ${iso(clock.now())}. The final text of this run is the reply. Deadline: ${iso(call.deadlineAt)}.`;
  const data = metadata === undefined ? [] : ["", "```json", JSON.stringify(metadata, null, 1), "```"];
  return [head, "", message, ...data].join("\n");
}
