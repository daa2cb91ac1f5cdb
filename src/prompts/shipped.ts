// Files of a new home: the skills that ship with gsv, and the first context of an agent. Import this file lazily: it carries all the text.

import boot from "./homes/00-boot.md" with { type: "text" };
import style from "./homes/00-style.md" with { type: "text" };
import user from "./homes/10-user.md" with { type: "text" };
import approvals from "./skills/approvals.md" with { type: "text" };
import filesAndMemory from "./skills/files-and-memory.md" with { type: "text" };
import processes from "./skills/processes.md" with { type: "text" };
import versions from "./skills/versions.md" with { type: "text" };

export interface ShippedFile {
  readonly path: string;
  readonly text: string;
}

export const SHIPPED_SKILLS: readonly ShippedFile[] = [
  { path: "skills.d/approvals.md", text: approvals },
  { path: "skills.d/files-and-memory.md", text: filesAndMemory },
  { path: "skills.d/processes.md", text: processes },
  { path: "skills.d/versions.md", text: versions },
];

/** First context of an agent. A personal agent also gets the text for its first talk. */
export function firstContext(names: { agent: string; owner: string }, personal: boolean): readonly ShippedFile[] {
  const filled = (text: string) => text.replaceAll("{{agent}}", names.agent).replaceAll("{{owner}}", names.owner);
  const files = [
    { path: "context.d/00-style.md", text: style },
    { path: "context.d/10-user.md", text: filled(user) },
  ];
  return personal ? [{ path: "context.d/00-boot.md", text: filled(boot) }, ...files] : files;
}
