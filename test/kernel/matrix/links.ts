// The rows of the capability matrix for MCP servers. None is added: their names are unknown to everyone.

import { ALL, PERSON, type Rows } from "./world.ts";

const none = () => ({ name: "none" });
const UNKNOWN = { outcomes: ["ENOENT", "ENOENT", "ENOENT", "EPERM", "EPERM"], about: none } as const;

export const LINK_ROWS: Rows = {
  "sys.mcp.add": {
    outcomes: ["EUSAGE", "EUSAGE", "EUSAGE", "EPERM", "EPERM"],
    about: () => ({ name: "notes" }),
  },
  "sys.mcp.list": { outcomes: ALL, about: () => ({}) },
  "sys.mcp.show": { outcomes: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "ENOENT"], about: none },
  "sys.mcp.refresh": UNKNOWN,
  "sys.mcp.enable": UNKNOWN,
  "sys.mcp.disable": UNKNOWN,
  "sys.mcp.allow": { ...UNKNOWN, about: () => ({ name: "none", tool: "add" }) },
  "sys.mcp.remove": UNKNOWN,
  "sys.mcp.logs": UNKNOWN,
  "sys.oauth.start": {
    outcomes: ["EUSAGE", "EUSAGE", "EUSAGE", "EPERM", "EPERM"],
    about: () => ({ name: "forge", authorize: "https://forge.test" }),
  },
  "sys.oauth.finish": {
    outcomes: ["ESTALE", "ESTALE", "ESTALE", "EPERM", "EPERM"],
    about: () => ({ flow: "0190a1b2-0000-7000-8000-000000000009", callback: "state=x&code=y" }),
  },
  "sys.oauth.list": { outcomes: PERSON, about: () => ({}) },
  "sys.oauth.forget": UNKNOWN,
  "sys.mcp.resources": { outcomes: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "ENOENT"], about: none },
  "sys.mcp.resource": {
    outcomes: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "ENOENT"],
    about: () => ({ name: "none", uri: "demo://a" }),
  },
  "sys.mcp.prompt": { ...UNKNOWN, about: () => ({ name: "none", prompt: "plan" }) },
};
