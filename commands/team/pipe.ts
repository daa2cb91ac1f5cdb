// `gsv pipe 'researcher | writer' < brief.md`: each agent gets the answer of the one before. Every stage is a process, and all are created before
// the first starts. The first failure ends the pipe with its status. Text between stages is limited like a message.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { waitsForText } from "../../src/syscalls/format.ts";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { clip, timeoutMs, usageError } from "../args.ts";
import { inBlock, readPrompt } from "../chat/message-text.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { comesOnStdin } from "../io/stdin.ts";
import { printText } from "../print.ts";
import { actingAs, answerOf } from "./one-answer.ts";

const STAGES_MAX = 16;

interface Stage {
  readonly who: string;
  readonly task: string;
}

const spec = {
  name: "pipe",
  summary: "Pipe text through agents",
  input: {
    stages: field.text("stages separated by |: agent and task", { positional: true, meta: "STAGES" }),
    rm: field.flag("kill the processes afterwards and archive their histories"),
    timeout: field.optional(field.text("seconds to wait (exit status 124)", { meta: "SECONDS" })),
  },
  examples: [
    "gsv pipe 'researcher | writer' < brief.md",
    `gsv pipe 'ada "Find the faults." | bob "Write the letter."' < notes.md > letter.md`,
  ],
  notes: [
    [
      "A stage is an agent or PROVIDER/MODEL, followed by its task. Its input is stdin or the answer of the stage",
      "before it. The last answer goes to stdout. If a stage fails, the pipe exits with its status and skips the",
      "rest. A stage that needs your approval fails with 5.",
    ].join("\n"),
    "To run several at once: ls *.md | xargs -P4 -I{} gsv run --rm --no-stdin -- 'Summarise {}'",
  ],
} as const;

export const pipe = command(spec, async ({ args, json }, io) => {
  const stages = stagesOf(args.stages);
  const limitMs = timeoutMs(spec, args.timeout);
  const fed = comesOnStdin(io) ? await readPrompt(io, { ignoreStdin: false }) : null;
  if (fed === null && stages[0]?.task === "")
    throw usageError(spec, "no input: give the first stage a task, or pipe text in");
  const row = new Row(io);
  const stops = [io.onSignal((name) => row.leave(ENDED_BY[name]))];
  if (limitMs !== null) stops.push(io.clock.after(limitMs, () => row.leave(124)));
  try {
    const { text, exit } = await row.run(stages, fed?.text ?? null);
    if (json) await io.stdout.write(jsonLine({ stages: row.done, text, exit }));
    else if (text !== null) await printText(io.stdout, text);
    return exit;
  } finally {
    for (const stop of stops) stop();
    await row.end({ all: args.rm === true });
  }
});

interface Done extends Stage {
  readonly pid: string;
  readonly status: WaitResult["status"];
  readonly exit: number;
}

interface Made extends Stage {
  readonly pid: string;
}

interface End {
  readonly text: string | null;
  readonly exit: number;
}

class Row {
  readonly done: Done[] = [];
  private readonly made: Made[] = [];
  /** The running stage. */
  private current: string | null = null;
  private isLeft = false;
  private readonly left = Promise.withResolvers<End>();

  constructor(private readonly io: Io) {}

  leave(exit: number): void {
    this.isLeft = true;
    const pid = this.current;
    if (pid !== null) void this.quietly("proc.abort", { pid });
    this.left.resolve({ text: null, exit });
  }

  async run(stages: readonly Stage[], input: string | null): Promise<End> {
    return await Promise.race([this.through(stages, input), this.left.promise]);
  }

  /** Stages that never ran are always removed. */
  async end({ all }: { readonly all: boolean }): Promise<void> {
    const begun = new Set(this.done.map(({ pid }) => pid));
    if (this.current !== null) begun.add(this.current);
    for (const { pid } of this.made) if (all || !begun.has(pid)) await this.quietly("proc.kill", { pid });
  }

