// The list of all syscalls, by domain. A file of declarations is loaded when one of its calls is needed, so that a command loads only its
// own domain. all.ts has them all at once.

import type { Accounts, AuditLog, Groups, Rights, Tokens } from "./account/account-service.ts";
import type { Agents, Bundles, Credits, Projects } from "./account/agent-service.ts";
import type { Approvals } from "./approval/approval-service.ts";
import type { PolicyService } from "./approval/policy-service.ts";
import type { Fields, Syscall } from "./define.ts";
import type { FileTree } from "./fs/file-tree-service.ts";
import type { FileUse } from "./fs/file-use-service.ts";
import type { Files } from "./fs/files-service.ts";
import type { Conversations, SearchService } from "./proc/history-service.ts";
import type { Lifecycle } from "./proc/proc-life.ts";
import type { Prompts } from "./proc/prompt-service.ts";
import type { Bootstrapping, Repositories } from "./repo/repo-service.ts";
import type { Undoing } from "./repo/undo-service.ts";
import type { Trust, Workspaces } from "./repo/workspace-service.ts";
import type { ModelService, OutageReports } from "./run/ai-service.ts";
import type { CodeMode } from "./run/codemode.ts";
import type { Web } from "./run/net-service.ts";
import type { ServerTools } from "./run/server-tools.ts";
import type { Shells } from "./run/shell-service.ts";
import type { Archives, Histories, KernelControl, Niceness, Processes, Registry, Settings } from "./services.ts";
import type { Sessions } from "./session/session-service.ts";
import type { HooksService } from "./system/hook-service.ts";
import type { BudgetService, UsageReports } from "./system/spending-service.ts";
import type { Media, Storage } from "./system/storage-service.ts";

/** All services; the read-only view has the marked ones. */
export interface Services {
  readonly registry: Registry; // read
  readonly histories: Histories; // read
  readonly archives: Archives; // read
  readonly approvals: Approvals; // listing reads
  readonly files: Files; // reading and searching read
  readonly web: Web;
  readonly code: CodeMode;
  readonly serverTools: ServerTools;
  readonly tree: FileTree; // looking, listing and getting read
  readonly kernel: KernelControl; // status reads
  readonly processes: Processes;
  readonly lifecycle: Lifecycle;
  readonly settings: Settings; // looking reads
  readonly accounts: Accounts; // listing reads
  readonly groups: Groups; // listing reads
  readonly tokens: Tokens; // listing reads
  readonly audit: AuditLog; // read
  readonly fileUse: FileUse;
  readonly rights: Rights; // read
  readonly shells: Shells;
  readonly repositories: Repositories; // looking reads
  readonly workspaces: Workspaces; // looking reads
  readonly trust: Trust; // what a workspace says is read
  readonly bootstrapping: Bootstrapping;
  readonly storage: Storage; // status and verify read
  readonly media: Media; // getting and listing read
  readonly models: ModelService;
  readonly outages: OutageReports; // read
  readonly policy: PolicyService;
  readonly hooks: HooksService; // listing reads
  readonly usage: UsageReports; // read
  readonly budgets: BudgetService; // listing reads
  readonly prompts: Prompts;
  readonly undoing: Undoing;
  readonly conversations: Conversations;
  readonly search: SearchService;
  readonly agents: Agents; // looking reads
  readonly bundles: Bundles; // looking reads
  readonly projects: Projects; // looking reads
  readonly credits: Credits; // looking reads
  readonly niceness: Niceness;
  readonly sessions: Sessions; // looking reads
}

/** A declaration for dispatch and derivation: typed in its own file, uniform here. */
export type AnySyscall = Syscall<Services, Fields, unknown>;

/** Loads the declarations of one file. */
type File = () => Promise<readonly unknown[]>;

