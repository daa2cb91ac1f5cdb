// Reads context files with the rights of the agent. Unreadable files are skipped, so a prompt never fails because of one; a full disk still
// throws.

import { existsSync } from "node:fs";
import { unlessRefused } from "../../../fs/error.ts";
import type { Directory, ReadResult } from "../../../fs/filesystem.ts";
import type { Namespace } from "../../../fs/namespace.ts";
import type { Caller } from "../../abi/identity.ts";
import { SKILL_BYTES_MAX, skillFrom } from "../../abi/process/skill.ts";
import type { ContextFile, SkillLine } from "../../prompts/context.ts";

const FILES_MAX = 200;

export class ContextFiles {
  private readonly mostBytes: number;

  constructor(
    private readonly namespace: Namespace,
    private readonly caller: Caller,
    bytesMax: number,
    /** Root of the namespace, for paths of the host. */
    private readonly under = "",
  ) {
    // One byte more, to detect files that are too large.
    this.mostBytes = bytesMax + 1;
  }

  async contextIn(path: string): Promise<ContextFile[]> {
    const files: ContextFile[] = [];
    const directory = await this.directoryAt(path);
    if (directory === null) return files;
    for (const { name, stat } of directory.entries.slice(0, FILES_MAX)) {
      if (!name.endsWith(".md") || stat.kind === "directory") continue;
      const text = await textOf(directory.read(name, { bytesMax: this.mostBytes }));
      if (text !== null) files.push({ path: `${path}/${name}`, text });
    }
    return files;
  }

  async fileAt(path: string): Promise<ContextFile[]> {
    const text = await textOf(
      this.namespace.read(this.caller, path.slice(this.under.length), { bytesMax: this.mostBytes }),
    );
    return text === null ? [] : [{ path, text }];
  }

  async skillsIn(home: string, known: readonly SkillLine[]): Promise<SkillLine[]> {
    const found: SkillLine[] = [];
    const directory = await this.directoryAt(`${home}/skills.d`);
    if (directory === null) return found;
    for (const { name: entry, stat } of directory.entries.slice(0, FILES_MAX)) {
      const isFile = stat.kind !== "directory";
      if (isFile && !entry.endsWith(".md")) continue;
      const name = isFile ? entry.slice(0, -".md".length) : entry;
      const file = isFile ? entry : `${entry}/SKILL.md`;
      const text = await textOf(directory.read(file, { bytesMax: SKILL_BYTES_MAX + 1 }));
      const skill = text === null ? null : skillFrom(name, text);
      if (skill === null || "fault" in skill || known.some((each) => each.name === name)) continue;
      found.push({ name, description: skill.description, path: `${home}/skills.d/${file}` });
    }
    return found;
  }

  async exists(path: string): Promise<boolean> {
    const stat = await unlessRefused(() => this.namespace.stat(this.caller, path.slice(this.under.length)));
    return stat !== null && stat.kind !== "directory";
  }

  private directoryAt(path: string): Promise<Directory | null> {
    return unlessRefused(() => this.namespace.directory(this.caller, path.slice(this.under.length)));
  }
}

function textOf(read: Promise<ReadResult>): Promise<string | null> {
  return unlessRefused(async () => {
    const { bytes } = await read;
    return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
  });
}

/** Reader for a host directory; null if it is gone. */
export function filesAt(
  diskAt: (directory: string) => Namespace,
  place: { readonly directory: string; readonly caller: Caller; readonly bytesMax: number },
): ContextFiles | null {
  if (!existsSync(place.directory)) return null;
  return new ContextFiles(diskAt(place.directory), place.caller, place.bytesMax, place.directory);
}
