// `gsv manager` as another program uses it: the built program and its kernel, with JSON lines in between.

import { linesOf } from "../../src/lib/text/lines.ts";
import type { ClaudeStreamEvent } from "../../src/process/manager/events.ts";
import type { TestHome } from "./home.ts";
import { gsvCommand } from "./program.ts";

const DEADLINE_MS = 20_000;

interface Line {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly sessionId?: string;
  readonly event?: ClaudeStreamEvent;
  readonly topic?: string;
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
    this.child.stdin.write(`${line}\n`);
    this.child.stdin.flush();
    const isAnswer = (each: Line) => each.id === id && ("result" in each || "error" in each);
    await this.until(line, () => this.lines.slice(from).some(isAnswer));
    return this.lines.slice(from).find(isAnswer) ?? {};
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
      if (left <= 0) throw new Error(`never: ${what}\n${JSON.stringify(this.lines.slice(-20))}`);
      await Promise.race([this.heard.promise, Bun.sleep(Math.min(left, 50))]);
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
