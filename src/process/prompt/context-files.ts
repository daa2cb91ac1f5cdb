// Reads context files with the rights of the agent. Unreadable files are skipped, so a prompt never fails because of one; a full disk still
// throws.

import { existsSync } from "node:fs";
import { unlessRefused } from "../../../fs/error.ts";
import type { Directory, Entry, FileKind, ReadResult } from "../../../fs/filesystem.ts";
import type { Namespace } from "../../../fs/namespace.ts";
import type { Caller } from "../../abi/identity.ts";
import { SKILL_BYTES_MAX, skillFrom } from "../../abi/process/skill.ts";
import type { CacheBudget } from "../../lib/memory/cache-budget.ts";
import type { ContextFile, SkillLine } from "../../prompts/context.ts";

const FILES_MAX = 200;
const TEXTS_MAX = 256;

/** Texts of earlier prompts, by path. A text counts only for the version of the file that was read. */
export class KnownTexts {
  /** Least recently read first. */
  private readonly byPath = new Map<string, { readonly version: string; readonly text: string | null }>();
  private bytes = 0;

  constructor(private readonly budget?: CacheBudget) {
    budget?.add({
      name: "texts of prompts",
      bytes: () => this.bytes,
      shrink: (bytesMax) => this.shrink(bytesMax),
    });
  }

  find(path: string, version: string): string | null | undefined {
    const known = this.byPath.get(path);
    return known?.version === version ? known.text : undefined;
  }

  note(path: string, version: string, text: string | null): void {
    this.drop(path);
    this.byPath.set(path, { version, text });
    this.bytes += bytesOf(path, text);
    const [oldest = ""] = this.byPath.keys();
    if (this.byPath.size > TEXTS_MAX) this.drop(oldest);
    this.budget?.fit();
  }

  private shrink(bytesMax: number): void {
    for (const path of this.byPath.keys()) {
      if (this.bytes <= bytesMax) return;
      this.drop(path);
    }
  }

  private drop(path: string): void {
    const known = this.byPath.get(path);
    if (known !== undefined) this.bytes -= bytesOf(path, known.text);
    this.byPath.delete(path);
  }
}

/** Two bytes a character, at most. */
function bytesOf(path: string, text: string | null): number {
  return 2 * (path.length + (text?.length ?? 0));
}

export class ContextFiles {
  private readonly mostBytes: number;

  constructor(
    private readonly namespace: Namespace,
    private readonly caller: Caller,
    bytesMax: number,
    private readonly known = new KnownTexts(),
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
    for (const entry of directory.entries.slice(0, FILES_MAX)) {
      const { name, stat } = entry;
      if (!name.endsWith(".md") || stat.kind === "directory") continue;
      const text = await this.textIn(directory, path, entry, this.mostBytes);
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
      const text = await this.textIn(directory, `${home}/skills.d`, { name: file, stat }, SKILL_BYTES_MAX + 1);
      const skill = text === null ? null : skillFrom(name, text);
      if (skill === null || "fault" in skill || known.some((each) => each.name === name)) continue;
      found.push({ name, description: skill.description, path: `${home}/skills.d/${file}` });
    }
    return found;
  }

  async exists(path: string): Promise<boolean> {
    const kind = await this.kindAt(path);
    return kind !== null && kind !== "directory";
  }

  async isDirectory(path: string): Promise<boolean> {
    return (await this.kindAt(path)) === "directory";
  }

  private async kindAt(path: string): Promise<FileKind | null> {
    const stat = await unlessRefused(() => this.namespace.stat(this.caller, path.slice(this.under.length)));
    return stat?.kind ?? null;
  }

  private async textIn(
    directory: Directory,
    path: string,
    { name, stat }: Entry,
    bytesMax: number,
  ): Promise<string | null> {
    if (stat.kind !== "file") return textOf(directory.read(name, { bytesMax }));
    const key = `${path}/${name} ${bytesMax}`;
    const known = this.known.find(key, stat.version);
    if (known !== undefined) {
      return unlessRefused(async () => {
        directory.needReadable(name);
        return known;
      });
    }
    const read = directory.read(name, { bytesMax });
    const text = await textOf(read);
    // The file may have changed since it was listed, or be unreadable.
    const version = await read.then(
      (result) => result.version,
      () => null,
    );
    if (version === stat.version) this.known.note(key, version, text);
    return text;
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
  return new ContextFiles(diskAt(place.directory), place.caller, place.bytesMax, undefined, place.directory);
}
