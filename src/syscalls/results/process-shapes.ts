// The shapes of processes, messages and requests in results.

import type { Grant } from "../../abi/grants.ts";
import type { Mode } from "../../abi/policy.ts";
import type { Cause } from "../../abi/process/cause.ts";
import type {
  AssistantContent,
  MediaRef,
  Message,
  Origin,
  Seal,
  ToolCall,
  ToolResultContent,
} from "../../abi/process/message.ts";
import {
  type ApprovalAbout,
  type Attempt,
  PROFILES,
  type ProcessInfo,
  RESTART_RULES,
  type RunAgain,
  type RunFailure,
  STATES,
  type Usage,
  type WaitsFor,
} from "../../abi/process/process.ts";
import type { FailureClass } from "../../abi/stream.ts";
import type { ShownApproval } from "../approval/hil.ts";
import {
  anything,
  choice,
  either,
  flag,
  int,
  list,
  map,
  number,
  object,
  optional,
  orNull,
  type ResultShape,
  text,
  time,
  word,
  yes,
} from "./result-shape.ts";

type Wait<K extends WaitsFor["kind"]> = Extract<WaitsFor, { readonly kind: K }>;

const ask = { id: text(), tool: text(), summary: text() };
const reason = text();
const next = {
  reason,
  model: text(),
  class: word<FailureClass>("why the model did not answer"),
  until: time(),
  attempt: optional(object<Attempt>({ next: int(), of: int() })),
  since: optional(time()),
  looks: optional(int()),
};

export const waitsFor: ResultShape<WaitsFor> = either(
  object<Wait<"approval">>({ kind: choice("approval"), ...ask }),
  object<Wait<"question">>({ kind: choice("question"), ...ask }),
  object<Wait<"person">>({ kind: choice("person"), reason }),
  object<Wait<"disk">>({ kind: choice("disk"), reason }),
  object<Wait<"credential">>({
    ...{ kind: choice("credential"), reason },
    missing: optional(choice("model", "address")),
    provider: optional(text()),
  }),
  object<Wait<"limit">>({ kind: choice("limit"), reason, until: optional(time()) }),
  object<Wait<"repair">>({ kind: choice("repair"), reason }),
  object<Wait<"call">>({ kind: choice("call"), reason, target: text(), until: time() }),
  object<Wait<"restart">>({ kind: choice("restart"), reason, until: time(), attempt: int() }),
  object<Wait<"model" | "outage">>({ kind: choice("model", "outage"), ...next }),
);

export const state = choice(...STATES);
export const runStatus = choice("ok", "error", "aborted", "limit", "unavailable", "blocked");
export const profile = choice(...PROFILES);
export const pid = text("process id, such as init:1000 or task:k3x9ab");
export const runId = orNull(text("run"));

export const processInfo: ResultShape<ProcessInfo> = object<ProcessInfo>({
  ...{ pid, label: orNull(text()), owner: text("account"), uid: int(), runAs: text("account that it acts as") },
  ...{ profile, parentPid: orNull(pid), state, interrupted: optional(yes) },
  ...{ cwd: text(), workspaceId: orNull(text()), queued: int("messages that wait"), activeRunId: runId },
  ...{ createdAt: time(), lastActiveAt: orNull(time()), waitsFor: orNull(waitsFor), lastStatus: orNull(runStatus) },
  ...{ mode: word<Mode>("how much it may do without approval"), restart: optional(choice(...RESTART_RULES)) },
  ...{ costUsd: number(), tokens: int() },
});

export const usage: ResultShape<Usage> = object<Usage>({
  ...{ input: int("tokens"), output: int("tokens"), cacheRead: int("tokens"), cacheWrite: int("tokens") },
  costUsd: number(),
});

const media = object<MediaRef>({ id: text(), type: text("media type"), bytes: int(), path: text() });
const toolCall = object<ToolCall>({ id: text(), name: text(), args: map(anything) });
const from = { cause: optional(anything as ResultShape<Cause>) };
const origin: ResultShape<Origin> = either(
  object<Extract<Origin, { readonly kind: "client" }>>({
    ...{ kind: choice("client"), uid: int(), clientId: text(), cwd: optional(text()) },
    ...from,
  }),
  object<Extract<Origin, { readonly kind: "process" }>>({ kind: choice("process"), uid: int(), pid, ...from }),
  object<Extract<Origin, { readonly kind: "kernel" }>>({ kind: choice("kernel"), ...from }),
);
const base = { id: int("number in the history"), runId, timestamp: time(), origin: optional(origin) };
type Role<R extends Message["role"]> = Extract<Message, { readonly role: R }>;

export const message: ResultShape<Message> = either(
  object<Role<"user">>({ ...base, role: choice("user"), content: text(), media: optional(list(media)) }),
  object<Role<"system">>({ ...base, role: choice("system"), content: text("an event") }),
  object<Role<"assistant">>({
    ...base,
    role: choice("assistant"),
    content: object<AssistantContent>({
      ...{ text: text(), thinking: optional(text()), toolCalls: optional(list(toolCall)) },
      seal: optional(object<Seal>({ by: text(), data: text() })),
    }),
  }),
  object<Role<"toolResult">>({
    ...base,
    role: choice("toolResult"),
    content: object<ToolResultContent>({
      ...{ toolName: text(), toolCallId: text(), isError: flag(), output: text(), media: optional(list(media)) },
      outcome: choice("completed", "failed", "denied", "cancelled", "unknown"),
    }),
  }),
);

export const failure: ResultShape<RunFailure> = object<RunFailure>({ runId, timestamp: time(), waitsFor });

const grants = list(word<Grant>("what an approval gives in addition"));
const about = object<ApprovalAbout>({
  ...{ target: text("where the call runs"), directory: orNull(text()), sandboxed: optional(flag()) },
  ...{ path: optional(text()), reasons: list(text()), diff: orNull(text()), attaches: optional(text()) },
  ...{ dangers: optional(list(text())), grants: optional(grants), patterns: optional(list(text())) },
  again: optional(object<RunAgain>({ exit: int(), output: text(), withheld: grants })),
  ...{ once: optional(yes), early: optional(yes) },
});

const asked = {
  ...{ id: text("approval or question"), kind: choice("approval", "question"), pid, runId: text("run"), tool: text() },
  ...{ call: text(), args: map(anything), why: text(), about: orNull(about) },
  hash: text("checksum of the call; an answer that has it applies to exactly this call"),
  ...{ expiresAt: orNull(time()), createdAt: time() },
  decision: orNull(choice("approve", "deny", "answer", "expired", "withdrawn")),
  ...{ by: orNull(text("account")), decidedAt: orNull(time()), said: orNull(text()), edited: flag() },
  ...{ inPart: flag("arguments are cut; with its id, the request is complete"), label: optional(orNull(text())) },
};

export const shownApproval: ResultShape<ShownApproval> = object<ShownApproval>(asked);
export const answeredApproval = { ...asked, rule: optional(text("id of the new rule")) };
