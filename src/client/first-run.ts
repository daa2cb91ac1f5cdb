// The message about a new home: its path, and the account name if it differs from the login.

import { humanName } from "../kernel/accounts/account-names.ts";
import { reveal } from "../lib/text/sanitize.ts";

export function firstRunLine(home: string, osUser: string): string {
  return `gsv: made a home at ${reveal(home)}${nameNote(osUser)}\n`;
}

function nameNote(osUser: string): string {
  const name = humanName(osUser);
  if (name === osUser) return "";
  if (name !== "me") return `; you are ${name} there`;
  const why =
    osUser === "" ? "this machine names nobody" : `no person there can be called ${reveal(osUser.slice(0, 40))}`;
  return `; you are me there: ${why}`;
}