/** From the name before the last dot to the files that declare its calls, in display order. */
const DOMAINS: { readonly [domain: string]: readonly File[] } = {
  proc: [
    async () => (await import("./proc/proc-list.ts")).procListCalls,
    async () => (await import("./proc/proc.ts")).procCalls,
    async () => (await import("./proc/proc-model.ts")).procModelCalls,
    async () => (await import("./proc/proc-mode.ts")).procModeCalls,
    async () => (await import("./proc/proc-nice.ts")).niceCalls,
    async () => (await import("./proc/proc-trace.ts")).procTraceCalls,
    async () => (await import("./proc/proc-life.ts")).procLifeCalls,
    async () => (await import("./system/spending.ts")).spendingCalls,
    async () => (await import("./proc/prompt.ts")).promptCalls,
    async () => (await import("./repo/undo.ts")).undoCalls,
    async () => (await import("./proc/proc-history.ts")).procHistoryCalls,
  ],
  session: [async () => (await import("./session/session.ts")).sessionCalls],
  fs: [
    async () => (await import("./fs/fs.ts")).fsCalls,
    async () => (await import("./fs/fs-tree.ts")).fsTreeCalls,
    async () => (await import("./fs/fs-bytes.ts")).fsBytesCalls,
    async () => (await import("./fs/fs-use.ts")).fsUseCalls,
  ],
  repo: [async () => (await import("./repo/repo.ts")).repoCalls],
  workspace: [async () => (await import("./repo/workspace.ts")).workspaceCalls],
  hil: [async () => (await import("./approval/hil.ts")).hilCalls],
  policy: [async () => (await import("./approval/policy.ts")).policyCalls],
  hooks: [async () => (await import("./system/hooks.ts")).hookCalls],
  archive: [async () => (await import("./session/archive.ts")).archiveCalls],
  config: [async () => (await import("./system/config.ts")).configCalls],
  ai: [async () => (await import("./run/ai.ts")).aiCalls],
  system: [async () => (await import("./system/system.ts")).systemCalls],
  sys: [async () => (await import("./system/system.ts")).sysCalls],
  account: [async () => (await import("./account/account.ts")).accountCalls],
  agent: [async () => (await import("./account/agent.ts")).agentCalls],
  persona: [async () => (await import("./account/agent.ts")).personaCalls],
  bundle: [async () => (await import("./account/bundle.ts")).bundleCalls],
  project: [async () => (await import("./account/bundle.ts")).projectCalls],
  credits: [async () => (await import("./account/credits.ts")).creditCalls],
  group: [async () => (await import("./account/group.ts")).groupCalls],
  "sys.mcp": [async () => (await import("./run/server-tools.ts")).serverToolCalls],
  "sys.token": [async () => (await import("./account/token.ts")).tokenCalls],
  shell: [async () => (await import("./run/shell.ts")).shellCalls],
  codemode: [async () => (await import("./run/codemode.ts")).codemodeCalls],
  net: [async () => (await import("./run/net.ts")).netCalls],
  storage: [async () => (await import("./system/storage.ts")).storageCalls],
  "proc.context": [async () => (await import("./proc/prompt.ts")).contextCalls],
  "config.context": [async () => (await import("./proc/prompt.ts")).homeContextCalls],
  "proc.history": [async () => (await import("./proc/proc-history.ts")).historyPolicyCalls],
  "proc.media": [async () => (await import("./proc/media.ts")).mediaCalls],
  audit: [async () => (await import("./account/audit.ts")).auditCalls],
};

export const DOMAIN_NAMES: readonly string[] = Object.keys(DOMAINS);

/** In order of declaration; empty for an unknown domain. */
export async function callsOf(domain: string): Promise<readonly AnySyscall[]> {
  return (await Promise.all(filesOf(domain).map((load) => load()))).flat() as readonly AnySyscall[];
}

/** Loads the files of its domain up to the one that declares it. */
export async function syscallNamed(name: string): Promise<AnySyscall | undefined> {
  for (const load of filesOf(name.slice(0, name.lastIndexOf(".")))) {
    const call = ((await load()) as readonly AnySyscall[]).find((each) => each.name === name);
    if (call !== undefined) return call;
  }
  return undefined;
}

function filesOf(domain: string): readonly File[] {
  return (Object.hasOwn(DOMAINS, domain) ? DOMAINS[domain] : undefined) ?? [];
}
