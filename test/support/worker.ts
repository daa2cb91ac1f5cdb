// A process that makes the calls of a test, one run a list, each approved by a person if it asks; and a working directory of the host,
// with the git of its owner.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ShownDiff, Undone } from "../../src/abi/process/undo.ts";
import type { Undo } from "../../src/store/process/files/changes.ts";
import { plainGit } from "./git.ts";
import type { TestKernel } from "./kernel.ts";
import { scratchDirectory } from "./scratch.ts";

export interface Call {
  readonly name: string;
  readonly args: object;
}

export const host = (command: string): Call => ({ name: "Shell", args: { target: "host", command } });
export const write = (path: string, content: string): Call => ({ name: "Write", args: { path, content } });

/** Starts one run of these calls, one a turn; returns its id. */
export async function works(home: TestKernel, pid: string, ...calls: readonly Call[]): Promise<string> {
  home.model.will(pid, ...calls.map((call) => ({ calls: [call] })));
  const { runId } = await home.send("go", { pid });
  await home.until(`run ${runId} ends`, async () => {
    const { approvals } = await home.sys.call<{ approvals: { id: string; pid: string }[] }>("hil.list", {});
    for (const { id } of approvals.filter((each) => each.pid === pid))
      await home.sys.call("hil.answer", { id, decision: "approve" });
    return home.heard("chat.complete", runId).length > 0;
  });
  return runId;
}

export const undo = (home: TestKernel, pid: string, more: object = {}) =>
  home.sys.call<Undone>("proc.undo", { pid, ...more });

/** As `changed plan.md`, sorted. */
export function changesIn({ files }: ShownDiff | Undone): string[] {
  return files.map(({ path, what }) => `${what} ${path.split("/").at(-1)}`).sort();
}

/** A kernel that dies before the first file of an undo, and the next one. */
export async function diesIn(home: TestKernel, pid: string, undo: Undo) {
  const row = await home.stores.kernel.processes.get(pid);
  if (row === null) throw new Error(`no process ${pid}`);
  await new Promise<void>((begun) => {
    void home.kernel.ledger.write(row, async () => {
      await home.stores.processes.beginUndo(pid, { ...undo, requestKey: "another" });
      begun();
      await new Promise(() => {});
    });
  });
  await home.restart();
}

export class Project implements Disposable {
  readonly directory = scratchDirectory("project");

  constructor(files: { readonly [name: string]: string } = {}) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(join(this.directory, name, ".."), { recursive: true });
    writeFileSync(join(this.directory, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.directory, name), "utf8");
  }

  names(below = ""): string[] {
    return readdirSync(join(this.directory, below)).sort();
  }

  /** All files committed by its owner. */
  versioned(): this {
    plainGit(this.directory, "init", "-q");
    plainGit(this.directory, "add", "-A");
    plainGit(this.directory, "commit", "-q", "-m", "mine");
    return this;
  }

  /** A hash of every byte in its owner's git. */
  gitDigest(): string {
    const hash = createHash("sha256");
    const walk = (path: string) => {
      for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const at = join(path, entry.name);
        hash.update(at);
        if (entry.isDirectory()) walk(at);
        else hash.update(readFileSync(at));
      }
    };
    walk(join(this.directory, ".git"));
    return hash.digest("hex");
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
