// The hooks of a home at rest: what lies there, and what was decided about it.

import { HookFiles } from "../hooks/files.ts";
import { Hooks } from "../hooks/hooks.ts";
import type { Clock } from "../lib/clock.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { HooksService } from "../syscalls/system/hook-service.ts";

export async function readHooks(
  { hooks: rows }: Pick<KernelStore, "hooks">,
  { hooksDir }: Pick<HomePaths, "hooksDir">,
  clock: Clock,
): Promise<Pick<HooksService, "list">> {
  const hooks = new Hooks({ files: new HookFiles(hooksDir, process.getuid?.() ?? 0), rows, clock });
  await hooks.load();
  return { list: async ({ caller }) => ({ hooks: hooks.list(caller.ownerUid) }) };
}
