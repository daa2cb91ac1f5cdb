// The results of the calls that programs use most, by call. The others are described as any JSON.

import type { Notification, NotificationAction, NotificationSource } from "../../abi/notification.ts";
import type { Checkpoint } from "../../abi/process/workspace.ts";
import type { accountCalls } from "../account/account.ts";
import type { AccountInfo, TokenInfo } from "../account/account-service.ts";
import type { LoginInfo, loginCalls } from "../account/login.ts";
import type { tokenCalls } from "../account/token.ts";
import type { AnsweredApproval, hilCalls } from "../approval/hil.ts";
import type { Syscall } from "../define.ts";
import type { notifyCalls } from "../due/notify.ts";
import type { FileView, Match } from "../fs/files-service.ts";
import type { fsCalls } from "../fs/fs.ts";
import type { FileEntry, FileStat, fsTreeCalls } from "../fs/fs-tree.ts";
import type { procCalls } from "../proc/proc.ts";
import type { procControlCalls } from "../proc/proc-control.ts";
import type { procListCalls } from "../proc/proc-list.ts";
import {
  type Answered,
  type ChangedSetting,
  type Closed,
  type HistoryPage,
  PROCESS_SIGNALS,
  type Sent,
  type SettingInfo,
  type Signalled,
  type Spawned,
  type WaitResult,
} from "../services.ts";
import type { configCalls } from "../system/config.ts";
import type { serveCalls } from "../system/serve.ts";
import type { sysCalls, systemCalls } from "../system/system.ts";
import {
  answeredApproval,
  failure,
  message,
  pid,
  processInfo,
  profile,
  runId,
  runStatus,
  shownApproval,
  state,
  usage,
  waitsFor,
} from "./process-shapes.ts";
import {
  anything,
  choice,
  either,
  flag,
  int,
  list,
  nothing,
  object,
  optional,
  orNull,
  type ResultShape,
  text,
  time,
  word,
  yes,
} from "./result-shape.ts";

type Calls =
  | (typeof procListCalls)[number]
  | (typeof procCalls)[number]
  | (typeof procControlCalls)[number]
  | (typeof hilCalls)[number]
  | (typeof fsCalls)[number]
  | (typeof fsTreeCalls)[number]
  | (typeof configCalls)[number]
  | (typeof systemCalls)[number]
  | (typeof sysCalls)[number]
  | (typeof serveCalls)[number]
  | (typeof accountCalls)[number]
  | (typeof tokenCalls)[number]
  | (typeof loginCalls)[number]
  | (typeof notifyCalls)[number];
// biome-ignore lint/suspicious/noExplicitAny: only the result counts
type OutputOf<C> = C extends Syscall<any, any, infer Output, any> ? Output : never;
type Results = { readonly [C in Calls as C["name"]]?: ResultShape<OutputOf<C>> };

const cursor = orNull(text("cursor of the next page; null at the end"));
const closed = object<Closed>({
  ...{ pid, archivedMessages: int(), archiveId: orNull(text()), archivedTo: orNull(text("path of the archive")) },
  ...{ undelivered: int("queued messages that never entered the history"), damagedIn: optional(text()) },
  pending: optional(yes),
  checkpoint: optional(object<Checkpoint>({ workspaceId: text(), commit: orNull(text()), fault: orNull(text()) })),
});
const sent = either(
  object<Sent>({
    ...{ pid, parent: optional(orNull(pid)), runId: text("run"), status: choice("started"), queued: flag() },
    ...{ renewed: optional(yes), response: optional(text()) },
  }),
  object<Answered>({
    ...{ pid, runId: nothing, status: choice("command", "directive-only") },
    queued: { schema: { const: false } } as ResultShape<false>,
    response: text(),
  }),
);
const ended = object<WaitResult>({
  ...{ pid, runId, exit: int("exit status"), text: orNull(text()), inPart: flag("the text is cut") },
  status: either(runStatus, choice("killed", "none", "held")),
  ...{ error: orNull(text()), waitsFor: orNull(waitsFor), usage: orNull(usage) },
});

const entry = {
  ...{ name: text(), kind: choice("file", "directory", "symlink"), mode: text("four octal digits"), uid: int() },
  ...{ gid: int(), owner: text(), group: text(), size: int(), mtimeMs: { schema: { type: "number" } } },
  target: optional(text("of a link")),
} as const;
const view = either(
  object<Extract<FileView, { readonly kind: "file" }>>({
    ...{ kind: choice("file"), path: text(), content: text(), firstLine: int(), lines: int(), size: int() },
    ...{ version: text("for ifVersion of a write"), truncated: flag() },
  }),
  object<Extract<FileView, { readonly kind: "image" }>>({
    ...{ kind: choice("image"), path: text(), type: text(), size: int(), data: text("base64") },
  }),
  object<Extract<FileView, { readonly kind: "directory" }>>({
    ...{ kind: choice("directory"), path: text(), directories: list(text()), files: list(text()) },
    truncated: optional(yes),
  }),
);

