// Pipelines: all stages run at the same time, each in a copy of the shell, over pipes of bounded size. A stage prints as its commands do; a
// stage that needs its whole input waits for it.

import { ENDED_BY } from "../../abi/errno.ts";
import { type Clock, TimeSlice } from "../../lib/clock.ts";
import { Pipe } from "../programs/pipe.ts";
import { Ended } from "../programs/program.ts";
import { group, literalName, literalText, type Node } from "../rewrite/nodes.ts";
import { bytesOf, statusOf } from "./ends.ts";
import { enoughFor } from "./enough.ts";
import { fork, stagePids } from "./fork.ts";
import type { Interpreter, Methods, Result } from "./interpreter.ts";
import { narrowed } from "./narrowed.ts";
import { Input, type Outlet, type Streams, streamsOf, within } from "./streams.ts";

/** A script that only passes data between its commands would block timers and messages. */
const slice = new TimeSlice();

/** Runs a pipeline of several commands. */
async function runConcurrently(shell: Interpreter, pipeline: Node, clock: Clock): Promise<Result> {
  const commands = pipeline.commands as readonly Node[];
  const { state } = shell.ctx;
  const outer = streamsOf(shell);
  const pipes = commands.slice(1).map(() => new Pipe(() => clock.mono()));
  const collected = new Collected(shell.ctx.limits.maxOutputSize);
  const signal = state.signal;
  const cancel = () => {
    for (const pipe of pipes) pipe.cut();
  };
  signal?.addEventListener("abort", cancel, { once: true });
  const last = commands.length - 1;
  const stderr = outer.err ?? collected.stderr;
  // A command is traced when it ends, so the traces are put in the order of the pipe.
  const traces =
    state.options.xtrace === true ? commands.map(() => new Collected(shell.ctx.limits.maxOutputSize)) : null;
  const stages = commands.map((command, at) => {
    const [before, after] = [pipes[at - 1], pipes[at]];
    const isJoined = (pipeline.pipeStderr as readonly boolean[] | undefined)?.[at] === true;
    const out = after === undefined ? (outer.out ?? collected.stdout) : pipeOutlet(after);
    const err = isJoined ? out : (traces?.[at]?.stderr ?? stderr);
    const input = before === undefined ? outer.input : new Input(before);
    const isOwn = at === last && state.shoptOptions.lastpipe === true;
    return { command, at, before, after, isOwn, streams: { out, err, input } };
  });
  const { lastArg } = state;
  const isCondition = pipeline.negated === true || conditions.has(pipeline);
  const shells = stages.map(({ isOwn, at }) => (isOwn ? shell : stageShell(shell, at, isCondition)));
  for (const [at, pipe] of pipes.entries()) await limitForHead(pipe, commands[at + 1] as Node);
  const running = stages.map(async (stage) => {
    try {
      return await runStage(shells[stage.at] as Interpreter, stage.command, stage.streams);
    } finally {
      stage.before?.leave();
      stage.after?.end();
    }
  });
  const ends = await Promise.allSettled(running);
  signal?.removeEventListener("abort", cancel);
  if (outer.input === null && shells[0] !== shell) state.groupStdin = shells[0]?.ctx.state.groupStdin;
  for (const trace of traces ?? []) stderr.write(Buffer.from(trace.result(0).stderr));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const statuses = ends.map((end) => (end.status === "fulfilled" ? end.value : 0)).slice(Number(pipeline.hidden ?? 0));
  if (state.shoptOptions.lastpipe !== true) state.lastArg = lastArg;
  return collected.result(settledStatus(shell, pipeline, statuses));
}

/** A writer that never waits must know its `head` before it starts. */
async function limitForHead(pipe: Pipe, reader: Node): Promise<void> {
  if (reader.type !== "SimpleCommand" || literalName(reader) !== "head") return;
  const words = (reader.args as readonly Node[]).map(literalText);
  if (!words.includes(null)) pipe.until(await enoughFor(words as readonly string[]));
}

/** Sets PIPESTATUS; returns the status of the pipeline. */
function settledStatus({ ctx: { state } }: Interpreter, pipeline: Node, statuses: readonly number[]): number {
  const elements = new Map(statuses.map((status, at) => [String(at), String(status)]));
  state.arrays ??= new Map();
  state.arrays.set("PIPESTATUS", { kind: "indexed", elements });
  const failed = statuses.findLast((status) => status !== 0);
  const status = state.options.pipefail === true && failed !== undefined ? failed : (statuses.at(-1) ?? 0);
  if (pipeline.negated !== true) return status;
  return status === 0 ? 1 : 0;
}

export function stageShell(shell: Interpreter, at: number, isCondition: boolean): Interpreter {
  const { state } = shell.ctx;
  const copy = fork(shell);
  Object.assign(copy.ctx.state, {
    ...{ lastArg: "", parentHasLoopContext: state.loopDepth > 0, loopDepth: 0, bashPid: state.nextVirtualPid++ },
    ...(at === 0 ? {} : { groupStdin: "" }),
    ...(isCondition ? { inCondition: true } : {}),
  });
  stagePids.set(copy, copy.ctx.state.bashPid);
  return copy;
}

/** Pipelines that may fail under set -e, and all that runs in them. */
const conditions = new WeakSet<Node>();

export async function runStage(shell: Interpreter, command: Node, inside: Streams): Promise<number> {
  return within(shell, inside, async () => {
    try {
      return (await shell.executeCommand(command, "")).exitCode;
    } catch (error) {
      const status = statusOf(error);
      if (status === null) throw error;
      return status;
    }
  });
}

