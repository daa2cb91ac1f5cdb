// The message about a new home: its path, and the account name if it differs from the login.

import { humanName } from "../kernel/accounts/account-names.ts";
import { reveal } from "../lib/text/sanitize.ts";

export function firstRunLine(home: string, osUser: string): string {
  return `gsv: created a home at ${reveal(home)}${nameNote(osUser)}\n`;
}

function nameNote(osUser: string): string {
  const name = humanName(osUser);
  if (name === osUser) return "";
  if (name !== "me") return `; your account there is ${name}`;
  const why = osUser === "" ? "your login has no name" : `${reveal(osUser.slice(0, 40))} cannot be an account name`;
  return `; your account there is me: ${why}`;
}