const layer = word<SettingInfo["layer"]>();
const setting = object<SettingInfo>({
  ...{ key: text(), value: anything, shown: text("the value as text"), layer, type: text(), takes: text() },
  layers: list(object<SettingInfo["layers"][number]>({ layer, shown: text() })),
  ...{ doc: text(), env: orNull(text()), writes: choice("user", "root"), agents: choice("ask", "never") },
});
const changed = list(
  object<ChangedSetting>({
    ...{ key: text(), value: orNull(text()), layer: choice("system", "user"), whose: orNull(text("account")) },
  }),
);

const token = {
  ...{ id: text(), account: text(), kind: choice("user", "node", "service", "metrics", "login", "browser") },
  ...{ role: text(), label: orNull(text()), prefix: text("its first characters"), device: orNull(text()) },
  allow: orNull(list(text("a capability"))),
  state: choice("live", "expired", "revoked"),
  ...{ createdAt: time(), lastUsedAt: orNull(time()), expiresAt: orNull(time()) },
} as const;
const login = object<LoginInfo>({
  ...{ id: text(), account: text(), kind: token.kind, label: orNull(text()), client: orNull(text()) },
  ...{ address: orNull(text()), createdAt: time(), lastUsedAt: orNull(time()), expiresAt: orNull(time()) },
  current: flag("the login of the caller"),
});
const account = object<AccountInfo>({
  ...{ username: text(), uid: int(), kind: choice("root", "human", "personal", "agent", "system") },
  ...{ owner: orNull(text()), groups: list(text()), home: text(), comment: text(), password: flag(), locked: flag() },
});
const notification = object<Notification>({
  ...{ id: text(), title: text(), body: orNull(text()), level: choice("info", "success", "warning", "error") },
  source: { schema: { type: "object" } } as ResultShape<NotificationSource>,
  actions: list(object<NotificationAction>({ command: choice("approve", "open", "retry"), on: text() })),
  ...{ createdAt: time(), readAt: orNull(time()), dismissedAt: orNull(time()), expiresAt: time() },
});

export const RESULTS = {
  "proc.list": object({ processes: list(processInfo), next: cursor }),
  "proc.get": processInfo,
  "proc.spawn": object<Spawned>({
    ...{ pid, label: orNull(text()), profile, cwd: text(), workspaceId: orNull(text()), runId },
  }),
  "proc.send": sent,
  "proc.wait": object({ results: list(ended) }),
  "proc.abort": object({
    ...{ pid, aborted: flag(), runId, interruptedToolCalls: int(), continuedQueuedRunId: runId },
  }),
  "proc.signal": object<Signalled>({
    ...{ pid, signal: choice(...PROCESS_SIGNALS), state: orNull(state), closed: optional(closed) },
  }),
  "proc.kill": closed,
  "proc.reset": closed,
  "proc.history": object<HistoryPage>({
    ...{ pid, messages: list(message), inPart: list(int("number of a message whose texts are cut")) },
    ...{ messageCount: int(), hasMoreBefore: flag(), hasMoreAfter: flag(), activeRunId: runId },
    ...{ pendingHil: orNull(shownApproval), failure: optional(failure) },
  }),
  "hil.list": object({ approvals: list(shownApproval), next: cursor }),
  "hil.answer": object<AnsweredApproval>(answeredApproval),
  "fs.read": view,
  "fs.write": object({ path: text(), size: int() }),
  "fs.edit": object({ path: text(), replacements: int(), line: int("number of the first line") }),
  "fs.delete": object({ path: text() }),
  "fs.search": object({
    matches: list(object<Match>({ path: text(), line: int(), content: text() })),
    ...{ count: int(), truncated: flag() },
  }),
  "fs.stat": object<FileStat>({ ...entry, path: text(), version: text(), contentType: optional(text()) }),
  "fs.list": object({ path: text(), entries: list(object<FileEntry>(entry)), next: cursor }),
  "fs.get": object({ data: text("base64"), eof: flag(), version: text() }),
  "config.get": setting,
  "config.list": object({ settings: list(setting) }),
  "config.set": object({ changed }),
  "system.whoami": object({
    ...{ uid: int(), gid: int(), gids: list(int()), username: text(), home: text(), cwd: text() },
    ...{ kind: word(), pid: orNull(pid), capabilities: list(text()) },
  }),
  "sys.version": object({ version: text(), commit: text(), bun: text(), pid: orNull(int()) }),
  "serve.status": object({
    ...{ url: orNull(text()), clients: int(), public: flag(), listen: orNull(text()), fault: orNull(text()) },
    fingerprint: orNull(text("of the certificate")),
  }),
  "account.list": object({ accounts: list(account) }),
  "sys.token.create": object({ ...token, token: text("the only answer that has it") }),
  "sys.token.list": object({ tokens: list(object<TokenInfo>(token)) }),
  "sys.token.revoke": object<TokenInfo>(token),
  "sys.login.list": object({ logins: list(login) }),
  "sys.login.revoke": object({ id: text() }),
  "notify.list": object({ notifications: list(notification), unread: int() }),
} satisfies Results;
