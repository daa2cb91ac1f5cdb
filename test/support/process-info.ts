// A process as proc.get returns it: sam's init, idle.

import type { ProcessInfo } from "../../src/abi/process/process.ts";

const IDLE: ProcessInfo = {
  pid: "init:1000",
  label: null,
  owner: "sam",
  uid: 1000,
  runAs: "sam-agent",
  profile: "init",
  parentPid: null,
  state: "idle",
  cwd: "/home/sam",
  workspaceId: null,
  queued: 0,
  activeRunId: null,
  createdAt: 0,
  lastActiveAt: null,
  waitsFor: null,
  lastStatus: null,
  mode: "ask",
  costUsd: 0,
  tokens: 0,
};

export function processInfo(about: Partial<ProcessInfo> = {}): ProcessInfo {
  return { ...IDLE, ...about };
}
