// The service behind hil.*: what waits for a person, and the answer. The first answer decides; whoever answers later the same way is told
// that it stands, whoever answers otherwise is told who decided. A yes is to what was shown: an answer that names another checksum is none.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Approval } from "../../abi/process/process.ts";
import { nextPlace, placeOf } from "../../kernel/pages.ts";
import type { Clock } from "../../lib/clock.ts";
import { fitting, objectWithin, within } from "../../lib/text/fitting.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { GivenAnswer } from "../../store/process/approvals.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Answer, Approvals, ShownApproval } from "../../syscalls/approval/approval-service.ts";
import { parseArgs } from "../../syscalls/parse.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Runners } from "../run/runners.ts";
import { asCalled } from "../run/tool-servers.ts";
import { isGuarded } from "./policy/file-verdict.ts";
import { hashOf, type Judge } from "./policy/judge.ts";
import { narrowestRule, type Policies } from "./policy/policies.ts";
import { type Questions, questionArgs } from "./questions.ts";

/** Of the arguments of one call, where they are shown; what runs is always the whole. */
const ARGS_BYTES_MAX = 32 * 1024;
/** And of what is shown besides. */
const ABOUT_BYTES_MAX = 4 * 1024;
const PAGE_ROWS = 100;

export function approvalsList(kernel: KernelStore): Pick<Approvals, "list"> {
  return {
    async list(caller, { after, id }) {
      if (id !== undefined) {
        const { approval } = await visibleApproval(kernel, caller, id);
        if (approval.decision !== null) throw noSuchApproval(id);
        return { approvals: [shownApproval(approval, LIMITS.answerBytesMax, LIMITS.answerBytesMax / 2)], next: null };
      }
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.approvals.open({ ...owner, ...placeOf(after), limit: PAGE_ROWS });
      const approvals = fitting(
        rows.map((row) => shownApproval(row)),
        LIMITS.answerBytesMax,
      );
      return {
        approvals,
        next: nextPlace(approvals.at(-1), approvals.length < rows.length || rows.length === PAGE_ROWS),
      };
    },
  };
}

/** As it fits a list. */
export function shownApproval(
  approval: Approval,
  argsBytesMax = ARGS_BYTES_MAX,
  aboutBytesMax = ABOUT_BYTES_MAX,
): ShownApproval {
  const args = objectWithin(approval.args, argsBytesMax);
  const about = approval.about === null ? null : within(approval.about, aboutBytesMax);
  return { ...approval, args, about, inPart: args !== approval.args || about !== approval.about };
}

