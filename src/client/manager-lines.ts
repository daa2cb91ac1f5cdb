// `gsv manager`: the methods of the process manager as JSON lines. `{"id":1,"call":"isRunning","args":["…"]}` comes in;
// `{"id":1,"result":false}` or `{"id":1,"error":"…"}` goes out, and the events of sessions. Methods that take functions write lines in their
// place: events, broadcasts, and tool calls, which the program answers.

import type { ManagerLines } from "../../commands/command.ts";
import { messageOf } from "../abi/errno.ts";
import { uuidv4 } from "../abi/ids.ts";
import type { Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import type { EventCallback } from "../process/manager/events.ts";
import { ProcessManager } from "../process/manager/manager.ts";
import type { ToolService } from "../process/manager/tools.ts";

interface Line {
  readonly id?: unknown;
  readonly call?: unknown;
  readonly args?: readonly unknown[];
  /** Id of the tool call that this line answers. */
  readonly toolCall?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The methods whose arguments are JSON. */
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
export async function managerLines(
  database: string,
  { input, print }: ManagerLines,
  using: { readonly sys: Sys; readonly clock: Clock },
): Promise<void> {
  const onFault = (error: unknown) => void print({ error: messageOf(error) });
  const lines = new Lines(new ProcessManager({ filename: database }, { ...using, onFault }), print);
  for await (const line of input) if (line.trim() !== "") await lines.take(line);
  await lines.manager.settled();
}

class Lines {
  private readonly toolCalls = new Map<string, PromiseWithResolvers<string>>();
  private readonly tell: EventCallback = (sessionId, event) => void this.print({ sessionId, event });

  constructor(
    readonly manager: ProcessManager,
    private readonly print: ManagerLines["print"],
  ) {
    manager.subscribeAll(this.tell);
    this.setBroadcast(true);
  }

  async take(text: string): Promise<void> {
    const line = lineFrom(text);
    try {
      if (line.toolCall === undefined) await this.print({ id: line.id, result: (await this.carryOut(line)) ?? null });
      else this.answerTool(line);
    } catch (error) {
      await this.print({ id: line.id, error: messageOf(error), line: text.slice(0, 200).toWellFormed() });
    }
  }

  private async carryOut({ call, args = [] }: Line): Promise<unknown> {
    if (typeof call !== "string" || !Array.isArray(args))
      throw new Error('a line is a JSON object such as {"id":1,"call":"isRunning","args":["SESSION"]}');
    const { manager } = this;
    const method = CALLS.find((each) => each === call);
    if (method !== undefined) return await (manager[method] as (...given: readonly unknown[]) => unknown)(...args);
    const own = Object.hasOwn(this.withFunctions, call) ? this.withFunctions[call] : undefined;
    if (own !== undefined) return own(args);
    const names = [...CALLS, ...Object.keys(this.withFunctions)];
    throw new Error(`no such method: ${call.slice(0, 80)}; methods: ${names.join(", ")}`);
  }

  /** The methods that take functions. */
  private readonly withFunctions: { readonly [call: string]: (args: readonly unknown[]) => void } = {
    setBroadcast: ([isOn]) => this.setBroadcast(isOn !== false),
    setOwnerCheck: (owners) => this.manager.setOwnerCheck((address) => owners.includes(address)),
    setMcpServices: (services) => this.manager.setMcpServices(...services.map((each) => this.serviceFrom(each))),
    subscribe: (args) => this.manager.subscribe(sessionIn(args), this.tell),
    unsubscribe: (args) => this.manager.unsubscribe(sessionIn(args), this.tell),
    subscribeAll: () => this.manager.subscribeAll(this.tell),
    unsubscribeAll: () => this.manager.unsubscribeAll(this.tell),
  };

  private setBroadcast(isOn: boolean): void {
    this.manager.setBroadcast((topic, data) => void (isOn && this.print({ topic, data })));
  }

  private serviceFrom(given: unknown): ToolService {
    const { tools } = (typeof given === "object" && given !== null ? given : {}) as Partial<ToolService>;
    if (!Array.isArray(tools) || tools.some((tool) => typeof tool?.name !== "string"))
      throw new Error('a service is {"tools":[{"name":"…","description":"…","parameters":{"type":"object"}}]}');
    return {
      tools,
      call: async (tool, args, session) => {
        const id = uuidv4((length) => crypto.getRandomValues(new Uint8Array(length)));
        const answer = Promise.withResolvers<string>();
        this.toolCalls.set(id, answer);
        await this.print({ toolCall: id, tool, args, sessionId: session.id });
        return await answer.promise;
      },
    };
  }

  private answerTool({ toolCall, result, error }: Line): void {
    const id = String(toolCall);
    const waiting = this.toolCalls.get(id);
    if (waiting === undefined) throw new Error(`no such tool call: ${id.slice(0, 80)}`);
    this.toolCalls.delete(id);
    if (error === undefined) waiting.resolve(textOf(result));
    else waiting.reject(new Error(textOf(error)));
  }
}

/** Empty if the text is not a JSON object. */
function lineFrom(text: string): Line {
  try {
    const line = JSON.parse(text) as Line | null;
    return typeof line === "object" && line !== null ? line : {};
  } catch {
    return {};
  }
}

function sessionIn([id]: readonly unknown[]): string {
  if (typeof id === "string") return id;
  throw new Error('the session is missing, as in {"id":1,"call":"subscribe","args":["SESSION"]}');
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
