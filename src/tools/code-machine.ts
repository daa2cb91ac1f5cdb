// Runs one block of JavaScript in QuickJS (WebAssembly), with nothing but what is passed in: only strings cross the border. Memory, stack,
// CPU time, output and calls are limited.

import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { LIMITS } from "../abi/config/limits.ts";
import { PRELUDE } from "./code-prelude.ts";
import type { CodeEnd, CodeJob } from "./code-words.ts";
import { quickjsWasm } from "./quickjs-wasm.ts";

export interface CodeMachinePorts {
  readonly mono: () => number;
  readonly call: (id: number, name: string, args: string) => void;
  /** Idle until a call is answered. */
  readonly waits: () => void;
}

const FILE = "block.js";
const TOO_LONG = "it took too long";
const OUT_OF_MEMORY = "out of memory";

const PAGE_BYTES = 64 * 1024;
const PAGES_FIRST = 256;
let isFull = () => false;

/** Slow to load. The memory itself is limited: QuickJS counts only a few bytes per block, so its own limit lets far more through. */
export async function quickjsModule(): Promise<QuickJSWASMModule> {
  const wasmBinary = await quickjsWasm();
  const maximum = LIMITS.codeMemoryBytesMax / PAGE_BYTES;
  const wasmMemory = new WebAssembly.Memory({ initial: PAGES_FIRST, maximum });
  isFull = () => wasmMemory.buffer.byteLength > LIMITS.codeMemoryBytesMax - PAGE_BYTES * PAGES_FIRST;
  return await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmBinary, wasmMemory }));
}

export class CodeMachine {
  private readonly waiting = new Map<number, QuickJSDeferredPromise>();
  private readonly logs: string[] = [];
  private bytes = 0;
  private calls = 0;
  private workedMs = 0;
  private turnBegan = 0;
  private fault: string | null = null;
  private readonly ended = Promise.withResolvers<CodeEnd>();

  private constructor(
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
    private readonly job: CodeJob,
    private readonly ports: CodeMachinePorts,
  ) {}

  static make(quickjs: QuickJSWASMModule, job: CodeJob, ports: CodeMachinePorts): CodeMachine {
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(job.limits.memoryBytesMax);
    runtime.setMaxStackSize(job.limits.stackBytesMax);
    return new CodeMachine(runtime, runtime.newContext(), job, ports);
  }

  /** The thread ends afterwards, so nothing is freed. */
  run(): Promise<CodeEnd> {
    this.begin();
    return this.ended.promise;
  }

  answer(id: number, json: string): void {
    const deferred = this.waiting.get(id);
    if (deferred === undefined) return;
    this.waiting.delete(id);
    this.turn(() => {
      const text = this.context.newString(json);
      deferred.resolve(text);
      text.dispose();
    });
  }

  private begin(): void {
    const { context, job } = this;
    this.runtime.setInterruptHandler(() => this.isOver());
    const servers = JSON.stringify(job.servers);
    const facts = `{"args":${job.args},"now":${Math.floor(job.now)},"seed":${job.seed >>> 0},"servers":${servers}}`;
    this.put("__facts", context.newString(facts));
    this.put(
      "__call",
      context.newFunction("call", (name, given) => this.called(name, given)),
    );
    this.put(
      "__log",
      context.newFunction("log", (text) => {
        const line = context.getString(text);
        if (this.grow(line)) this.logs.push(line);
      }),
    );
    this.turn(() => {
      context.unwrapResult(context.evalCode(PRELUDE, "prelude.js")).dispose();
      const done = context.evalCode(`(async () => {\n${job.code}\n})()`, FILE);
      if (done.error) this.fail(this.worded(done.error));
      else this.follow(done.value);
    });
  }

  private turn(work: () => void): void {
    if (this.fault !== null) return;
    this.turnBegan = this.ports.mono();
    try {
      work();
      const rest = this.runtime.executePendingJobs();
      if (rest.error) this.fail(this.worded(rest.error));
    } catch (error) {
      // A module that reached the limit of its memory is broken: the next call traps.
      const isBroken = error instanceof WebAssembly.RuntimeError;
      this.fail(isBroken ? OUT_OF_MEMORY : error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
    this.workedMs += this.ports.mono() - this.turnBegan;
    if (this.fault !== null) return;
    if (this.waiting.size === 0) this.fail("it waits for something that never happens");
    else this.ports.waits();
  }

  private follow(promise: QuickJSHandle): void {
    const { context } = this;
    const then = context.getProp(promise, "then");
    const done = context.newFunction("done", (value) => this.succeed(value));
    const failed = context.newFunction("failed", (reason) => this.fail(this.worded(reason)));
    const result = context.callFunction(then, promise, done, failed);
    if (result.error) this.fail(this.worded(result.error));
  }

  private isOver(): boolean {
    if (this.fault !== null) return true;
    if (this.workedMs + this.ports.mono() - this.turnBegan < this.job.limits.runMsMax) return false;
    this.fail(TOO_LONG);
    return true;
  }

  private called(name: QuickJSHandle, given: QuickJSHandle): QuickJSHandle {
    const { context, job } = this;
    const deferred = context.newPromise();
    const id = this.calls++;
    if (id >= job.limits.callsMax) this.fail(`it made more than ${job.limits.callsMax} calls`);
    else {
      this.waiting.set(id, deferred);
      this.ports.call(id, context.getString(name), context.getString(given));
    }
    return deferred.handle;
  }

  private grow(text: string): boolean {
    this.bytes += Buffer.byteLength(text) + 1;
    if (this.bytes <= this.job.limits.outputBytesMax) return true;
    this.fail(`it printed more than ${this.job.limits.outputBytesMax / 1024} KiB`);
    return false;
  }

  private succeed(value: QuickJSHandle): void {
    const { context } = this;
    const stringify = context.unwrapResult(context.evalCode("JSON.stringify"));
    const text = context.callFunction(stringify, context.undefined, value);
    if (text.error) {
      this.fail(this.worded(text.error));
      return;
    }
    const result = context.typeof(text.value) === "string" ? context.getString(text.value) : null;
    if (result === null || this.grow(result)) this.end(result);
  }

  private fail(why: string): void {
    if (this.fault !== null) return;
    this.fault = why;
    this.end(null);
  }

  private end(result: string | null): void {
    this.ended.resolve({ result, logs: this.logs, fault: this.fault });
    this.fault ??= "it is over";
  }

  private worded(error: QuickJSHandle): string {
    const { context } = this;
    if (this.fault !== null) return this.fault;
    const textOf = (key: string) => {
      using property = context.getProp(error, key);
      return context.typeof(property) === "string" ? context.getString(property).slice(0, 2000) : "";
    };
    if (context.typeof(error) !== "object") return `thrown: ${context.getString(error).slice(0, 2000)}`;
    const [name, message, stack] = [textOf("name") || "Error", textOf("message"), textOf("stack")];
    // Without memory there is no room for the words of an error either.
    if (message === "" && isFull()) return OUT_OF_MEMORY;
    // The wrapping function adds a line.
    const line = new RegExp(`${FILE}:(\\d+)`).exec(stack)?.[1];
    const where = line === undefined ? "" : ` (line ${Math.max(1, Number(line) - 1)})`;
    return `${name}: ${message}${where}`;
  }

  private put(name: string, handle: QuickJSHandle): void {
    this.context.setProp(this.context.global, name, handle);
    handle.dispose();
  }
}
