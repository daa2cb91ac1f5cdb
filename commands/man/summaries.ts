// The summaries of all commands, for help and completion. It loads every command, so the build replaces this file with its result
// (src/bundle/ready-made.ts).

import type { Commands } from "../command.ts";

export async function summaries(commands: Commands): Promise<readonly (readonly [name: string, summary: string])[]> {
  const shown = [...commands].filter(([, { hidden }]) => hidden !== true);
  return await Promise.all(shown.map(async ([name, { load }]) => [name, (await load()).spec.summary] as const));
}
