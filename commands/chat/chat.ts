// `gsv chat`: sends one message and prints the answer. message-source.ts reads the message, run-chat.ts follows the run, view.ts prints, and
// pick.ts extracts a part of the answer.

import { exitStatusOf, messageOf, SysError } from "../../src/abi/errno.ts";
import { initPid } from "../../src/abi/ids.ts";
import type { Mode } from "../../src/abi/policy.ts";
import { microsOf, type Tokens, usdText } from "../../src/abi/process/money.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { SessionOpened } from "../../src/syscalls/session/session-service.ts";
import { flagText, type Spec, timeoutMs, usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command, type Invocation } from "../define.ts";
import { inOnePiece } from "../io/host-files.ts";
import { type Ending, endingOfFailure, resultOf } from "./ending.ts";
import { type Before, readBeforeLeaving, readMessage } from "./message-source.ts";
import type { Pick } from "./pick.ts";
import type { ChatRequest } from "./request.ts";
import { chatRun } from "./run-chat.ts";
import { CHAT } from "./spec.ts";
import { type ChatView, jsonLinesView, jsonResultView, textView } from "./view.ts";

export const chat = command(CHAT, (invocation, io) => runChat(invocation, io, { spec: CHAT }));

type Given = Invocation<typeof CHAT.input>["args"];

interface ChatCaller {
  readonly spec: Spec;
  /** Called with the pid of a new process. */
  readonly onFresh?: (pid: string) => void;
}

export async function runChat(
  { args, json }: Invocation<typeof CHAT.input>,
  io: Io,
  { spec, onFresh = () => {} }: ChatCaller,
): Promise<number> {
  const output = formOf(args.output, json, spec);
  const asks = output === "text" && args.input === undefined && !args.detach && io.person.answersHere();
  const view = viewOf(io, output, { ...args, asks }, onFresh);
  // Signals are taken over from here on: every end prints a result, also between reading and sending.
  const stop = io.onSignal(() => {});
  try {
    const before = await beforeSending(io, view, { args, output, asks, spec });
    if ("ending" in before) return await left(view, before.ending);
    const { request, pick } = before.read;
    if (pick === null) return await chatRun(io, request, view);
    const { askedUntilPicked } = await import("./pick.ts");
    const ask = (each: ChatRequest, shown: ChatView) => chatRun(io, each, shown);
    return await askedUntilPicked(request, { view, pick, quiet: output === "text", ask });
  } finally {
    stop();
  }
}

interface ChatOptions {
  readonly args: Given;
  readonly output: keyof typeof VIEWS;
  /** Asks for approvals on this terminal. */
  readonly asks: boolean;
  readonly spec: Spec;
}

/** A failure prints a result, like every other end. */
async function beforeSending(io: Io, view: ChatView, asked: ChatOptions): Promise<Before<Prepared>> {
  try {
    const limitMs = timeoutMs(asked.spec, asked.args.timeout);
    refuseContradictions(asked.args, asked.spec);
    return await readBeforeLeaving(io, prepared(io, view, { ...asked, limitMs }), limitMs);
  } catch (error) {
    const ending = endingOfFailure(exitStatusOf(error), messageOf(error));
    await view.result(resultOf(NOBODY, ending));
    throw error;
  }
}

const NOBODY = { pid: null, parent: null, run: null, model: null };

async function left(view: ChatView, ending: Ending): Promise<number> {
  if (ending.error) await view.status(ending.error);
  await view.result(resultOf(NOBODY, ending));
  return ending.exit;
}

interface Prepared {
  readonly request: ChatRequest;
  readonly pick: Pick | null;
}

async function prepared(
  io: Io,
  view: ChatView,
  { args, output, asks, spec, limitMs }: ChatOptions & { readonly limitMs: number | null },
): Promise<Prepared> {
  const deadline = limitMs === null ? null : { at: io.clock.mono() + limitMs, afterMs: limitMs };
  const pick = await pickOf(io, args);
  if (args.maxTurns !== undefined) await io.override([`run.maxTurns=${args.maxTurns}`]);
  const input = await readMessage(io, args, spec);
  const pid = await processOf(io, view, args);
  const mode = args.plan ? "plan" : args.mode;
  if (mode !== undefined && !args.new) await setMode(io, view, pid, mode);
  if (input.warning !== null) await view.status(input.warning);
  const request: ChatRequest = {
    pid,
    attached: input.attached,
    model: args.model,
    fresh: args.new ? freshOf(args, mode) : null,
    message: input.message,
    interrupt: args.interrupt === true,
    wait: args.wait === true,
    deltas: pick === null && output !== "json" && (args.stream === true || (output === "text" && io.stdout.isTTY)),
    deadline,
    killOnTimeout: args.killOnTimeout === true,
    answers: args.input === "jsonl",
    asks,
    detach: args.detach === true,
  };
  return { request, pick };
}

const ONLY_NEW = ["as", "label", "budget", "system", "noTools"] as const;

const HINTS: { readonly [flag in (typeof ONLY_NEW)[number]]: readonly string[] } = {
  as: ["gsv chat --session agent:AGENT:cli:dm:main talks to an agent in a session of its own"],
  label: [],
  budget: ["for a running process: gsv budget PID"],
  system: ["for a running process, add a file to /proc/PID/context.d"],
  noTools: [],
};

