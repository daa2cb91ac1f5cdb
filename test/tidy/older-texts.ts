// What the net of plain.test.ts leaves out: texts from before it. These lists only shrink.

/** Folders with files that still have older comments or titles. */
export const OLDER_COMMENTS: readonly string[] = [
  "fs",
  "fs/disk",
  "fs/generated",
  "fs/proc",
  "fs/read",
  "fs/repo",
  "fs/sys",
  "src/objects",
  "src/providers",
  "src/providers/anthropic",
  "src/providers/offline",
  "src/providers/ollama",
  "src/providers/openai",
  "src/providers/script",
  "src/repos",
  "src/shell/interpreter",
  "src/shell/jobs",
  "src/shell/programs",
  "src/shell/programs/awk",
  "src/shell/programs/bc",
  "src/shell/programs/files",
  "src/shell/programs/sed",
  "src/shell/programs/text",
  "src/shell/rewrite",
  "src/targets",
  "tui",
  "tui/cards",
  "tui/line",
  "tui/screen",
  "tui/state",
  "tui/talk",
  "tui/verdict",
  "tui/view",
  "tui/views",
];

/** Files with an error line that is too long. */
export const OLDER_ERRORS: readonly string[] = [];
