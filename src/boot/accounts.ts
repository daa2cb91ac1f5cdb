// Builds the services about accounts, groups, tokens, rights and the audit log.

import { uuidv7 } from "../abi/ids.ts";
import { type AgentPorts, agentsService } from "../kernel/accounts/agents.ts";
import { bundlesService } from "../kernel/accounts/bundles.ts";
import { creditsService } from "../kernel/accounts/credits.ts";
import { groupsService } from "../kernel/accounts/groups.ts";
import { projectsService } from "../kernel/accounts/projects.ts";
import { rightsService } from "../kernel/accounts/rights.ts";
import { tokensService } from "../kernel/accounts/tokens.ts";
import { usersService } from "../kernel/accounts/users.ts";
import { auditLog } from "../kernel/audit.ts";
import { settleAccount } from "../kernel/lifetime/setup.ts";
import { forgetSettings } from "../kernel/settings/config.ts";
import { keyOf } from "../process/run/request.ts";
import type { Services } from "../syscalls/table.ts";
import type { Core, ProcessParts } from "./core.ts";
import { bootstrapOf } from "./repos.ts";

type People = Pick<Services, "accounts" | "groups" | "tokens" | "rights" | "audit">;

export function bootPeople(core: Core, { closer }: ProcessParts): People {
  const { kernel, processes, objects, machine, passwords, logins, secrets } = core;
  const { clock, random } = machine;
  return {
    accounts: usersService({
      kernel,
      passwords,
      lockout: logins.lockout,
      clock,
      settle: (uid) => {
        const { give } = bootstrapOf(core, machine, core.repos);
        return settleAccount({ kernel, processes, objects, now: clock.now(), random, give }, uid);
      },
      forget: (uid, by) => forgetSettings({ rows: kernel.config, secrets }, uid, { uid: by, now: clock.now() }),
      onLocked: (uid, locked) => logins.accountLocked(uid, locked),
      async end(row, context) {
        await closer.kill(row, {
          reason: "kill",
          archive: true,
          archiveId: uuidv7(clock.now(), random),
          requestKey: `${keyOf(context)}:${row.pid}`,
          uid: context.caller.uid,
        });
      },
    }),
    groups: groupsService(kernel),
    tokens: tokensService({ kernel, clock, random, onRevoked: (id) => logins.tokenRevoked(id) }),
    rights: rightsService(kernel),
    audit: auditLog(kernel, clock),
  };
}

/** Services about agents and their projects. */
export function bootAgents(
  { kernel, machine: { clock, random } }: Core,
  ports: Pick<AgentPorts, "accounts" | "toolNames" | "modelNamed"> & Pick<ProcessParts, "credits">,
): Pick<Services, "agents" | "bundles" | "projects" | "credits"> {
  return {
    agents: agentsService({ kernel, clock, keyOf, ...ports }),
    bundles: bundlesService({ kernel, clock, toolNames: ports.toolNames }),
    projects: projectsService({ kernel, clock, random }),
    credits: creditsService({
      credits: kernel.credits,
      clock,
      toppedUp: (uid, wallet) => ports.credits.toppedUp(uid, wallet),
    }),
  };
}
