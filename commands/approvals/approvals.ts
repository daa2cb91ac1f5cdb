// `gsv approvals`, `approve`, `deny` and `answer`. An answer carries the checksum of the request as it was read, so a request that changed
// meanwhile is not answered.

import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { MODE_ALIASES } from "../../src/abi/policy.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { type AnsweredApproval, PLAN_MODES } from "../../src/syscalls/approval/hil.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Ending, Io } from "../command.ts";
import { command } from "../define.ts";
import { allPages, declared, derived } from "../derive.ts";
import { Queue } from "../io/queue.ts";
import { jsonLine, note } from "../io/status.ts";
import { ageText } from "../io/table-layout.ts";
import { printResult, printText } from "../print.ts";
import { answerText, approvalText } from "./approval-card-text.ts";
import { decisionIn, openApproval } from "./decision.ts";
import { editedArgs, UNCHANGED } from "./edited-call.ts";

const id = field.text("the id that gsv approvals lists", {
  positional: true,
  longest: 16,
  meta: "ID",
  of: "approval",
});

const GIVEN_TWICE = "You can give the same answer twice. A different second answer fails and names who answered first.";

export const approve = command(
  {
    name: "approve",
    summary: "Approve a request",
    input: {
      id,
      always: field.flag("and allow exactly this from now on"),
      mode: field.optional(
        field.choice("with a plan: mode to continue in", PLAN_MODES, { aliases: MODE_ALIASES, meta: "MODE" }),
      ),
      pattern: field.optional(
        field.text("and allow what this covers, like 'npm install *'", { longest: 2000, meta: "PATTERN" }),
      ),
      edit: field.flag("edit the command or text first"),
    },
    examples: [
      "gsv approve k3x9",
      "gsv approve k3x9 --always",
      "gsv approve k3x9 --pattern 'npm install *'",
      "gsv approve k3x9 --edit",
      "gsv approve k3x9 --mode accept-edits",
    ],
    notes: [
      GIVEN_TWICE,
      "--always adds a rule for exactly this call in this directory. gsv policy list shows it, gsv policy rm removes it.",
      "--pattern adds a rule for more than this call. gsv approvals ID lists the patterns of a request.",
    ],
  },
  async ({ args, json }, io) => {
    const asked = await openApproval(io.sys(), args.id);
    const changed = args.edit ? { args: await changedBy(io, args.id, asked) } : {};
    const pattern = args.pattern === undefined ? {} : { pattern: args.pattern };
    const mode = args.mode === undefined ? {} : { mode: args.mode };
    const always = args.always || args.pattern !== undefined ? { always: true, ...pattern } : {};
    const status = await answer(
      io,
      { id: args.id, decision: "approve", ...hashOf(asked), ...always, ...mode, ...changed },
      json,
    );
    const attaches = asked?.about?.attaches;
    if (attaches !== undefined && !json) await (await import("./trust.ts")).offer(io, attaches);
    return status;
  },
);

async function changedBy(io: Io, wanted: string, asked: Approval | null): Promise<Approval["args"]> {
  if (asked === null) throw new SysError("ENOENT", `no such approval: ${clip(wanted)}`);
  const args = await editedArgs(io, asked);
  // An unchanged edit must not approve anything.
  if (args === null) throw new SysError("EBUSY", UNCHANGED, [`gsv approve ${wanted} allows it as it is`]);
  return args;
}

export const deny = command(
  {
    name: "deny",
    summary: "Deny a request",
    input: {
      id,
      message: field.optional(
        field.text("reason, shown to the agent", { letter: "m", shortest: 1, longest: 8192, meta: "WHY" }),
      ),
    },
    examples: ["gsv deny k3x9", "gsv deny k3x9 -m 'keep the drafts, delete only the logs'"],
    notes: [GIVEN_TWICE],
  },
  async ({ args, json }, io) => {
    const message = args.message === undefined ? {} : { message: args.message };
    return await answer(
      io,
      { id: args.id, decision: "deny", ...hashOf(await openApproval(io.sys(), args.id)), ...message },
      json,
    );
  },
);

