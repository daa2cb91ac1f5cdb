// `gsv manager`: the methods of the process manager for programs in any language, as JSON lines. `{"id":1,"call":"isRunning","args":["…"]}` comes
// in; `{"id":1,"result":false}` and events go out. Ends with its input; sessions go on.

import { messageOf } from "../abi/errno.ts";
import { ProcessManager } from "../process/manager/manager.ts";

interface Request {
  readonly id?: unknown;
  readonly call: string;
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

export async function managerLines(filename: string): Promise<number> {
  const print = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`);
  const onFault = (error: unknown) => print({ error: messageOf(error) });
  const manager = new ProcessManager({ filename }, { onFault });
  manager.subscribeAll((sessionId, event) => print({ sessionId, event }));
  manager.setBroadcast((topic, data) => print({ topic, data }));
  for await (const line of linesOf(Bun.stdin.stream())) {
    try {
      const { id, call, args = [] } = JSON.parse(line) as Request;
      print({ id, result: (await carryOut(manager, call, args)) ?? null });
    } catch (error) {
      print({ error: messageOf(error), line: line.slice(0, 200).toWellFormed() });
    }
  }
  await manager.settled();
  return 0;
}

async function carryOut(manager: ProcessManager, call: string, args: readonly unknown[]): Promise<unknown> {
  if (call === "setOwnerCheck") return manager.setOwnerCheck((address) => args.includes(address));
  const method = CALLS.find((each) => each === call);
  if (method === undefined) throw new Error(`no such method: ${call.slice(0, 80)}; methods: ${CALLS.join(", ")}`);
  return await (manager[method] as (...given: readonly unknown[]) => unknown)(...args);
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of input) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
  }
  if (rest.trim() !== "") yield rest;
}
