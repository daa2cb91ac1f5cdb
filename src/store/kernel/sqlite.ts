// The control plane's store: one object of groups, each group one file. Boot takes it as a port, so that tests can stand in front of it.
// A group is made when it is first asked for: most commands need three or four.

import { accountFileRows } from "./account-files.ts";
import { accountRows } from "./accounts.ts";
import { agentRows } from "./agents.ts";
import { approvalRows } from "./approvals.ts";
import { archiveRows } from "./archives.ts";
import { attachmentRows } from "./attachments.ts";
import { auditRows } from "./audit.ts";
import { budgetRows } from "./budgets.ts";
import { bundleRows } from "./bundles.ts";
import { configRows } from "./config.ts";
import { creditRows } from "./credits.ts";
import type { KernelDb } from "./db.ts";
import { fileWriteRows } from "./file-writes.ts";
import { groupRows } from "./groups.ts";
import { hookRows } from "./hooks.ts";
import { lockoutRows, tokenRows } from "./logins.ts";
import { peopleRows } from "./people.ts";
import { policyRows } from "./policies.ts";
import { processRows } from "./processes.ts";
import { projectRows } from "./projects.ts";
import { requestRows } from "./requests.ts";
import { routeRows } from "./routes.ts";
import { sessionRows } from "./sessions.ts";
import { trustRows } from "./trust.ts";
import { usageRows } from "./usage.ts";
import { workspaceRows } from "./workspaces.ts";

const GROUPS = {
  accounts: accountRows,
  accountFiles: accountFileRows,
  people: peopleRows,
  groups: groupRows,
  tokens: tokenRows,
  lockouts: lockoutRows,
  processes: processRows,
  approvals: approvalRows,
  policies: policyRows,
  archives: archiveRows,
  routes: routeRows,
  requests: requestRows,
  audit: auditRows,
  fileWrites: fileWriteRows,
  config: configRows,
  attachments: attachmentRows,
  workspaces: workspaceRows,
  usage: usageRows,
  budgets: budgetRows,
  trust: trustRows,
  hooks: hookRows,
  sessions: sessionRows,
  agents: agentRows,
  bundles: bundleRows,
  projects: projectRows,
  credits: creditRows,
};

export type KernelStore = { readonly [G in keyof typeof GROUPS]: ReturnType<(typeof GROUPS)[G]> };

export function sqliteKernelStore(kernel: KernelDb): KernelStore {
  const store = {};
  for (const [name, make] of Object.entries(GROUPS)) {
    let made: unknown;
    Object.defineProperty(store, name, {
      enumerable: true,
      get() {
        made ??= make(kernel);
        return made;
      },
    });
  }
  return store as KernelStore;
}
