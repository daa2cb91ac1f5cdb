// The tools of gsv's MCP server, in a stable order, and what they may call.

import { grants } from "../../../src/abi/identity.ts";
import { approvalTools } from "./approvals.ts";
import { fileTools } from "./file-tools.ts";
import { processTools } from "./process-tools.ts";
import type { Tool } from "./tool.ts";

const TOOLS: readonly Tool[] = [...processTools, ...approvalTools, ...fileTools];

/** The server asks who it is, and which kernel runs. */
const OWN = ["system.whoami", "system.status", "system.version"];

/** What the server may call: `allow` as a person wrote it, or all that its tools need. */
export function capabilitiesFor(allow: readonly string[] | null): readonly string[] {
  return [...new Set([...OWN, ...(allow ?? TOOLS.flatMap(({ needs }) => needs))])];
}

/** The tools that work with these capabilities. */
export function toolsFor(capabilities: readonly string[]): readonly Tool[] {
  return TOOLS.filter(({ needs }) => needs.every((each) => grants(capabilities, each)));
}

/** The beginning stands alone: some clients show 512 characters. */
export const INSTRUCTIONS = `gsv runs durable agents (processes with pids) on the person's computer. To delegate a task: spawn_process with a label and a message, then wait with the pid and run that it returned; wait returns "still running" after at most 50 s: call it again. send_message continues a process. list_processes and read_history show what agents do. If a result says "waiting for approval ID", tell the person: only the person decides it.
Files are gsv's own (~ is the person's home there; /workspaces has attached directories of the computer). Long results end with a cursor: call again with it.`;
