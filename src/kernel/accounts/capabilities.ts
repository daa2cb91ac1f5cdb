// Capabilities of the groups of a new home. Later grants live in group_capabilities.

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

/** Domains with calls now or later. */
function domains(): ReadonlySet<string> {
  return new Set([...USERS, "adapter.*", "group.*", "net.*"].map((capability) => capability.split(".")[0] ?? ""));
}

/** What is wrong with a capability; null if nothing. A bare domain is only valid with `alone`. */
export function capabilityFault(text: string, alone: boolean): string | null {
  if (text === "*") return null;
  if (!FORM.test(text) || (!alone && !text.includes("."))) return `${text} is not a valid capability`;
  const domain = text.split(".")[0] ?? "";
  const known = domains();
  return known.has(domain) ? null : `no capability domain ${domain}; available: ${[...known].sort().join(" ")}`;
}