export function pipeOutlet(pipe: Pipe): Outlet {
  return {
    pipe,
    write(bytes) {
      pipe.write(bytes);
      if (pipe.broken) throw new Ended(ENDED_BY.PIPE);
      if (pipe.isOverfull) throw new Ended(ENDED_BY.output);
    },
    async room() {
      await pipe.room();
      await slice.step();
      if (pipe.broken) throw new Ended(ENDED_BY.PIPE);
    },
  };
}

/** Output that the caller of the pipeline gets with the result. */
class Collected {
  private readonly out: Uint8Array[] = [];
  private readonly err: Uint8Array[] = [];
  private size = 0;
  readonly stdout = this.outletInto(this.out);
  readonly stderr = this.outletInto(this.err);

  constructor(private readonly bytesMax: number) {}

  result(exitCode: number): Result {
    const stdout = Buffer.concat(this.out).toString("latin1");
    const stderr = Buffer.concat(this.err).toString();
    return { stdout, stderr, exitCode, stdoutKind: "bytes", stdoutEncoding: "binary" };
  }

  private outletInto(pieces: Uint8Array[]): Outlet {
    return {
      pipe: null,
      write: (bytes) => {
        pieces.push(bytes);
        this.size += bytes.byteLength;
        // The interpreter ends the script at this size, so take no more.
        if (this.size > this.bytesMax) throw new Ended(ENDED_BY.output);
      },
      room: async () => {},
    };
  }
}

/** Passes on the output of a command, and returns the result without it. */
async function flush(shell: Interpreter, result: Result): Promise<Result> {
  const { out, err } = streamsOf(shell);
  const hasOut = out !== null && result.stdout !== "";
  const hasErr = err !== null && result.stderr !== "";
  if (!hasOut && !hasErr) return result;
  const counted = result.internalOutputAccounting ?? { stdout: 0, stderr: 0 };
  const { executionScope } = shell.ctx;
  // Output into a pipe is not output of the script, and the script's own is counted when it is written.
  if (hasOut && (out.pipe !== null || out.isScript)) executionScope.outputBytes -= counted.stdout;
  if (hasErr && (err.pipe !== null || err.isScript)) executionScope.outputBytes -= counted.stderr;
  try {
    if (hasErr) err.write(Buffer.from(result.stderr));
    if (hasOut) {
      out.write(bytesOf(result));
      await out.room();
    }
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    executionScope.accountResult({ stdout: "", stderr: "", exitCode: 0 });
    // Ends the shell as a signal would.
    await shell.runCommand("exit", [String(error.status)], [], "");
  }
  return {
    ...result,
    ...(hasOut && { stdout: "", stdoutKind: "text" as const }),
    ...(hasErr && { stderr: "" }),
    internalOutputAccounting: { stdout: hasOut ? 0 : counted.stdout, stderr: hasErr ? 0 : counted.stderr },
  };
}

interface Thrown {
  readonly name?: string;
  stdout?: unknown;
  stderr?: unknown;
}

/** The output that an error carries is passed on, too. */
async function flushError(shell: Interpreter, error: Thrown): Promise<void> {
  if (typeof error.stdout !== "string" || typeof error.stderr !== "string") return;
  // Errors that end the script are reported at its end.
  const endsScript = error.name === "ExecutionAbortedError" || error.name === "ExecutionLimitError";
  const rest = await flush(shell, { stdout: error.stdout, stderr: endsScript ? "" : error.stderr, exitCode: 0 });
  Object.assign(error, { stdout: rest.stdout, ...(endsScript ? {} : { stderr: rest.stderr }) });
}

export function withPipelines(sharedOf: (shell: Interpreter) => { readonly clock: Clock } | null) {
  return ({ executePipeline, executeStatement, executeCommand, executeScript }: Methods): Partial<Methods> => ({
    async executePipeline(pipeline) {
      const shared = sharedOf(this);
      if (shared === null || (pipeline.commands as readonly Node[]).length < 2)
        return executePipeline.call(this, pipeline);
      if (pipeline.timed !== true) return runConcurrently(this, pipeline, shared.clock);
      const untimed = {
        type: "Statement",
        pipelines: [{ ...pipeline, timed: false }],
        operators: [],
        background: false,
      };
      return executePipeline.call(this, { ...pipeline, commands: [group([untimed])], negated: false });
    },
    executeStatement(statement) {
      const pipelines = statement.pipelines as readonly Node[];
      for (const pipeline of pipelines.slice(0, -1)) conditions.add(pipeline);
      return executeStatement.call(this, statement);
    },
    async executeCommand(command, stdin, isStdinOwned) {
      const shared = sharedOf(this);
      if (shared !== null && slice.isUsedUp) await slice.step();
      const inside = narrowed(streamsOf(this), command, {
        ctx: this.ctx,
        isStdinOwned: stdin !== "" || isStdinOwned === true,
      });
      try {
        const run = () => executeCommand.call(this, command, stdin, isStdinOwned);
        return await flush(this, await within(this, inside, run));
      } catch (error) {
        await flushError(this, error as Thrown);
        throw error;
      }
    },
    executeScript(script) {
      // The output of `$(…)` is its value.
      const streams = streamsOf(this);
      const inside = this.ctx.state.suppressVerbose === true ? { ...streams, out: null } : streams;
      return within(this, inside, () => executeScript.call(this, script));
    },
  });
}
