// The kernel store: one object with a member for each group of tables. Members are created on first use: most commands need three or
// four.

import { auditRows } from "./audit.ts";
import { configRows } from "./config.ts";
import type { KernelDb } from "./db.ts";
import { dueRows } from "./due/due.ts";
import { ipcRows } from "./due/ipc.ts";
import { notificationRows } from "./due/notifications.ts";
import { occurrenceRows } from "./due/occurrences.ts";
import { scheduleRows } from "./due/schedules.ts";
import { watchRows } from "./due/watches.ts";
import { fileWriteRows } from "./file-writes.ts";
import { hookRows } from "./hooks.ts";
import { mcpServerRows } from "./links/mcp-servers.ts";
import { oauthRows } from "./links/oauth.ts";
import { accountFileRows } from "./people/account-files.ts";
import { accountRows } from "./people/accounts.ts";
import { agentRows } from "./people/agents.ts";
import { bundleRows } from "./people/bundles.ts";
import { creditRows } from "./people/credits.ts";
import { groupRows } from "./people/groups.ts";
import { codeRows, lockoutRows, tokenRows } from "./people/logins.ts";
import { peopleRows } from "./people/people.ts";
import { projectRows } from "./people/projects.ts";
import { policyRows } from "./policies.ts";
import { approvalRows } from "./processes/approvals.ts";
import { archiveRows } from "./processes/archives.ts";
import { budgetRows } from "./processes/budgets.ts";
import { attachmentRows, trustRows } from "./processes/directories.ts";
import { figureRows } from "./processes/figures.ts";
import { processRows } from "./processes/processes.ts";
import { routeRows } from "./processes/routes.ts";
import { sessionRows } from "./processes/sessions.ts";
import { usageRows } from "./processes/usage.ts";
import { workspaceRows } from "./processes/workspaces.ts";
import { requestRows } from "./requests.ts";

const GROUPS = {
  accounts: accountRows,
  accountFiles: accountFileRows,
  people: peopleRows,
  groups: groupRows,
  tokens: tokenRows,
  lockouts: lockoutRows,
  codes: codeRows,
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
  figures: figureRows,
  budgets: budgetRows,
  trust: trustRows,
  hooks: hookRows,
  sessions: sessionRows,
  agents: agentRows,
  bundles: bundleRows,
  projects: projectRows,
  credits: creditRows,
  schedules: scheduleRows,
  occurrences: occurrenceRows,
  notifications: notificationRows,
  due: dueRows,
  ipc: ipcRows,
  watches: watchRows,
  mcpServers: mcpServerRows,
  oauth: oauthRows,
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
