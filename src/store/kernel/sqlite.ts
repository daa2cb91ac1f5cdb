// The control plane's store: one object of groups, each group one file. Boot takes it as a port, so that tests can stand in front of it.

import { type AccountFileRows, accountFileRows } from "./account-files.ts";
import { type AccountRows, accountRows } from "./accounts.ts";
import { type AgentRows, agentRows } from "./agents.ts";
import { type ApprovalRows, approvalRows } from "./approvals.ts";
import { type ArchiveRows, archiveRows } from "./archives.ts";
import { type AttachmentRows, attachmentRows } from "./attachments.ts";
import { type AuditRows, auditRows } from "./audit.ts";
import { type BudgetRows, budgetRows } from "./budgets.ts";
import { type BundleRows, bundleRows } from "./bundles.ts";
import { type ConfigRows, configRows } from "./config.ts";
import { type CreditRows, creditRows } from "./credits.ts";
import type { KernelDb } from "./db.ts";
import { type GroupRows, groupRows } from "./groups.ts";
import { type LockoutRows, lockoutRows, type TokenRows, tokenRows } from "./logins.ts";
import { type PeopleRows, peopleRows } from "./people.ts";
import { type PolicyRows, policyRows } from "./policies.ts";
import { type ProcessRows, processRows } from "./processes.ts";
import { type ProjectRows, projectRows } from "./projects.ts";
import { type RequestRows, requestRows } from "./requests.ts";
import { type RouteRows, routeRows } from "./routes.ts";
import { type SessionRows, sessionRows } from "./sessions.ts";
import { type TrustRows, trustRows } from "./trust.ts";
import { type UsageRows, usageRows } from "./usage.ts";
import { type WorkspaceRows, workspaceRows } from "./workspaces.ts";

export interface KernelStore {
  readonly accounts: AccountRows;
  readonly accountFiles: AccountFileRows;
  readonly people: PeopleRows;
  readonly groups: GroupRows;
  readonly tokens: TokenRows;
  readonly lockouts: LockoutRows;
  readonly processes: ProcessRows;
  readonly approvals: ApprovalRows;
  readonly policies: PolicyRows;
  readonly archives: ArchiveRows;
  readonly routes: RouteRows;
  readonly requests: RequestRows;
  readonly audit: AuditRows;
  readonly config: ConfigRows;
  readonly attachments: AttachmentRows;
  readonly workspaces: WorkspaceRows;
  readonly usage: UsageRows;
  readonly budgets: BudgetRows;
  readonly trust: TrustRows;
  readonly sessions: SessionRows;
  readonly agents: AgentRows;
  readonly bundles: BundleRows;
  readonly projects: ProjectRows;
  readonly credits: CreditRows;
}

export function sqliteKernelStore(kernel: KernelDb): KernelStore {
  return {
    accounts: accountRows(kernel),
    accountFiles: accountFileRows(kernel),
    people: peopleRows(kernel),
    groups: groupRows(kernel),
    tokens: tokenRows(kernel),
    lockouts: lockoutRows(kernel),
    processes: processRows(kernel),
    approvals: approvalRows(kernel),
    policies: policyRows(kernel),
    archives: archiveRows(kernel),
    routes: routeRows(kernel),
    requests: requestRows(kernel),
    audit: auditRows(kernel),
    config: configRows(kernel),
    attachments: attachmentRows(kernel),
    workspaces: workspaceRows(kernel),
    usage: usageRows(kernel),
    budgets: budgetRows(kernel),
    trust: trustRows(kernel),
    sessions: sessionRows(kernel),
    agents: agentRows(kernel),
    bundles: bundleRows(kernel),
    projects: projectRows(kernel),
    credits: creditRows(kernel),
  };
}