  // Create all stages first: an unknown name then costs no answer.
  private async through(stages: readonly Stage[], input: string | null): Promise<End> {
    for (const stage of stages) if (!this.isLeft) await this.make(stage);
    let text = input;
    for (const stage of this.made) {
      if (this.isLeft) break;
      const ended = await this.answer(stage, text);
      if (this.isLeft) break;
      if (ended.exit !== 0 || ended.text === null) {
        await note(this.io, `gsv: ${stage.who} (${stage.pid}) ${reasonOf(ended)}`);
        return { text: null, exit: ended.exit === 0 ? 1 : ended.exit };
      }
      text = ended.text;
    }
    return { text, exit: 0 };
  }

  private async make(stage: Stage): Promise<void> {
    const label = `pipe: ${stage.who}`.slice(0, LIMITS.labelCharsMax);
    const { pid } = await this.io
      .sys()
      .call<Spawned>("proc.spawn", { label, ...actingAs(stage.who) })
      .catch((error: unknown) => {
        throw noSuchStage(error, stage.who);
      });
    this.made.push({ ...stage, pid });
    await note(this.io, `gsv: ${stage.who} is ${pid}`);
  }

  private async answer(stage: Made, input: string | null): Promise<WaitResult> {
    const message = messageFor(stage, input);
    this.current = stage.pid;
    const result = await answerOf(this.io.sys(), stage.pid, message);
    this.current = null;
    this.done.push({ ...stage, status: result.status, exit: result.exit });
    return result;
  }

  // Interrupted: do not wait for cleanup.
  private async quietly(call: "proc.abort" | "proc.kill", args: { readonly pid: string }): Promise<void> {
    await this.io
      .sys()
      .call(call, args)
      .catch(() => {});
  }
}

function reasonOf({ error, status, waitsFor }: WaitResult): string {
  if (waitsFor !== null) return `is held: ${waitsForText(waitsFor)}`;
  return error ?? (status === "ok" ? "gave no answer" : `ended: ${status}`);
}

/** The kernel's error names an account; this one names the stage. */
function noSuchStage(error: unknown, who: string): unknown {
  if (!(error instanceof SysError) || error.code !== "EPERM" || who.includes("/")) return error;
  return new SysError("EPERM", `you have no agent ${clip(who)}`, [
    ...error.hints.filter((hint) => hint.startsWith("did you mean")),
    "a stage starts with an agent or PROVIDER/MODEL; see gsv agent list and gsv agent create",
  ]);
}

function messageFor({ who, task }: Stage, input: string | null): string {
  const message = input === null ? task : task === "" ? input : `${task}\n\n${inBlock(input)}`;
  if (message.length <= LIMITS.messageCharsMax) return message;
  throw new SysError(
    "EFBIG",
    `input of ${who} too long: ${message.length} characters, at most ${LIMITS.messageCharsMax}`,
    ["let the stage before it write a file and answer with its name"],
  );
}

function stagesOf(line: string): readonly Stage[] {
  const parts = line.match(/(?:"[^"]*"|'[^']*'|[^|])+|\|/g) ?? [];
  const stages = parts.filter((part) => part !== "|").map(stageOf);
  if (stages.length === 0 || parts.filter((part) => part === "|").length !== stages.length - 1)
    throw usageError(spec, "empty stage: put an agent between the bars");
  if (stages.length > STAGES_MAX) throw usageError(spec, `a pipe has at most ${STAGES_MAX} stages`);
  return stages;
}

function stageOf(part: string): Stage {
  const [who = "", ...rest] = part.trim().split(/\s+/);
  if (who === "") throw usageError(spec, "empty stage: put an agent between the bars");
  const task = part.trim().slice(who.length).trim();
  const quoted = /^(["'])(.*)\1$/s.exec(task);
  return { who, task: rest.length === 0 ? "" : (quoted?.[2] ?? task) };
}
