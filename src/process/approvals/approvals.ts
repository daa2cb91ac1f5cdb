// The service behind hil.*: open approval requests and questions, and their answers. The first answer counts: the same answer again succeeds,
// another one gets ECONFLICT. An approval covers exactly the shown request: an answer with another checksum is refused.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Rule } from "../../abi/policy.ts";
import type { Approval } from "../../abi/process/process.ts";
import { nextPlace, placeOf } from "../../kernel/pages.ts";
import { cutToFit, fitting, objectCutToFit } from "../../lib/text/fitting.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { GivenAnswer } from "../../store/process/approvals.ts";
import type { Answer, Approvals, ShownApproval } from "../../syscalls/approval/hil.ts";
import { parseArgs } from "../../syscalls/parse.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import type { Runners } from "../run/runners.ts";
import { asCalled } from "../run/tool-servers.ts";
import { coveredAnswers } from "./covered.ts";
import { isGuarded, PLAN_CALL } from "./policy/file-verdict.ts";
import { hashOf, type Judge } from "./policy/judge.ts";
import { narrowestRule, type Policies } from "./policy/policies.ts";
import { setMode } from "./policy/service.ts";
import { type Questions, questionArgs } from "./questions.ts";
import { firstRunOutput } from "./run-again.ts";

/** Longest arguments shown in a list. The call itself always runs with its whole arguments. */
const ARGS_BYTES_MAX = 32 * 1024;
const ABOUT_BYTES_MAX = 4 * 1024;
const PAGE_ROWS = 100;

export function approvalsList(kernel: KernelStore): Pick<Approvals, "list"> {
  return {
    async list(caller, { after, id }) {
      if (id !== undefined) {
        const { approval } = await visibleApproval(kernel, caller, id);
        if (approval.decision !== null) throw noSuchApproval(id);
        const shown = shownApproval(approval, LIMITS.answerBytesMax, LIMITS.answerBytesMax / 2);
        return { approvals: await labelled(kernel, [shown]), next: null };
      }
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.approvals.open({ ...owner, ...placeOf(after), limit: PAGE_ROWS });
      const approvals = fitting(
        await labelled(
          kernel,
          rows.map((row) => shownApproval(row)),
        ),
        LIMITS.answerBytesMax,
      );
      return {
        approvals,
        next: nextPlace(approvals.at(-1), approvals.length < rows.length || rows.length === PAGE_ROWS),
      };
    },
  };
}

async function labelled(kernel: KernelStore, approvals: readonly ShownApproval[]): Promise<ShownApproval[]> {
  const labels = new Map<string, string | null>();
  for (const { pid } of approvals)
    if (!labels.has(pid)) labels.set(pid, (await kernel.processes.get(pid))?.label ?? null);
  return approvals.map((each) => ({ ...each, label: labels.get(each.pid) ?? null }));
}

export function shownApproval(
  approval: Approval,
  argsBytesMax = ARGS_BYTES_MAX,
  aboutBytesMax = ABOUT_BYTES_MAX,
): ShownApproval {
  const args = objectCutToFit(approval.args, argsBytesMax);
  const about = approval.about === null ? null : cutToFit(approval.about, aboutBytesMax);
  return { ...approval, args, about, inPart: args !== approval.args || about !== approval.about };
}

async function visibleApproval(kernel: KernelStore, caller: Caller, id: string) {
  const found = await kernel.approvals.find(id);
  if (found === null || (found.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchApproval(id);
  return found;
}

export interface ApprovalPorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly runners: Runners;
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
        throw new SysError("ECONFLICT", `request ${id} has changed since you last looked: review it again`, [
          `gsv approvals ${id}`,
        ]);
      const by = { by: caller.username, now: clock.now() };
      const answering = { row, asked, answer, by: by.by };
      if (answer.mode !== undefined && !(asked.call === PLAN_CALL && answer.decision === "approve"))
        throw new SysError("EINVAL", `${id} is not a plan: only a plan is approved with a mode`);
      const standing = answer.always ? await standingRule(ports, answering) : null;
      const given = { ...(await givenFor(ports, answering)), ...by };
      // Before the process goes on.
      const isAccepted = asked.call === PLAN_CALL && answer.decision === "approve" && row.mode === "plan";
      if (isAccepted) await setMode(ports, row, answer.mode ?? "ask");
      const answered = await carryOut(ports, row, given);
      if (answered === null) throw noSuchApproval(id);
      questions.forget(answered);
      const shown = shownApproval(settled(answered, answer));
      if (answer.decision !== "approve" || answered.by !== caller.username) return shown;
      const place = answered.about?.directory ?? row.workspaceId;
      const rule = standing === null ? null : { rule: standing(answered), place, by: caller.username };
      const added = rule === null ? {} : { rule: (await policies.add(ownerUid, rule)).id };
      const mayCover = rule !== null || (row.mode !== "ask" && row.mode !== "plan");
      if (mayCover) for (const each of await coveredAnswers(ports, row)) await carryOut(ports, row, { ...each, ...by });
      return { ...shown, ...added };
    },
  };
}

/** Stores an answer and wakes the process; null if the request does not exist. */
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
  readonly by: string;
}

