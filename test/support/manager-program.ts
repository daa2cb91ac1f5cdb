// `gsv manager` as another program uses it: the built program and its kernel, with JSON lines in between. Hours pass when the test says so.

import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import type { ClaudeStreamEvent } from "../../src/process/manager/events.ts";
import type { SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { TestHome } from "./home.ts";
import { gsvCommand } from "./program.ts";
import { WIRES } from "./wire-bytes.ts";
import type { Spoken } from "./wire-format.ts";
import { type WireReply, WireServer } from "./wire-server.ts";

export const MINUTE = 60_000;
const DEADLINE_MS = 20_000;
const CHAT = WIRES["openai chat completions"]!;

export interface Line {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly sessionId?: string;
  readonly event?: ClaudeStreamEvent;
  readonly topic?: string;
  readonly data?: unknown;
  readonly toolCall?: string;
  readonly tool?: string;
  readonly args?: unknown;
}

export class ManagerProgram implements AsyncDisposable {
  readonly lines: Line[] = [];
  private readonly child;
  private readonly read: Promise<void>;
  private calls = 0;
  private heard = Promise.withResolvers<void>();

  constructor(home: TestHome) {
    this.child = Bun.spawn([...gsvCommand(), "manager"], {
      env: { ...home.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    this.read = this.readAll();
  }

  async call<Result = unknown>(call: string, ...args: readonly unknown[]): Promise<Result> {
    const id = ++this.calls;
    const { result, error } = await this.answer(id, JSON.stringify({ id, call, args }));
    if (error !== undefined) throw new Error(error);
    return result as Result;
  }

  /** Writes a line as it is; returns the next line that has this id. */
  async answer(id: number | undefined, line: string): Promise<Line> {
    const from = this.lines.length;
    this.write(line);
    const isAnswer = (each: Line) => each.id === id && ("result" in each || "error" in each);
    await this.until(line, () => this.lines.slice(from).some(isAnswer));
    return this.lines.slice(from).find(isAnswer) ?? {};
  }

  write(line: string | object): void {
    this.child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    this.child.stdin.flush();
  }

  /** Types of the events of a session. */
  types(sessionId: string): string[] {
    return this.events(sessionId).map((event) => (event.type === "error" ? event.error.type : event.type));
  }

  events(sessionId: string): ClaudeStreamEvent[] {
    return this.lines.flatMap((line) => (line.sessionId === sessionId && line.event ? [line.event] : []));
  }

  /** Waits until the session had so many events. */
  async seen(sessionId: string, type: string, times = 1): Promise<void> {
    await this.until(
      `${type} of ${sessionId}`,
      () => this.types(sessionId).filter((each) => each === type).length >= times,
    );
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + DEADLINE_MS;
    while (!(await holds())) {
      const left = end - performance.now();
      // A test that is over its time ends the program of the whole file: the others must not wait for it too.
      const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
      if (left <= 0 || isOver) throw new Error(`never: ${what}\n${JSON.stringify(this.lines.slice(-20))}`);
      await Promise.race([this.heard.promise, Bun.sleep(Math.min(left, 20))]);
    }
  }

  /** Closes stdin; returns the exit status. */
  async ended(): Promise<number> {
    await this.child.stdin.end();
    await this.read;
    return await this.child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.read;
  }

  private async readAll(): Promise<void> {
    for await (const line of linesOf(this.child.stdout)) {
      this.lines.push(JSON.parse(line));
      this.heard.resolve();
      this.heard = Promise.withResolvers();
    }
  }
}

/** An answer that never ends. */
export const HELD: WireReply = { type: CHAT.type, body: ": wait\n\n", hangs: true };
/** An answer that gsv takes for a fault of its own. */
export const GARBLED: WireReply = { type: CHAT.type, body: "data: {no\n\n" };
export const OVERLOADED = CHAT.error("overloaded");
export const says = (spoken: string | Spoken): WireReply => ({
  type: CHAT.type,
  body: CHAT.body(typeof spoken === "string" ? { text: [spoken] } : spoken),
});

export interface SessionGiven {
  readonly id: string;
  readonly [about: string]: unknown;
}

/** A home with the built program's kernel, a model server, and `gsv manager`. */
export class ManagedHome implements AsyncDisposable {
  manager!: ManagerProgram;
  usual = says("done");
  readonly server = new WireServer(({ path }) => (path.endsWith(CHAT.path) ? this.usual : { status: 404 }));
  readonly home: TestHome;
  private readonly clock = join(tmpdir(), `gsv-clock-${Bun.randomUUIDv7()}`);
  private made = 0;
  private passed = 0;
  private client: Sys | undefined;

  private constructor() {
    writeFileSync(this.clock, "");
    this.home = new TestHome({
      env: {
        OPENAI_API_KEY: "sk-of-the-tests-0123456789",
        OPENAI_BASE_URL: `${this.server.url}/v1`,
        GSV_MODEL: "openai/some-model",
        GSV_KERNEL_MODEL_RETRIES: "0",
        GSV_CLOCK: this.clock,
      },
    });
  }

  static async boot(): Promise<ManagedHome> {
    const managed = new ManagedHome();
    await managed.startKernel();
    // Hours pass while an answer hangs.
    await managed.gsv("config", "set", "ai.generation.timeoutMs", "1000000000");
    managed.manager = new ManagerProgram(managed.home);
    await managed.manager.call("settled");
    return managed;
  }

  async startKernel(): Promise<void> {
    await this.gsv("kernel", "start");
  }

  /** Lets this time pass for the kernel and the manager. */
  pass(ms: number): void {
    this.passed += ms;
    appendFileSync(this.clock, `${ms}\n`);
  }

  passTo(instant: number): void {
    if (instant >= this.now) this.pass(instant - this.now + 1);
  }

  /** The time of the kernel. */
  get now(): number {
    return Date.now() + this.passed;
  }

  /** A client of the kernel's socket that starts no kernel. */
  get sys(): Sys {
    this.home.refuseToStart = true;
    this.client ??= this.home.sys({ seed: 3 });
    return this.client;
  }

  async gsv(...words: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.home.gsv(words);
    if (status !== 0) throw new Error(`gsv ${words.join(" ")}: ${status} ${stderr}`);
    return stdout.trim();
  }

  session(about: object = {}): SessionGiven {
    return { id: `0192f0c1-0000-7000-8000-${String(++this.made).padStart(12, "0")}`, ...about };
  }

  info({ id: key }: { readonly id: string }): Promise<SessionInfo> {
    return this.sys.call("session.get", { key });
  }

  async process(session: { readonly id: string }): Promise<ProcessInfo> {
    return await this.sys.call("proc.get", { pid: (await this.info(session)).pid });
  }

  /** The last request to the model. */
  get asked(): string {
    return JSON.stringify(this.server.requests.at(-1)?.json ?? null);
  }

  /** Waits until the model was asked once more than before. */
  async asking(before: number): Promise<void> {
    await this.manager.until("the model is asked", () => this.server.requests.length > before);
  }

  /** A session with one answer behind it. */
  async talked(about: object = {}): Promise<SessionGiven> {
    const session = this.session(about);
    await this.manager.call("startProcess", session, "hello");
    await this.manager.seen(session.id, "session_exited");
    return session;
  }

  /** The same, resumed with a message that gets these answers. */
  async resumed(about: object, ...replies: readonly WireReply[]): Promise<SessionGiven> {
    const session = await this.talked(about);
    const before = this.server.requests.length;
    this.server.will(...replies);
    await this.manager.call("resumeProcess", session, "and now");
    await this.asking(before);
    return session;
  }

  /** The same, at work on an answer that never ends. */
  async working(about: object = {}): Promise<SessionGiven> {
    return await this.resumed(about, HELD);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager[Symbol.asyncDispose]();
    await this.home.dispose();
    this.server.stop();
    rmSync(this.clock);
  }
}
