// Who reads the flags of a caller. A reader that forgets one opens a door, so each is listed here with the door that it keeps.

import { expect, test } from "bun:test";
import { PRODUCT, readTree } from "./tree.ts";

type Flag = "approved" | "allowed" | "allowedByRuleOrMode" | "looksOnly";

const READERS: { readonly [file: string]: readonly [door: string, ...flags: Flag[]] } = {
  "src/kernel/dispatch.ts": ["every call", "approved", "looksOnly"],
  "src/kernel/shells/host-launcher.ts": ["commands on the host", "approved", "allowedByRuleOrMode", "allowed"],
  "src/kernel/shells/script-runs.ts": ["scripts in gsv", "approved", "allowedByRuleOrMode"],
  "src/kernel/shells/shell-files.ts": ["files of scripts", "looksOnly"],
  "src/kernel/shells/shell-runs.ts": ["input to host commands", "approved"],
  "src/kernel/workspaces/host-directories.ts": ["directories to attach", "approved"],
  "src/process/prompt/prompt-service.ts": ["context of a process", "approved", "allowed"],
  "fs/disk/host.ts": ["files of the host", "allowed"],
  "fs/repo/homes.ts": ["files of homes", "approved", "allowed"],
  "fs/repo/repo.ts": ["links of homes and workspaces", "allowed"],
  "fs/repo/workspaces.ts": ["files of workspaces", "approved", "allowed"],
};

test("each flag of a caller is read at the doors that are listed", () => {
  const readers = [...readTree(PRODUCT).values()].flatMap(({ path, text }) => {
    const flags = [...text.matchAll(/\bcaller\.(approved|allowed|allowedByRuleOrMode|looksOnly)\b/g)].map(
      ([, flag]) => flag,
    );
    return flags.length === 0 ? [] : [[path, [...new Set(flags)].sort()]];
  });
  const listed = Object.entries(READERS).map(([path, [, ...flags]]) => [path, flags.sort()]);
  expect(readers.sort()).toEqual(listed.sort());
});
