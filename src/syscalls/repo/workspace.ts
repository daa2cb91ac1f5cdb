// workspace.*: working directories that outlive processes. Their files are at /workspaces/ID.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Caller } from "../../abi/identity.ts";
import type { WorkspaceInfo } from "../../abi/process/workspace.ts";
import type { Commit } from "../../abi/repo.ts";
import type { When } from "../../lib/text/days.ts";
import { type CallContext, facts, field, syscall, value } from "../define.ts";
import { commitLine, factsText } from "../format.ts";

export interface WorkspaceView extends WorkspaceInfo {
  /** The newest version; null before the first, and for a host directory. */
  readonly head: string | null;
  /** Their directory on the host. */
  readonly files: string;
}

export interface WorkspacePage {
  readonly workspaces: readonly WorkspaceInfo[];
  readonly next: string | null;
}

export interface Workspaces {
  /** Oldest first, one page. */
  list(
    caller: Caller,
    query: { readonly all: boolean; readonly limit: number; readonly after?: string },
  ): Promise<WorkspacePage>;
  get(caller: Caller, id: string): Promise<WorkspaceView>;
  log(
    caller: Caller,
    request: { readonly id: string; readonly path?: string; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly commits: readonly Commit[] }>;
  create(context: CallContext, request: { readonly label?: string }): Promise<WorkspaceInfo>;
  /** Makes a host directory a workspace; with a pid, that process works in it from its next run on. */
  attach(
    context: CallContext,
    request: { readonly what: string; readonly pid?: string; readonly label?: string },
  ): Promise<WorkspaceInfo>;
  archive(context: CallContext, request: { readonly id: string; readonly undo: boolean }): Promise<WorkspaceInfo>;
}

export interface Speaking {
  readonly id: string;
  readonly directory: string | null;
  readonly trusted: boolean;
  /** Files of instructions for agents; long ones are cut. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface Trust {
  /** `id` is a workspace or a host directory. */
  speaks(context: CallContext, id: string): Promise<Speaking>;
  decide(context: CallContext, decision: { readonly id: string; readonly trusted: boolean }): Promise<Speaking>;
}

type Service = { workspaces: Workspaces };

const id = field.text("the workspace", { positional: true, longest: 20, meta: "ID", of: "workspace" });
const spoken = field.text("workspace, or directory of this computer", {
  positional: true,
  longest: LIMITS.pathBytesMax,
  meta: "ID|DIR",
  of: "workspace",
});
const label = field.optional(
  field.text("its purpose in a few words", { shortest: 1, longest: LIMITS.labelCharsMax, line: true, meta: "TEXT" }),
);

export const workspaceCalls = [
  syscall({
    name: "workspace.list",
    summary: "List workspaces",
    class: "read",
    input: {
      all: field.flag("include archived ones"),
      limit: field.withDefault(
        field.int("maximum number of workspaces", { min: 1, max: LIMITS.listPageMax, hide: "both" }),
        LIMITS.listPageMax,
      ),
      after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })),
    },
    cli: {
      examples: ["gsv workspace list", "gsv workspace list --all"],
      print: {
        kind: "table",
        rows: (result: WorkspacePage) => result.workspaces,
        empty: "no workspaces yet: gsv workspace create",
        pages: { rows: "workspaces", next: "next", argument: "after" },
        columns: [
          { head: "ID", cell: (row: WorkspaceInfo) => row.id },
          { head: "STATE", minor: 2, cell: (row: WorkspaceInfo) => row.state },
          { head: "LABEL", cell: (row: WorkspaceInfo) => row.label ?? "-", shrink: true },
          { head: "OWNER", minor: 3, cell: (row: WorkspaceInfo) => row.owner },
          { head: "USED BY", cell: (row: WorkspaceInfo) => row.processes.join(" ") || "-", shrink: true },
          { head: "LAST USED", minor: 1, since: (row: WorkspaceInfo) => row.updatedAt, align: "right" },
          { head: "DIRECTORY", cell: (row: WorkspaceInfo) => row.directory ?? "-", shrink: "start" },
        ],
      },
    },
    run: ({ workspaces }: Service, { all = false, ...query }, { caller }) => workspaces.list(caller, { all, ...query }),
  }),

  syscall({
    name: "workspace.get",
    summary: "Show one workspace",
    class: "read",
    input: { id },
    cli: { examples: ["gsv workspace get ws_k3x9qa"], print: facts(workspaceText) },
    run: ({ workspaces }: Service, args, { caller }) => workspaces.get(caller, args.id),
  }),

  syscall({
    name: "workspace.create",
    summary: "Create an empty workspace",
    class: "keyed",
    input: {
      label: field.optional(
        field.text("its purpose in a few words", {
          positional: true,
          shortest: 1,
          longest: LIMITS.labelCharsMax,
          line: true,
          meta: "LABEL",
        }),
      ),
    },
    cli: {
      examples: ['gsv workspace create "trip to Rome"', 'gsv spawn --workspace new --label "release notes"'],
      print: value((row: WorkspaceInfo) => row.id),
    },
    run: ({ workspaces }: Service, args, context) => workspaces.create(context, args),
  }),

  syscall({
    name: "workspace.attach",
    summary: "Use a directory of this computer as workspace",
    class: "keyed",
    by: "person",
    input: {
      what: field.text("directory of this computer, or workspace id", {
        positional: true,
        longest: LIMITS.pathBytesMax,
        meta: "DIR|ID",
        of: "workspace",
      }),
      pid: field.optional(field.pid("process that works in it from its next run on", { meta: "PID" })),
      label,
    },
    cli: {
      examples: ["gsv workspace attach ./project", "gsv workspace attach ws_k3x9qa --pid init:1000"],
      print: value((row: WorkspaceInfo) => row.id),
    },
    run: ({ workspaces }: Service, args, context) => workspaces.attach(context, args),
  }),

  syscall({
    name: "workspace.archive",
    summary: "Make a workspace read-only and hide it",
    class: "keyed",
    by: "person",
    input: { id, undo: field.flag("make it active again") },
    cli: {
      examples: ["gsv workspace archive ws_k3x9qa", "gsv workspace archive --undo ws_k3x9qa"],
      print: value(
        ({ id: name, state, processes }: WorkspaceInfo) =>
          `${name} is ${state}${state === "archived" && processes.length > 0 ? `; ${processes.join(" ")} can only read it now` : ""}`,
      ),
    },
    run: ({ workspaces }: Service, { id: name, undo = false }, context) =>
      workspaces.archive(context, { id: name, undo }),
  }),

  syscall({
    name: "workspace.speaks",
    summary: "Show a workspace's instructions for agents",
    class: "read",
    capability: "workspace.get",
    input: { id: spoken },
    run: ({ trust }: { trust: Trust }, args, context) => trust.speaks(context, args.id),
  }),

  syscall({
    name: "workspace.trust",
    summary: "Trust the instruction files of a workspace",
    class: "keyed",
    by: "person",
    input: { id: spoken, undo: field.flag("withdraw the trust") },
    cli: {
      examples: ["gsv workspace trust dir_8fk2mz", "gsv workspace trust dir_8fk2mz --undo"],
      print: value(
        ({ id: name, trusted, files }: Speaking) =>
          `${name} is ${trusted ? "trusted" : "not trusted"}: ${files.map(({ path }) => path).join(", ") || "no instructions yet"}`,
      ),
    },
    run: ({ trust }: { trust: Trust }, { id: name, undo = false }, context) =>
      trust.decide(context, { id: name, trusted: !undo }),
  }),

  syscall({
    name: "workspace.log",
    summary: "List the versions of a workspace, newest first",
    class: "read",
    capability: "workspace.get",
    input: {
      id,
      path: field.optional(field.text("only below this path", { longest: LIMITS.pathBytesMax, meta: "PATH" })),
      limit: field.withDefault(field.int("maximum number of versions", { min: 1, max: 100, meta: "N" }), 30),
      offset: field.withDefault(field.int("number of newest versions to skip", { min: 0, meta: "N" }), 0),
    },
    cli: {
      examples: ["gsv workspace log ws_k3x9qa", "gsv repo show --repo ws_k3x9qa"],
      print: {
        kind: "list",
        rows: (result: { commits: readonly Commit[] }) => result.commits,
        line: commitLine,
        empty: "no commits yet",
      },
    },
    run: ({ workspaces }: Service, args, { caller }) => workspaces.log(caller, args),
  }),
] as const;

function workspaceText(view: WorkspaceView, when: When): string {
  return factsText([
    ["id", view.id],
    ["label", view.label ?? "-"],
    ["owner", view.owner],
    ["state", view.state],
    ["path", view.path],
    [view.directory === null ? "files" : "directory", view.files],
    ["version", view.head ?? "-"],
    ["used by", view.processes.join(" ") || "-"],
    ["created", when(view.createdAt)],
    ["last used", when(view.updatedAt)],
  ]);
}