export const answerQuestion = command(
  {
    name: "answer",
    summary: "Answer a question of a process",
    input: {
      id,
      text: field.text("the answer, or the name or number of a choice", {
        positional: true,
        longest: 8192,
        stdin: true,
        meta: "TEXT",
      }),
    },
    examples: ["gsv answer q7ab yes", "gsv answer q7ab 2", "gsv answer q7ab 'the one in /srv'"],
    notes: ["For a request, yes and no also work: gsv answer k3x9 yes is gsv approve k3x9."],
  },
  async ({ args, json }, io) => {
    const asked = await openApproval(io.sys(), args.id);
    const word = asked?.kind === "approval" ? decisionIn(args.text) : null;
    if (word !== null) return await answer(io, { id: args.id, decision: word, ...hashOf(asked) }, json);
    return await answer(io, { id: args.id, decision: "answer", text: args.text }, json);
  },
);

export async function approvals(): Promise<Command> {
  const list = await derived("hil.list", "approvals");
  return command(
    {
      ...list.spec,
      name: "approvals",
      input: {
        id: field.optional({ ...id, doc: "one request in full" }),
        watch: field.flag("keep printing requests and answers until interrupted"),
      },
      examples: ["gsv approvals", "gsv approvals k3x9", "gsv approvals --watch", "gsv approvals --json"],
    },
    async ({ args, json }, io) => {
      if (args.watch && args.id !== undefined)
        throw new SysError("EUSAGE", "--watch shows all requests: leave the id out");
      if (args.watch) return await watch(io, json);
      if (args.id === undefined && !json && io.stdout.isTTY) return await cards(io);
      if (args.id === undefined || json) {
        const words = [...(args.id === undefined ? [] : [args.id]), ...(json ? ["--json"] : [])];
        return await list.run(words, io);
      }
      const asked = await openApproval(io.sys(), args.id);
      if (asked === null)
        throw new SysError("ENOENT", `no such approval: ${clip(args.id)}`, ["to list open requests: gsv approvals"]);
      await printText(io.stdout, `${approvalText(asked)}\n${answerText(asked)}`);
      return 0;
    },
  );
}

/** For people: each request in full, as its card shows it. */
async function cards(io: Io): Promise<number> {
  const page = await allPages(io.sys(), await declared("hil.list"), {});
  const { approvals } = page as { readonly approvals: readonly Approval[] };
  if (approvals.length === 0) await note(io, "(nothing pending)");
  const texts: string[] = [];
  for (const { id, createdAt } of approvals) {
    const asked = await openApproval(io.sys(), id);
    const age = ageText(createdAt, io.clock.now());
    if (asked !== null) texts.push(`${id}  ${age}  ${approvalText(asked)}\n${answerText(asked)}`);
  }
  if (texts.length > 0) await printText(io.stdout, texts.join("\n\n"));
  return 0;
}

function hashOf(asked: Approval | null): { readonly hash?: string } {
  return asked === null || asked.hash === "" ? {} : { hash: asked.hash };
}

async function answer(io: Io, args: object, json: boolean): Promise<number> {
  const result = await io.sys().call<AnsweredApproval>("hil.answer", args);
  await printResult(io, (await declared("hil.answer")).cli.print, result, json);
  return 0;
}

type ApprovalSignal = Extract<Signal, { readonly name: "chat.hil" | "chat.hil_closed" }>;

async function watch(io: Io, json: boolean): Promise<number> {
  const queue = new Queue<ApprovalSignal | Ending>();
  const stops = [
    io.sys().on({ names: ["chat.hil", "chat.hil_closed"] }, (signal) => queue.push(signal as ApprovalSignal)),
    io.onEnding((name) => queue.push(name)),
  ];
  const printed = new Set<string>();
  try {
    const { approvals: open } = await io.sys().call<{ approvals: readonly Approval[] }>("hil.list", {});
    for (const each of open) {
      printed.add(each.id);
      await io.stdout.write(json ? jsonLine(each) : `${openedText(each)}\n`);
    }
    for (let next = await queue.next(); !io.stdout.closed; next = await queue.next()) {
      if (typeof next === "string") return ENDED_BY[next];
      if (next.name === "chat.hil" && printed.has(next.id)) continue;
      if (next.name === "chat.hil_closed") printed.delete(next.id);
      await io.stdout.write(json ? jsonLine(next) : `${signalText(next)}\n`);
    }
    return ENDED_BY.PIPE;
  } finally {
    for (const stop of stops) stop();
  }
}

function openedText(asked: Parameters<typeof approvalText>[0]): string {
  return `${approvalText(asked)}\n${answerText(asked)}`;
}

function signalText(signal: ApprovalSignal): string {
  return signal.name === "chat.hil" ? openedText(signal) : `${signal.id}: ${signal.decision} by ${signal.by}`;
}
