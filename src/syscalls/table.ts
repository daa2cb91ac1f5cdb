// The one list of syscalls, by domain: a file of declarations is loaded when one of its calls is asked for, so that a command pays for its own
// domain and not for all. An unlisted name does not exist, for anyone. Where all are wanted at once: all.ts.

import type { Accounts, AuditLog, Groups, Rights, Tokens } from "./account-service.ts";
import type { Agents, Bundles, Credits, Projects } from "./agent-service.ts";
import type { ModelService, OutageReports } from "./ai-service.ts";
import type { Approvals } from "./approval-service.ts";
import type { CodeMode } from "./codemode.ts";
import type { Fields, Syscall } from "./define.ts";
import type { FileTree } from "./file-tree.ts";
import type { FileUse } from "./file-use-service.ts";
import type { Files } from "./files-service.ts";
import type { Conversations, SearchService } from "./history-service.ts";
import type { HooksService } from "./hook-service.ts";
import type { Web } from "./net-service.ts";
import type { PolicyService } from "./policy-service.ts";
import type { Lifecycle } from "./proc-life.ts";
import type { Prompts } from "./prompt-service.ts";
import type { Bootstrapping, Repositories } from "./repositories.ts";
import type { ServerTools } from "./server-tools.ts";
import type { Archives, Histories, KernelControl, Niceness, Processes, Registry, Settings } from "./services.ts";
import type { Sessions } from "./session-service.ts";
import type { Shells } from "./shell-service.ts";
import type { BudgetService, UsageReports } from "./spending-service.ts";
import type { Media, Storage } from "./storage-service.ts";
import type { Undoing } from "./undo-service.ts";
import type { Trust, Workspaces } from "./workspace-service.ts";

/** All services there are; the read-only view has those marked. */
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

/** A declaration as dispatch and derivation use it: typed by its own file, uniform here. */
export type AnySyscall = Syscall<Services, Fields, unknown>;

/** The calls declared in one file, which is loaded then. */
type File = () => Promise<readonly unknown[]>;

/** What stands before the last dot of a name, to the files that declare such calls, in the order in which people see them. */
const DOMAINS: { readonly [domain: string]: readonly File[] } = {
  proc: [
    async () => (await import("./proc-list.ts")).procListCalls,
    async () => (await import("./proc.ts")).procCalls,
    async () => (await import("./proc-model.ts")).procModelCalls,
    async () => (await import("./proc-mode.ts")).procModeCalls,
    async () => (await import("./proc-nice.ts")).niceCalls,
    async () => (await import("./proc-trace.ts")).procTraceCalls,
    async () => (await import("./proc-life.ts")).procLifeCalls,
    async () => (await import("./spending.ts")).spendingCalls,
    async () => (await import("./prompt.ts")).promptCalls,
    async () => (await import("./undo.ts")).undoCalls,
    async () => (await import("./proc-history.ts")).procHistoryCalls,
  ],
  session: [async () => (await import("./session.ts")).sessionCalls],
  fs: [
    async () => (await import("./fs.ts")).fsCalls,
    async () => (await import("./fs-tree.ts")).fsTreeCalls,
    async () => (await import("./fs-bytes.ts")).fsBytesCalls,
    async () => (await import("./fs-use.ts")).fsUseCalls,
  ],
  repo: [async () => (await import("./repo.ts")).repoCalls],
  workspace: [async () => (await import("./workspace.ts")).workspaceCalls],
  hil: [async () => (await import("./hil.ts")).hilCalls],
  policy: [async () => (await import("./policy.ts")).policyCalls],
  hooks: [async () => (await import("./hooks.ts")).hookCalls],
  archive: [async () => (await import("./archive.ts")).archiveCalls],
  config: [async () => (await import("./config.ts")).configCalls],
  ai: [async () => (await import("./ai.ts")).aiCalls],
  system: [async () => (await import("./system.ts")).systemCalls],
  sys: [async () => (await import("./system.ts")).sysCalls],
  account: [async () => (await import("./account.ts")).accountCalls],
  agent: [async () => (await import("./agent.ts")).agentCalls],
  persona: [async () => (await import("./agent.ts")).personaCalls],
  bundle: [async () => (await import("./bundle.ts")).bundleCalls],
  project: [async () => (await import("./bundle.ts")).projectCalls],
  credits: [async () => (await import("./credits.ts")).creditCalls],
  group: [async () => (await import("./group.ts")).groupCalls],
  "sys.mcp": [async () => (await import("./server-tools.ts")).serverToolCalls],
  "sys.token": [async () => (await import("./token.ts")).tokenCalls],
  shell: [async () => (await import("./shell.ts")).shellCalls],
  codemode: [async () => (await import("./codemode.ts")).codemodeCalls],
  net: [async () => (await import("./net.ts")).netCalls],
  storage: [async () => (await import("./storage.ts")).storageCalls],
  "proc.context": [async () => (await import("./prompt.ts")).contextCalls],
  "config.context": [async () => (await import("./prompt.ts")).homeContextCalls],
  "proc.history": [async () => (await import("./proc-history.ts")).historyPolicyCalls],
  "proc.media": [async () => (await import("./media.ts")).mediaCalls],
  audit: [async () => (await import("./audit.ts")).auditCalls],
};

export const DOMAIN_NAMES: readonly string[] = Object.keys(DOMAINS);

/** In order of declaration; none where there is no such domain. */
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
