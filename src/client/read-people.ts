// Lists accounts, groups, tokens, rights and the audit log in the read-only view.

import { agentsShown } from "../kernel/accounts/agents.ts";
import { bundlesShown } from "../kernel/accounts/bundles.ts";
import { creditsShown } from "../kernel/accounts/credits.ts";
import { listGroups } from "../kernel/accounts/groups.ts";
import { projectsShown } from "../kernel/accounts/projects.ts";
import { rightsService } from "../kernel/accounts/rights.ts";
import { listAccounts } from "../kernel/accounts/users.ts";
import { auditLog } from "../kernel/audit.ts";
import { listLogins } from "../kernel/logins/login-list.ts";
import { listTokens } from "../kernel/logins/tokens.ts";
import type { Clock } from "../lib/clock.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ReadServices } from "./reads.ts";

type ReadPeople = Pick<
  ReadServices,
  "accounts" | "groups" | "tokens" | "logins" | "rights" | "audit" | "agents" | "bundles" | "projects" | "credits"
>;

export function readPeople(kernel: KernelStore, clock: Clock): ReadPeople {
  return {
    accounts: { list: (caller) => listAccounts(kernel, caller) },
    groups: { list: (caller) => listGroups(kernel, caller) },
    tokens: { list: (caller) => listTokens({ kernel, clock }, caller) },
    logins: { list: (context) => listLogins({ kernel, clock }, context) },
    rights: rightsService(kernel),
    audit: auditLog(kernel, clock),
    agents: agentsShown(kernel),
    bundles: bundlesShown(kernel),
    projects: projectsShown(kernel),
    credits: creditsShown(kernel.credits),
  };
}
