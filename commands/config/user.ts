// `gsv user add|list|mod|rm`: accounts under the verbs every Unix has for them.

import type { Command } from "../command.ts";
import { domainCommand, verbOf } from "../derive.ts";

export async function user(): Promise<Command> {
  const verbs = new Map([
    ["add", await verbOf("account.create", "user add")],
    ["list", await verbOf("account.list", "user list")],
    ["mod", await verbOf("account.update", "user mod")],
    ["rm", await verbOf("account.remove", "user rm")],
  ]);
  return domainCommand("user", verbs, "Manage accounts");
}
