// Trust in workspaces: whether their instruction files go into prompts. Trust is for the directory, so it also covers files written there later,
// until it is revoked.

import { LIMITS } from "../../abi/config/limits.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import { hostDirectoryNamed } from "../../kernel/workspaces/host-directories.ts";
import { isPath, noSuchWorkspace } from "../../kernel/workspaces/new-workspace.ts";
import type { Clock } from "../../lib/clock.ts";
import { fitting } from "../../lib/text/fitting.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Trust } from "../../syscalls/repo/workspace.ts";
import type { PromptPorts } from "../prompt/build-prompt.ts";
import { ContextFiles, filesAt } from "../prompt/context-files.ts";
import { instructionFilesIn, trustedPlace } from "../prompt/workspace-context.ts";

export interface TrustPorts extends Pick<PromptPorts, "namespace" | "diskAt"> {
  readonly kernel: Pick<KernelStore, "accounts" | "workspaces" | "trust">;
  readonly clock: Clock;
  /** gsv's home: never trusted. */
  readonly home: string;
}

/** A workspace, or a host directory without one. */
interface Place {
  readonly id: string;
  readonly directory: string | null;
  readonly ownerUid: number;
}

export function trustService(ports: TrustPorts): Trust {
  const { kernel, namespace, diskAt, clock } = ports;

  async function placeOf(context: CallContext, named: string): Promise<Place> {
    const { caller } = context;
    if (isPath(named)) {
      const { ownerUid } = caller;
      const directory = await hostDirectoryNamed(ports, context, { path: named, ownerUid });
      return (await kernel.workspaces.at(ownerUid, directory)) ?? { id: directory, directory, ownerUid };
    }
    const row = isWorkspaceId(named) ? await kernel.workspaces.get(named) : null;
    if (row === null || (row.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchWorkspace(named);
    return row;
  }

  function filesOf(
    caller: Caller,
    { id, directory }: Place,
  ): { readonly root: string; readonly files: ContextFiles | null } {
    const bytesMax = LIMITS.toolOutputBytesMax;
    if (directory === null || id !== directory)
      return { root: `/workspaces/${id}`, files: new ContextFiles(namespace, caller, bytesMax) };
    return { root: directory, files: filesAt(diskAt, { directory, caller, bytesMax }) };
  }

  async function speaks(caller: Caller, place: Place) {
    const { id, directory, ownerUid } = place;
    const { root, files } = filesOf(caller, place);
    const spoken =
      files === null ? [] : await instructionFilesIn(files, { root, isOwnTree: directory === null, cwd: root });
    const trusted = await kernel.trust.of(ownerUid, trustedPlace(place));
    return { id, directory, trusted, files: [...fitting(spoken, LIMITS.answerBytesMax)] };
  }

  return {
    speaks: async (context, id) => speaks(context.caller, await placeOf(context, id)),

    async decide(context, { id, trusted }) {
      const { caller } = context;
      const place = await placeOf(context, id);
      await kernel.trust.set(place.ownerUid, trustedPlace(place), { trusted, by: caller.uid, now: clock.now() });
      return speaks(caller, place);
    },
  };
}
