// The list of all syscalls, by domain. A file of declarations is loaded when one of its calls is needed, so that a command loads only its
// own domain. all.ts has them all at once.

import type { Accounts, AuditLog, Groups, Rights, Tokens } from "./account/account-service.ts";
import type { Agents, Bundles, Credits, Projects } from "./account/agent-service.ts";
import type { LoginsService } from "./account/login.ts";
import type { Approvals } from "./approval/hil.ts";
import type { PolicyService } from "./approval/policy.ts";
import type { CallContext, Fields, Syscall } from "./define.ts";
import type { Notifications } from "./due/notify-service.ts";
import type { Schedules } from "./due/sched-service.ts";
import type { WatchedSignals } from "./due/signal-service.ts";
import type { Files } from "./fs/files-service.ts";
import type { FileTree } from "./fs/fs-tree.ts";
import type { FileUse } from "./fs/fs-use.ts";
import type { McpService } from "./links/mcp-service.ts";
import type { OAuthService } from "./links/oauth-service.ts";
import type { Conversations, SearchService } from "./proc/history-service.ts";
import type { Ipc } from "./proc/ipc-service.ts";
import type { Lifecycle } from "./proc/proc-control.ts";
import type { Prompts } from "./proc/prompt.ts";
import type { Repositories } from "./repo/repo-service.ts";
import type { Undoing } from "./repo/undo.ts";
import type { Trust, Workspaces } from "./repo/workspace.ts";
import type { ModelService, OutageReports } from "./run/ai.ts";
import type { CodeMode } from "./run/codemode.ts";
import type { Web } from "./run/net.ts";
import type { ServerTools } from "./run/server-tools.ts";
import type { Shells } from "./run/shell-service.ts";
import type { Archives, Histories, KernelControl, Niceness, Processes, Registry, Settings } from "./services.ts";
import type { Sessions } from "./session/session-service.ts";
import type { Bootstrapping } from "./system/bootstrap.ts";
import type { HooksService } from "./system/hooks.ts";
import type { Serving } from "./system/serve.ts";
import type { BudgetService, UsageReports } from "./system/spending.ts";
import type { Media, Storage } from "./system/storage.ts";

/** All services. The read-only view has the methods that only read. */
export interface Services {
  readonly mcp: McpService;
  readonly oauth: OAuthService;
  readonly registry: Registry;
  readonly histories: Histories;
  readonly archives: Archives;
  readonly approvals: Approvals;
  readonly files: Files;
  readonly web: Web;
  readonly code: CodeMode;
  readonly serverTools: ServerTools;
  readonly tree: FileTree;
  readonly kernel: KernelControl;
  readonly processes: Processes;
  readonly lifecycle: Lifecycle;
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly groups: Groups;
  readonly tokens: Tokens;
  readonly logins: LoginsService;
  readonly audit: AuditLog;
  readonly fileUse: FileUse;
  readonly rights: Rights;
  readonly shells: Shells;
  readonly repositories: Repositories;
  readonly workspaces: Workspaces;
  readonly trust: Trust;
  readonly bootstrapping: Bootstrapping;
  readonly storage: Storage;
  readonly media: Media;
  readonly models: ModelService;
  readonly outages: OutageReports;
  readonly policy: PolicyService;
  readonly hooks: HooksService;
  readonly usage: UsageReports;
  readonly budgets: BudgetService;
  readonly prompts: Prompts;
  readonly undoing: Undoing;
  readonly conversations: Conversations;
  readonly search: SearchService;
  readonly agents: Agents;
  readonly bundles: Bundles;
  readonly projects: Projects;
  readonly credits: Credits;
  readonly niceness: Niceness;
  readonly sessions: Sessions;
  readonly schedules: Schedules;
  readonly notifications: Notifications;
  readonly ipc: Ipc;
  readonly watches: WatchedSignals;
  readonly serving: Serving;
}

/** A declaration for dispatch and derivation: typed in its own file, uniform here. */
export type AnySyscall = Syscall<Services, Fields, unknown>;

/** A declaration in its own types. One that takes a service missing in Services does not compile. */
export interface Declared {
  readonly name: string;
  readonly run: (services: Services, args: never, context: CallContext) => Promise<unknown>;
}

/** Loads the declarations of one file. */
type File = () => Promise<readonly Declared[]>;

