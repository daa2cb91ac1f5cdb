// What each command does, in one line, for help and completion. That loads every command, so a binary has it ready made
// (src/bundle/ready-made.ts).

import type { Commands } from "../command.ts";

/** Commands that are shown, in the order of the table. */
export async function summaries(commands: Commands): Promise<readonly (readonly [name: string, summary: string])[]> {
  const shown = [...commands].filter(([, { hidden }]) => hidden !== true);
  return await Promise.all(shown.map(async ([name, { load }]) => [name, (await load()).summary] as const));
}
