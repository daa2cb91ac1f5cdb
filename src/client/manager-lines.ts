// `gsv manager`: the methods of the process manager as JSON lines. `{"id":1,"call":"isRunning","args":["…"]}` comes in;
// `{"id":1,"result":false}` or `{"id":1,"error":"…"}` and the events of all sessions go out.

import type { ManagerLines } from "../../commands/command.ts";
import { messageOf } from "../abi/errno.ts";
import type { Sys } from "../abi/sys.ts";
import { ProcessManager } from "../process/manager/manager.ts";

interface Request {
  readonly id?: unknown;
  readonly call?: unknown;
  readonly args?: readonly unknown[];
}

/** The methods whose arguments are JSON; events of all sessions are printed anyway. */
const CALLS = [
  "startProcess",
  "resumeProcess",
  "stopProcess",
  "cleanupSessionState",
  "getMemoryStats",
  "sendMessage",
  "isRunning",
  "getActiveSessionIds",
  "resumeSession",
  "isPaused",
  "getPausedSessionIds",
  "extendTimeout",
  "shutdown",
  "settled",
] as const;

/** Serves the calls of `input` one after the other; resolves when it has ended and all calls are done. */
export async function managerLines(database: string, sys: Sys, { input, print }: ManagerLines): Promise<void> {
  const onFault = (error: unknown) => void print({ error: messageOf(error) });
  const manager = new ProcessManager({ filename: database }, { sys, onFault });
  manager.subscribeAll((sessionId, event) => void print({ sessionId, event }));
  manager.setBroadcast((topic, data) => void print({ topic, data }));
  for await (const line of input) if (line.trim() !== "") await print(await answerTo(manager, line));
  await manager.settled();
}

async function answerTo(manager: ProcessManager, line: string): Promise<object> {
  const request = requestFrom(line);
  try {
    return { id: request.id, result: (await carryOut(manager, request)) ?? null };
  } catch (error) {
    return { id: request.id, error: messageOf(error), line: line.slice(0, 200).toWellFormed() };
  }
}

/** Without a call if the line is not a request. */
function requestFrom(line: string): Request {
  try {
    const request = JSON.parse(line) as Request | null;
    return typeof request === "object" && request !== null ? request : {};
  } catch {
    return {};
  }
}

async function carryOut(manager: ProcessManager, { call, args = [] }: Request): Promise<unknown> {
  if (typeof call !== "string" || !Array.isArray(args))
    throw new Error('a line is a JSON object such as {"id":1,"call":"isRunning","args":["SESSION"]}');
  if (call === "setOwnerCheck") return manager.setOwnerCheck((address) => args.includes(address));
  const method = CALLS.find((each) => each === call);
  if (method === undefined)
    throw new Error(`no such method: ${call.slice(0, 80)}; methods: ${[...CALLS, "setOwnerCheck"].join(", ")}`);
  return await (manager[method] as (...given: readonly unknown[]) => unknown)(...args);
}