async function visibleApproval(kernel: KernelStore, caller: Caller, id: string) {
  const found = await kernel.approvals.find(id);
  if (found === null || (found.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchApproval(id);
  return found;
}

export interface ApprovalPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly clock: Clock;
  readonly judge: Judge;
  readonly policies: Policies;
  readonly questions: Questions;
  readonly table: ReadonlyMap<string, AnySyscall>;
}

export function approvalsService(ports: ApprovalPorts): Approvals {
  const { kernel, clock, policies, questions } = ports;
  return {
    ...approvalsList(kernel),

    async answer({ caller }, answer) {
      const { id } = answer;
      const found = await visibleApproval(kernel, caller, id);
      const { approval: asked, ownerUid } = found;
      checkKind(asked, answer);
      if (asked.decision !== null) return shownApproval(settled(asked, answer));
      const row = await kernel.processes.get(asked.pid);
      if (row === null || row.phase !== "live") throw noSuchApproval(id);
      if (answer.hash !== undefined && answer.hash !== asked.hash)
        throw new SysError("ECONFLICT", `what you were shown is not what ${id} asks: look at it again`, [
          `gsv approvals ${id}`,
        ]);
      const by = { by: caller.username, now: clock.now() };
      const file = answer.always ? await fileOfRule(ports, { row, asked, answer }) : null;
      const given = { ...(await givenFor(ports, { row, asked, answer })), ...by };
      const answered = await carryOut(ports, row, given);
      if (answered === null) throw noSuchApproval(id);
      questions.forget(answered);
      const shown = shownApproval(settled(answered, answer));
      if (!answer.always || answered.by !== caller.username) return shown;
      const place = placeFor(row, answered);
      const standing = await policies.add(ownerUid, {
        rule: narrowestRule(answered, file),
        place,
        by: caller.username,
      });
      return { ...shown, rule: standing.id };
    },
  };
}

/** Writes an answer down and lets the process go on; null where there is nothing of that name. */
export async function carryOut(
  { store, ledger, runners }: Pick<ApprovalPorts, "store" | "ledger" | "runners">,
  row: ProcessRow,
  given: GivenAnswer,
): Promise<Approval | null> {
  const answered = await ledger.write(row, async () => {
    const outcome = await store.answer(row.pid, given);
    try {
      await ledger.publish(row);
    } finally {
      runners.wake(row.pid);
    }
    return outcome;
  });
  return answered.ok ? answered.value : null;
}

interface Answering {
  readonly row: ProcessRow;
  readonly asked: Approval;
  readonly answer: Answer;
}

async function givenFor(ports: ApprovalPorts, answering: Answering): Promise<Omit<GivenAnswer, "by" | "now">> {
  const { asked, answer } = answering;
  const { id: approvalId, decision, message } = answer;
  if (decision === "answer") {
    const said = chosen(asked, answer.text ?? "");
    return { approvalId, decision, said, output: said };
  }
  if (decision === "deny") return { approvalId, decision, said: message ?? null };
  const isSame = Bun.deepEquals({ ...asked.args, ...answer.args }, asked.args);
  if (answer.args === undefined || isSame) return { approvalId, decision };
  return { approvalId, decision, instead: await edited(ports, answering) };
}

/** Another call of the same tool in its place; what would not be carried out is refused here and not later. */
async function edited({ judge, table }: ApprovalPorts, { row, asked, answer }: Answering) {
  const args = { ...asked.args, ...answer.args };
  const syscall = table.get(asked.call);
  const call = { ...asked, args };
  if (syscall !== undefined) parseArgs(syscall.input, asCalled(call), { unknownKeys: "refuse" });
  const judged = await judge.judge(row, call);
  const { verdict } = judged;
  if (verdict.action === "refuse" || verdict.action === "deny")
    throw new SysError("EPERM", `${asked.id} cannot become that: ${verdict.why}`);
  return { args, hash: hashOf(call, judged) };
}

/** The file a standing rule is to be about, if any. One that would never be used is not written: better to hear that now than later. */
async function fileOfRule({ judge }: ApprovalPorts, { row, asked }: Answering): Promise<string | null> {
  const { place, about } = await judge.judge(row, asked);
  if (about.once !== true) return place;
  const why =
    about.directory !== null
      ? "this machine has no sandbox: commands on it ask every time"
      : place !== null && isGuarded(place)
        ? `changes of ${place} ask every time: it says what an agent does`
        : `${place ?? asked.why} asks every time: ${about.reasons[0] ?? "no rule is about it"}`;
  throw new SysError("EPERM", why, [`gsv approve ${asked.id} allows it this once`]);
}

/** Where a standing rule holds: the directory a command ran in, the workspace, else wherever. */
function placeFor({ workspaceId }: ProcessRow, { about }: Approval): string | null {
  return about?.directory ?? workspaceId;
}

function checkKind({ kind, id }: Approval, { decision }: Answer): void {
  if (kind === "question" && decision !== "answer")
    throw new SysError("EINVAL", `${id} is a question: it is answered, not approved or denied`, [
      `gsv answer ${id} TEXT`,
    ]);
  if (kind === "approval" && decision === "answer")
    throw new SysError("EINVAL", `${id} wants a yes or a no`, [`gsv approve ${id}   or: gsv deny ${id}`]);
}

/** One of the choices, by its name or its number; any text where there are none. */
function chosen(asked: Approval, text: string): string {
  const { choices } = questionArgs(asked);
  const said = text.trim();
  if (said === "") throw new SysError("EINVAL", `${asked.id} wants an answer`);
  if (choices === undefined) return said;
  const found =
    choices.find((choice) => choice === said) ??
    choices.find((choice) => choice.toLowerCase() === said.toLowerCase()) ??
    (/^[1-9][0-9]?$/.test(said) ? choices[Number(said) - 1] : undefined);
  if (found !== undefined) return found;
  throw new SysError("EINVAL", `${said.slice(0, 80)} is none of the choices`, [
    choices.map((choice, index) => `${index + 1} ${choice}`).join("   "),
  ]);
}

const DONE = {
  approve: "approved",
  deny: "denied",
  answer: "answered",
  expired: "over",
  withdrawn: "withdrawn",
} as const;

function settled(approval: Approval, answer: Answer): Approval {
  const { decision, id, by, said } = approval;
  if (decision === answer.decision && (decision !== "answer" || said === chosen(approval, answer.text ?? "")))
    return approval;
  if (decision === "withdrawn") throw new SysError("ECONFLICT", `${id} is withdrawn: the run it belonged to is over`);
  if (decision === "expired") throw new SysError("ECONFLICT", `${id} is over: nobody answered in time`);
  throw new SysError("ECONFLICT", `${id} was already ${DONE[decision ?? "answer"]} by ${by}`);
}

function noSuchApproval(id: string): SysError {
  return new SysError("ENOENT", `no such approval: ${id}`, ["gsv approvals shows what waits for you"]);
}
