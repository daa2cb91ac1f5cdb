// The methods that the read-only view answers: those of calls of class `read`.

import type { Services } from "../syscalls/table.ts";

export const READS = {
  registry: ["list", "get"],
  histories: ["page", "text", "trace", "segments"],
  archives: ["list", "show", "verify"],
  sessions: ["list", "get", "stats", "history", "messages", "route"],
  approvals: ["list"],
  files: ["read", "search"],
  tree: ["stat", "list", "get"],
  storage: ["status", "verify"],
  media: ["get", "list"],
  kernel: ["status"],
  serving: ["status"],
  settings: ["get", "list"],
  accounts: ["list"],
  groups: ["list"],
  tokens: ["list"],
  logins: ["list"],
  rights: ["of"],
  audit: ["list"],
  agents: ["list", "show"],
  bundles: ["list", "show"],
  projects: ["list", "show"],
  credits: ["balance", "ledger"],
  repositories: ["list", "refs", "read", "search", "log", "show", "diff", "compare"],
  workspaces: ["list", "get", "log"],
  hooks: ["list"],
  outages: ["list"],
  usage: ["runs", "sums"],
  budgets: ["list"],
  prompts: ["show", "files", "homeFiles"],
  schedules: ["list", "get", "due", "next", "history"],
  notifications: ["list"],
  watches: ["list"],
  mcp: ["list", "show", "logs"],
  oauth: ["list"],
  trust: ["speaks"],
  undoing: ["diff"],
  fileUse: ["uses", "writers"],
} as const satisfies { readonly [S in keyof Services]?: readonly (keyof Services[S])[] };

export type ReadServices = {
  readonly [S in keyof typeof READS]: Pick<Services[S], (typeof READS)[S][number] & keyof Services[S]>;
};
