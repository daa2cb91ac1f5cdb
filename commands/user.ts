// `gsv user add|list|mod|rm`: accounts under the verbs every Unix has for them.

import type { Command } from "./command.ts";
import { domainCommand, verbOf } from "./derive.ts";

export function user(): Command {
  const verbs = new Map([
    ["add", verbOf("account.create", "user add")],
    ["list", verbOf("account.list", "user list")],
    ["mod", verbOf("account.update", "user mod")],
    ["rm", verbOf("account.remove", "user rm")],
  ]);
  return domainCommand("user", verbs);
}
