// Which workspaces may speak to the agents in them. What is trusted is shown first, and a person's word is for the directory: it holds until
// it is taken back, for whatever is written there later.

import { type Caller, isRoot } from "../abi/identity.ts";
import { isWorkspaceId } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { noSuchWorkspace } from "../kernel/workplaces.ts";
import type { Clock } from "../lib/clock.ts";
import { fitting } from "../lib/fitting.ts";
import type { WorkspaceRow } from "../store/kernel/workspaces.ts";
import type { Trust } from "../syscalls/workspace-service.ts";
import type { PromptPorts } from "./prompt.ts";
import { ToldFiles } from "./told-files.ts";
import { spokenIn, trustedPlace } from "./workspace-context.ts";

export interface TrustPorts extends Pick<PromptPorts, "kernel" | "namespace"> {
  readonly clock: Clock;
}

export function trustService({ kernel, namespace, clock }: TrustPorts): Trust {
  async function visible(caller: Caller, id: string): Promise<WorkspaceRow> {
    const row = isWorkspaceId(id) ? await kernel.workspaces.get(id) : null;
    if (row === null || (row.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchWorkspace(id);
    return row;
  }

  async function speaks(caller: Caller, row: WorkspaceRow) {
    const files = new ToldFiles(namespace, caller, LIMITS.toolOutputBytesMax);
    const spoken = await spokenIn(files, {
      id: row.id,
      isOwnTree: row.directory === null,
      cwd: `/workspaces/${row.id}`,
    });
    const { id, directory, ownerUid } = row;
    const trusted = await kernel.trust.of(ownerUid, trustedPlace(row));
    return { id, directory, trusted, files: [...fitting(spoken, LIMITS.answerBytesMax)] };
  }

  return {
    speaks: async (caller, id) => speaks(caller, await visible(caller, id)),

    async decide({ caller }, { id, trusted }) {
      const row = await visible(caller, id);
      await kernel.trust.set(row.ownerUid, trustedPlace(row), { trusted, by: caller.uid, now: clock.now() });
      return speaks(caller, row);
    },
  };
}