async function givenFor(ports: ApprovalPorts, answering: Answering): Promise<Omit<GivenAnswer, "by" | "now">> {
  const { asked, answer } = answering;
  const { id: approvalId, decision, message } = answer;
  if (decision === "answer") {
    const said = chosen(asked, answer.text ?? "");
    return { approvalId, decision, said, output: said };
  }
  if (decision === "deny") return { approvalId, decision, said: message ?? null, ...outputAfterDenial(answering) };
  const isSame = Bun.deepEquals({ ...asked.args, ...answer.args }, asked.args);
  if (answer.args === undefined || isSame) return { approvalId, decision };
  return { approvalId, decision, instead: await edited(ports, answering) };
}

/** The result of a plan that goes back, or of a command that already ran if the person does not allow more. */
function outputAfterDenial({ asked, answer, by }: Answering): Pick<GivenAnswer, "output"> {
  if (asked.call === PLAN_CALL) return { output: planBack(by, answer.message ?? "") };
  const again = asked.about?.again;
  return again === undefined ? {} : { output: firstRunOutput(again, by, answer.message ?? null) };
}

function planBack(by: string, said: string): string {
  const words = said === "" ? `${by} did not accept the plan: ask what to change.` : `${by} wants changes: ${said}`;
  return `${words}\nStill in mode plan: present the changed plan with Plan.`;
}

/** The edited call. Invalid or denied edits are refused now, not when the call runs. */
async function edited({ judge, table }: ApprovalPorts, { row, asked, answer }: Answering) {
  const args = { ...asked.args, ...answer.args };
  const syscall = table.get(asked.call);
  const call = { ...asked, args };
  if (syscall !== undefined) parseArgs(syscall.input, asCalled(call), { unknownKeys: "refuse" });
  const judged = await judge.judge(row, call, asked.about?.again?.withheld);
  const { verdict } = judged;
  if (verdict.action === "refuse" || verdict.action === "deny")
    throw new SysError("EPERM", `cannot change ${asked.id} to that: ${verdict.why}`);
  return { args, hash: hashOf(call, judged) };
}

/** The rule for the answered call: exactly this call, or what the pattern covers. Refuses a rule that could never apply. */
async function standingRule(
  { judge }: ApprovalPorts,
  { row, asked, answer: { pattern } }: Answering,
): Promise<(answered: Approval) => Rule> {
  const { filePath: place, about, cover } = await judge.judge(row, asked);
  if (about.once !== true && asked.about?.again === undefined) {
    if (pattern === undefined) return (answered) => narrowestRule(answered, place);
    if (cover === null)
      throw new SysError("EPERM", `no pattern can cover this call: ${clip(pattern)}`, ["allow exactly this call"]);
    const rule = cover(pattern);
    return () => rule;
  }
  const why =
    asked.about?.again !== undefined
      ? "a second run with more always needs approval"
      : about.directory !== null
        ? "without a sandbox, commands on this computer always need approval"
        : place !== null && isGuarded(place)
          ? `changes to ${place} always need approval`
          : `this always needs approval (${about.reasons[0] ?? "no rule can cover it"}): ${place ?? asked.why}`;
  throw new SysError("EPERM", why, [`to allow it once: gsv approve ${asked.id}`]);
}

function checkKind({ kind, id }: Approval, { decision }: Answer): void {
  if (kind === "question" && decision !== "answer")
    throw new SysError("EINVAL", `${id} is a question: answer it, do not approve or deny it`, [
      `gsv answer ${id} TEXT`,
    ]);
  if (kind === "approval" && decision === "answer")
    throw new SysError("EINVAL", `${id} is not a question: approve or deny it`, [
      `gsv approve ${id}   or: gsv deny ${id}`,
    ]);
}

/** Matches a choice by name or number; any text is allowed for a question without choices. */
function chosen(asked: Approval, text: string): string {
  const { choices } = questionArgs(asked);
  const said = text.trim();
  if (said === "") throw new SysError("EINVAL", `the answer to ${asked.id} is empty`);
  if (choices === undefined) return said;
  const found =
    choices.find((choice) => choice === said) ??
    choices.find((choice) => choice.toLowerCase() === said.toLowerCase()) ??
    (/^[1-9][0-9]?$/.test(said) ? choices[Number(said) - 1] : undefined);
  if (found !== undefined) return found;
  throw new SysError("EINVAL", `not one of the choices: ${said.slice(0, 80)}`, [
    choices.map((choice, index) => `${index + 1} ${choice}`).join("   "),
  ]);
}

const DONE = { approve: "approved", deny: "denied", answer: "answered" } as const;

function settled(approval: Approval, answer: Answer): Approval {
  const { decision, id, by, said } = approval;
  if (decision === answer.decision && (decision !== "answer" || said === chosen(approval, answer.text ?? "")))
    return approval;
  if (decision === "withdrawn") throw new SysError("ECONFLICT", `${id} was withdrawn: its run has ended`);
  if (decision === "expired") throw new SysError("ECONFLICT", `${id} has expired`);
  throw new SysError("ECONFLICT", `${id} was already ${DONE[decision ?? "answer"]} by ${by}`);
}

function noSuchApproval(id: string): SysError {
  return new SysError("ENOENT", `no such approval: ${clip(id)}`, ["to list open requests: gsv approvals"]);
}
