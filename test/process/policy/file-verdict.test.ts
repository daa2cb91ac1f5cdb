// Writes of an agent that a person sees first. The target file of a path decides, under every name a disk may know it by.

import { expect, test } from "bun:test";
import { verdictOf } from "../../../src/process/approvals/policy/file-verdict.ts";
import { guardedWords, hostFileVerdict } from "../../../src/process/approvals/policy/host-file-verdict.ts";
import type { CallRow } from "../../../src/store/process/verbs.ts";

const WRITE: CallRow = {
  dispatchId: "d1",
  callId: "c1",
  tool: "Write",
  call: "fs.write",
  args: {},
  repeat: "effect",
  status: "registered",
};

const GUARDED = [
  "/home/sam/context.d/a.md",
  "/home/sam/context.d",
  "/home/sam/Context.D/a.md",
  "/home/sam/SKILLS.D/x/SKILL.md",
  "/home/sam/\u017fkills.d/a.md",
  "/home/sam/hoo\u212as.d/a.sh",
  "/home/sam/context\u200b.d/a.md",
  "/home/sam/\uff43ontext.d/a.md",
  "/home/sam/persona.md",
  "/workspaces/ws_k3x9qa/AGENTS.md",
  "/workspaces/ws_k3x9qa/app/claude.md",
  "/workspaces/ws_k3x9qa/.gsv/context.d/a.md",
  "/proc/task:abc123/context.d/a.md",
  "/root/hooks.d/a.sh",
  "/Root/Hooks.D/a.sh",
  "/etc/passwd",
  "/ETC/passwd",
  "/sys/config/ai/model",
  "/Sys/config/ai/model",
  "/proc/init:1000/ctl",
  "/proc/task:abc123/note",
];
const FREE = [
  "/home/sam/notes.md",
  "/home/sam/context.dx/a.md",
  "/home/sam/my/context.d/a.md",
  "/home/sam/docs/persona.md",
  "/workspaces/ws_k3x9qa/agents.md.txt",
  "/system/a",
  "/tmp/etc/a",
];

test("agent instructions need approval under every spelling of their name", () => {
  const asked = GUARDED.filter((path) => verdictOf(WRITE, path).action === "ask");
  expect(asked).toEqual(GUARDED);
  expect(verdictOf({ ...WRITE, call: "fs.edit" }, "/home/sam/Context.D/a").action).toBe("ask");
});

test("everything else is written at once", () => {
  expect(FREE.filter((path) => verdictOf(WRITE, path).action === "auto")).toEqual(FREE);
});

const ACTS = [
  ".git/hooks/pre-commit",
  ".Git/Hooks/pre-commit",
  ".g\u200bit/config",
  ".gsv/config",
  ".GSV/Config",
  ".mcp.json",
  ".vscode/tasks.json",
  ".claude/settings.json",
  ".cursor/mcp.json",
  ".codex/config.toml",
  ".husky/pre-push",
  "sub/AGENTS.md",
  "Claude.md",
  ".envrc",
  ".npmrc",
  ".gitmodules",
];

test("in mode accept-edits, files that make programs run by themselves still ask, existing or new", () => {
  const write = (path: string, ground: object = {}) =>
    hostFileVerdict({ call: "fs.write" }, { path, inside: true, attaches: null, ...ground }, "accept-edits").action;
  expect(ACTS.filter((path) => write(`/app/${path}`) !== "ask")).toEqual([]);
  const free = ["src/main.ts", ".gitignore", "docs/agents.txt", "git/config"];
  expect(free.filter((path) => write(`/app/${path}`) !== "auto")).toEqual([]);
  expect(write("/app-secret/x", { inside: false })).toBe("ask");
  expect(write("/app/src/main.ts", { inside: false, attaches: "/app" })).toBe("ask");
  const ground = { path: "/app/x", inside: true, attaches: null };
  expect(hostFileVerdict({ call: "fs.delete" }, ground, "accept-edits").action).toBe("ask");
  expect(hostFileVerdict({ call: "fs.write" }, ground, "ask").action).toBe("ask");
  expect(hostFileVerdict({ call: "fs.read" }, ground, "ask").action).toBe("auto");
});

test("the reason for asking about a file of an attached directory is shown exactly", () => {
  expect(guardedWords("/workspaces/dir_kvoyqq/src/cart.js")).toBe("changes files on this computer");
  for (const path of [
    "/workspaces/dir_kvoyqq/AGENTS.md",
    ...[".git", ".git/hooks/x", ".git/commondir", "sub/.git/config", ".git/objects/info/alternates"].map(
      (name) => `/workspaces/dir_kvoyqq/${name}`,
    ),
    "/home/sam/context.d/a",
  ])
    expect(guardedWords(path)).toBe("may change what agents or programs do");
});
