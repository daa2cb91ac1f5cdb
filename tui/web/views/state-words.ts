import type { ProcessInfo } from "../../../src/abi/process/process.ts";

export const STATE_WORDS: { readonly [S in ProcessInfo["state"]]: string } = {
  idle: "idle",
  queued: "queued",
  running: "running",
  waiting_tool: "running a tool",
  waiting_hil: "waits for you",
  paused: "paused",
  stopped: "stopped",
  error: "failed",
};