/** From the name before the last dot to the files that declare its calls, in display order. */
const DOMAINS: { readonly [domain: string]: readonly File[] } = {
  proc: [
    async () => (await import("./proc/proc-list.ts")).procListCalls,
    async () => (await import("./proc/proc.ts")).procCalls,
    async () => (await import("./proc/proc-control.ts")).procControlCalls,
    async () => (await import("./system/spending.ts")).spendingCalls,
    async () => (await import("./proc/prompt.ts")).promptCalls,
    async () => (await import("./repo/undo.ts")).undoCalls,
    async () => (await import("./proc/proc-history.ts")).procHistoryCalls,
  ],
  session: [async () => (await import("./session/session.ts")).sessionCalls],
  fs: [
    async () => (await import("./fs/fs.ts")).fsCalls,
    async () => (await import("./fs/fs-tree.ts")).fsTreeCalls,
    async () => (await import("./fs/fs-use.ts")).fsUseCalls,
  ],
  repo: [async () => (await import("./repo/repo.ts")).repoCalls],
  workspace: [async () => (await import("./repo/workspace.ts")).workspaceCalls],
  hil: [async () => (await import("./approval/hil.ts")).hilCalls],
  policy: [async () => (await import("./approval/policy.ts")).policyCalls],
  hooks: [async () => (await import("./system/hooks.ts")).hookCalls],
  sched: [async () => (await import("./due/sched.ts")).schedCalls],
  notify: [async () => (await import("./due/notify.ts")).notifyCalls],
  signal: [async () => (await import("./due/signal.ts")).signalCalls],
  archive: [async () => (await import("./session/archive.ts")).archiveCalls],
  config: [async () => (await import("./system/config.ts")).configCalls],
  ai: [async () => (await import("./run/ai.ts")).aiCalls],
  system: [async () => (await import("./system/system.ts")).systemCalls],
  sys: [async () => (await import("./system/system.ts")).sysCalls],
  serve: [async () => (await import("./system/serve.ts")).serveCalls],
  account: [async () => (await import("./account/account.ts")).accountCalls],
  agent: [async () => (await import("./account/agent.ts")).agentCalls],
  persona: [async () => (await import("./account/agent.ts")).personaCalls],
  bundle: [async () => (await import("./account/bundle.ts")).bundleCalls],
  project: [async () => (await import("./account/bundle.ts")).projectCalls],
  credits: [async () => (await import("./account/credits.ts")).creditCalls],
  group: [async () => (await import("./account/group.ts")).groupCalls],
  "sys.login": [async () => (await import("./account/login.ts")).loginCalls],
  "sys.mcp": [
    async () => (await import("./run/server-tools.ts")).serverToolCalls,
    async () => (await import("./links/mcp.ts")).mcpCalls,
  ],
  "sys.oauth": [async () => (await import("./links/oauth.ts")).oauthCalls],
  "sys.token": [async () => (await import("./account/token.ts")).tokenCalls],
  shell: [async () => (await import("./run/shell.ts")).shellCalls],
  codemode: [async () => (await import("./run/codemode.ts")).codemodeCalls],
  net: [async () => (await import("./run/net.ts")).netCalls],
  storage: [async () => (await import("./system/storage.ts")).storageCalls],
  "proc.ipc": [async () => (await import("./proc/ipc.ts")).ipcCalls],
  "proc.context": [async () => (await import("./proc/prompt.ts")).contextCalls],
  "config.context": [async () => (await import("./proc/prompt.ts")).homeContextCalls],
  "proc.history": [async () => (await import("./proc/proc-history.ts")).historyPolicyCalls],
  "proc.media": [async () => (await import("./proc/media.ts")).mediaCalls],
  audit: [async () => (await import("./account/audit.ts")).auditCalls],
};

export const DOMAIN_NAMES: readonly string[] = Object.keys(DOMAINS);

/** In order of declaration; empty for an unknown domain. */
export async function callsOf(domain: string): Promise<readonly AnySyscall[]> {
  return (await Promise.all(filesOf(domain).map(loaded))).flat();
}

/** Loads the files of its domain up to the one that declares it. */
export async function syscallNamed(name: string): Promise<AnySyscall | undefined> {
  for (const load of filesOf(name.slice(0, name.lastIndexOf(".")))) {
    const call = (await loaded(load)).find((each) => each.name === name);
    if (call !== undefined) return call;
  }
  return undefined;
}

function filesOf(domain: string): readonly File[] {
  return (Object.hasOwn(DOMAINS, domain) ? DOMAINS[domain] : undefined) ?? [];
}

/** Argument types are dropped here: dispatch passes only arguments that it has parsed by the fields. */
async function loaded(load: File): Promise<readonly AnySyscall[]> {
  return (await load()) as readonly unknown[] as readonly AnySyscall[];
}
