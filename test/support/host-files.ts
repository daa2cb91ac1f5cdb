// Two equal trees: one on the host, used by an unprivileged process, and one of gsv's, used by a caller with the same ids.
// If the tests themselves are not root, the process is their user and there are only their own files.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { root } from "./caller.ts";
import type { FileMove, Me, Outcome, Standing } from "./file-moves.ts";
import { firstTree } from "./file-moves.ts";
import { memoryMount } from "./memoryfs.ts";

const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;
/** Only root creates anything next to the first directories. */
const TOP_MODE = asRoot ? 0o755 : 0o555;

export const me: Me = asRoot
  ? { uid: NOBODY, gid: NOBODY }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const groups = asRoot ? [NOBODY] : [...new Set([me.gid, ...(process.getgroups?.() ?? [])])];
const caller: Caller = { ...root, ...me, gids: groups, ownerUid: me.uid, username: "me", cwd: "/", umask: 0o022 };

export class HostFiles {
  private readonly home = fs.mkdtempSync(join(tmpdir(), "gsv-model-"));
  private readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  private readonly answers: AsyncIterator<string>;

  constructor() {
    fs.chmodSync(this.home, 0o755);
    const script = join(import.meta.dir, "host-files-child.ts");
    this.child = Bun.spawn([process.execPath, script, join(this.home, "tree"), String(me.uid), String(me.gid)], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
      env: { PATH: process.env.PATH ?? "" },
    });
    this.answers = linesOf(this.child.stdout);
  }

  /** The initial tree. */
  begin(): void {
    const tree = join(this.home, "tree");
    this.clear();
    fs.mkdirSync(tree);
    for (const { path, uid, gid, text, to } of firstTree(me, asRoot)) {
      const at = tree + path;
      if (to !== undefined) fs.symlinkSync(to, at);
      else if (text !== undefined) fs.writeFileSync(at, text);
      else fs.mkdirSync(at);
      fs.lchownSync(at, uid, gid);
    }
    // From the inside out: without root nothing can be created in a closed directory.
    for (const { path, mode, to } of firstTree(me, asRoot).reverse())
      if (to === undefined) fs.chmodSync(tree + path, mode);
    fs.chmodSync(tree, TOP_MODE);
  }

  async perform(move: FileMove): Promise<Outcome> {
    this.child.stdin.write(`${JSON.stringify(move)}\n`);
    this.child.stdin.flush();
    const answer = await this.answers.next();
    if (answer.done) throw new Error("the process that works on real files has ended");
    return JSON.parse(answer.value) as Outcome;
  }

  /** All entries, a line each. A directory without access is opened for reading: it is removed soon. */
  standing(): string[] {
    const lines: string[] = [];
    const visit = (path: string) => {
      const at = join(this.home, "tree") + path;
      const stat = fs.lstatSync(at);
      const standing = { path, uid: stat.uid, gid: stat.gid, mode: stat.mode & 0o7777 };
      if (stat.isSymbolicLink()) return lines.push(lineOf({ ...standing, to: fs.readlinkSync(at) }));
      if (!asRoot) fs.chmodSync(at, 0o700);
      if (!stat.isDirectory()) return lines.push(lineOf({ ...standing, text: fs.readFileSync(at, "utf8") }));
      if (path !== "") lines.push(lineOf(standing));
      for (const name of fs.readdirSync(at).sort()) visit(`${path}/${name}`);
    };
    visit("");
    return lines.sort();
  }

  async end(): Promise<void> {
    await this.child.stdin.end();
    await this.child.exited;
    this.clear();
    fs.rmSync(this.home, { recursive: true, force: true });
  }

  private clear(): void {
    const tree = join(this.home, "tree");
    if (!asRoot && fs.existsSync(tree)) opened(tree);
    fs.rmSync(tree, { recursive: true, force: true });
  }
}

export class OurFiles {
  private readonly files = new Namespace([{ at: "/", fs: memoryMount(0o755) }]);

  static async begin(): Promise<OurFiles> {
    const ours = new OurFiles();
    for (const { path, uid, gid, mode, text, to } of firstTree(me, asRoot)) {
      if (to !== undefined) await ours.files.link({ ...root, ...me }, path, to);
      else if (text !== undefined) await ours.files.write(root, path, Buffer.from(text), { at: "start" });
      else await ours.files.mkdir(root, path, { parents: false });
      if (to !== undefined) continue;
      await ours.files.setattr(root, path, { uid, gid });
      await ours.files.setattr(root, path, { mode });
    }
    await ours.files.setattr(root, "/", { ...(asRoot ? {} : me), mode: TOP_MODE });
    return ours;
  }

  async perform(move: FileMove): Promise<Outcome> {
    try {
      const value = await this.carriedOut(move);
      return typeof value === "string" ? { code: "done", value } : { code: "done" };
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      return { code: error.code };
    }
  }

  private async carriedOut(move: FileMove): Promise<unknown> {
    const { files } = this;
    const { path } = move;
    switch (move.do) {
      case "write":
      case "append":
      case "create": {
        const at = move.do === "append" ? "end" : "start";
        const options = { at, exclusive: move.do === "create", mode: move.mode ?? 0o666 } as const;
        return files.write(caller, path, Buffer.from(move.text), options);
      }
      case "read":
        return Buffer.from((await files.read(caller, path, { bytesMax: 1 << 20 })).bytes).toString();
      case "list":
        return (await files.list(caller, path)).map(({ name }) => name).join(" ");
      case "stat": {
        const { kind, uid, gid, mode } = await files.lstat(caller, path);
        return `${kind} ${uid}:${gid} ${mode.toString(8)}`;
      }
      case "remove":
        return files.remove(caller, path, { recursive: false });
      case "mkdir":
        return files.mkdir(caller, path, { parents: false, mode: move.mode ?? 0o777 });
      case "rename":
        return files.rename(caller, path, move.to);
      case "symlink":
        return files.link(caller, path, move.to);
      case "chmod":
        return files.setattr(caller, path, { mode: move.mode });
      case "chown":
        return files.setattr(caller, path, { uid: move.uid, gid: move.gid });
    }
  }

  async standing(): Promise<string[]> {
    const lines: string[] = [];
    const visit = async (path: string): Promise<void> => {
      for (const { name, stat } of await this.files.list(root, path === "" ? "/" : path)) {
        const { uid, gid, mode, target } = stat;
        const standing = { path: `${path}/${name}`, uid, gid, mode };
        if (stat.kind === "symlink") lines.push(lineOf({ ...standing, to: target ?? "" }));
        else if (stat.kind === "directory") {
          lines.push(lineOf(standing));
          await visit(standing.path);
        } else {
          const { bytes } = await this.files.read(root, standing.path, { bytesMax: 1 << 20 });
          lines.push(lineOf({ ...standing, text: Buffer.from(bytes).toString() }));
        }
      }
    };
    await visit("");
    return lines.sort();
  }
}

function opened(at: string): void {
  if (!fs.lstatSync(at).isDirectory()) return;
  fs.chmodSync(at, 0o700);
  for (const name of fs.readdirSync(at)) opened(join(at, name));
}

function lineOf({ path, uid, gid, mode, text, to }: Standing): string {
  const content = to === undefined ? (text === undefined ? "directory" : JSON.stringify(text)) : `-> ${to}`;
  return `${path} ${uid}:${gid} ${mode.toString(8)} ${content}`;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