function refuseContradictions(args: Given, spec: Spec): void {
  const session = args.session !== undefined && "--session";
  const targets = [
    args.pid !== undefined && "--pid",
    session,
    args.new && "--new",
    args.continue && "--continue",
    args.here && "--here",
  ];
  const named = targets.filter((each) => typeof each === "string");
  if (named.length > 1) throw usageError(spec, `${named.join(" and ")} cannot be combined`);
  for (const flag of ONLY_NEW)
    if (args[flag] !== undefined && !args.new) throw usageError(spec, `${flagText(flag)} needs --new`, HINTS[flag]);
  if (args.plan && args.mode !== undefined && args.mode !== "plan")
    throw usageError(spec, `--plan and --mode ${args.mode} cannot be combined`);
  if (args.extract !== undefined && args.schema !== undefined)
    throw usageError(spec, "--extract and --schema cannot be combined");
  if (args.killOnTimeout && args.timeout === undefined) throw usageError(spec, "--kill-on-timeout needs --timeout");
  const waits = (["extract", "schema", "lastMessage", "wait", "timeout"] as const).find(
    (each) => args[each] !== undefined,
  );
  if (args.detach && waits !== undefined)
    throw usageError(spec, `--detach returns before the answer, so ${flagText(waits)} cannot be combined with it`);
}

async function pickOf(io: Io, { extract, schema }: Given): Promise<Pick | null> {
  if (extract !== undefined) return (await import("./pick.ts")).codeBlock(extract);
  if (schema === undefined) return null;
  const { schemaIn } = await import("./schema.ts");
  return await schemaIn(io, schema);
}

function freshOf(args: Given, mode: Mode | undefined): NonNullable<ChatRequest["fresh"]> {
  const { as, label, model, budget, system } = args;
  return { as, label, model, budget, system, mode, drop: args.noTools ? "*" : undefined };
}

/** The process to talk to; the first message of a session creates its process. */
async function processOf(
  io: Io,
  view: ChatView,
  { pid, session, here, continue: goesOn }: Given,
): Promise<string | undefined> {
  if (here) return await pidHere(io);
  if (session === undefined) return goesOn ? await lastActive(io) : pid;
  const opened = await io.sys().call<SessionOpened>("session.open", { key: session });
  if (opened.sender !== undefined) await view.status(`${opened.sender} writes in ${opened.key} (session.dmScope)`);
  return opened.pid;
}

async function pidHere(io: Io): Promise<string> {
  await io.remotes.onlyHere("directories of this computer");
  const { findHere, processHere } = await import("../here.ts");
  const here = await findHere(io);
  const directory = here?.directory ?? io.cwd;
  const found = here === null ? null : await processHere(io, here);
  if (found !== null) return found.process.pid;
  throw new SysError("ESRCH", `no process works in ${directory}`, ["gsv spawn --workspace . starts one"]);
}

/** Never init, which needs no search. */
async function lastActive(io: Io): Promise<string> {
  const { processes } = await io.sys().call<{ processes: ProcessInfo[] }>("proc.list", {});
  const tasks = processes.filter(({ profile }) => profile !== "init");
  const activity = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  const last = tasks.reduce<ProcessInfo | null>(
    (best, each) => (best === null || activity(each) > activity(best) ? each : best),
    null,
  );
  if (last === null) throw new SysError("ESRCH", "no task to continue", ['gsv chat --new "…" starts one']);
  return last.pid;
}

/** The mode stays after the answer, so the note says how to undo it. */
async function setMode(io: Io, view: ChatView, asked: string | undefined, mode: Mode): Promise<void> {
  const pid = asked ?? initPid((await io.sys().call<{ uid: number }>("system.whoami", {})).uid);
  const before = (await io.sys().call<{ mode: Mode }>("proc.mode", { pid })).mode;
  if (before === mode) return;
  await io.sys().call("proc.mode", { pid, mode });
  await view.status(`${pid} is now in mode ${mode}; to undo: gsv mode ${pid} ${before}`);
}

function viewOf(
  io: Io,
  output: keyof typeof VIEWS,
  { usage, lastMessage, raw = false, asks }: Given & { readonly asks: boolean },
  onFresh: (pid: string) => void,
): ChatView {
  const view = VIEWS[output](io, { raw, asks });
  return {
    ...view,
    async fresh(pid) {
      onFresh(pid);
      await view.fresh(pid);
    },
    async result(result) {
      if (lastMessage !== undefined && result.status === "ok") await copyAnswer(io, lastMessage, result.text ?? "");
      await view.result(result);
      // JSON has the usage in the result.
      if (usage && output === "text" && result.usage !== null)
        await view.status(usageText(result.usage as Tokens, result.costUsd ?? 0));
    },
  };
}

async function copyAnswer(io: Io, path: string, answer: string): Promise<void> {
  const text = answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`;
  await (await io.host()).write(path, inOnePiece(Buffer.from(text)), {});
}

function usageText({ input, output, cacheRead, cacheWrite }: Tokens, costUsd: number): string {
  const cache = cacheRead + cacheWrite === 0 ? "" : `, cache ${cacheRead} read and ${cacheWrite} written`;
  return `${input} tokens in, ${output} out${cache}: ${usdText(microsOf(costUsd))}`;
}

const VIEWS = { text: textView, json: jsonResultView, jsonl: jsonLinesView } as const;

function formOf(output: keyof typeof VIEWS | undefined, json: boolean, spec: Spec): keyof typeof VIEWS {
  if (json && output === "text") throw usageError(spec, "--json and --output text cannot be combined");
  return output ?? (json ? "jsonl" : "text");
}
