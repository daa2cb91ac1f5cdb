// Two names of one command: `gsv ps` is `gsv proc list`. Lists and help show the short one.

const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["ai models", "models"],
  ["hil list", "approvals"],
  ["net fetch", "fetch"],
  ["policy revoke", "policy rm"],
  ["proc caps", "caps"],
  ["proc compact", "compact"],
  ["proc fork", "fork"],
  ["proc history", "history show"],
  ["proc list", "ps"],
  ["proc mode", "mode"],
  ["proc model", "model"],
  ["proc nice", "nice"],
  ["proc runs", "last"],
  ["proc search", "history search"],
  ["proc segments", "history segments"],
  ["proc send", "send"],
  ["proc spawn", "spawn"],
  ["proc trace", "strace"],
  ["proc wait", "wait"],
]);

/** The short name of `proc list`; null if it has none. */
export function shortName(name: string): string | null {
  return SHORT_NAMES.get(name) ?? null;
}
