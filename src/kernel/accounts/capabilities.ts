// What the groups of a new home may do. Data: the grants of an installed home live in group_capabilities and are never put back.

export const GROUPS = { root: 0, users: 100, drivers: 101, services: 102 } as const;

const USERS = [
  "codemode.*",
  "app.*",
  "fs.*",
  "shell.*",
  "net.fetch",
  "notification.*",
  "proc.*",
  "session.*",
  "agent.*",
  "persona.*",
  "bundle.*",
  "project.*",
  "credits.*",
  "signal.*",
  "sched.*",
  "hil.*",
  "policy.*",
  "hooks.*",
  "archive.*",
  "system.*",
  "pkg.create",
  "pkg.list",
  "pkg.checkout",
  "pkg.install",
  "pkg.remove",
  "pkg.remote.*",
  "pkg.public.*",
  "repo.apply",
  "repo.compare",
  "repo.create",
  "repo.diff",
  "repo.import",
  "repo.list",
  "repo.log",
  "repo.read",
  "repo.refs",
  "repo.search",
  "workspace.*",
  "ai.transcription.create",
  "ai.speech.create",
  "adapter.connect",
  "adapter.disconnect",
  "adapter.status",
  "sys.config.get",
  "sys.config.set",
  "sys.bootstrap",
  "sys.device.get",
  "sys.device.list",
  "sys.device.update",
  "sys.oauth.*",
  "sys.mcp.*",
  "sys.link",
  "sys.link.*",
  "sys.unlink",
  "sys.token.*",
  "account.create",
  "account.list",
  "account.update",
  "account.remove",
  "account.passwd",
  "group.list",
  "audit.list",
];

export function firstGrants(): readonly { readonly gid: number; readonly capability: string }[] {
  return [
    { gid: GROUPS.root, capability: "*" },
    ...USERS.map((capability) => ({ gid: GROUPS.users, capability })),
    { gid: GROUPS.drivers, capability: "fs.*" },
    { gid: GROUPS.drivers, capability: "shell.*" },
    { gid: GROUPS.services, capability: "adapter.*" },
  ];
}

const FORM = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*(?:\.\*)?$/;

/** Domains that have calls, and those that will. */
function domains(): ReadonlySet<string> {
  return new Set([...USERS, "adapter.*", "group.*", "net.*"].map((capability) => capability.split(".")[0] ?? ""));
}

/** What is wrong with a capability as somebody wrote it; null when nothing is. A word alone stands for its domain only where `alone`. */
export function capabilityFault(text: string, alone: boolean): string | null {
  if (text === "*") return null;
  if (!FORM.test(text) || (!alone && !text.includes("."))) return `${text} is not the form of a capability`;
  const domain = text.split(".")[0] ?? "";
  const known = domains();
  return known.has(domain) ? null : `there are no capabilities of ${domain}; there are: ${[...known].sort().join(" ")}`;
}
