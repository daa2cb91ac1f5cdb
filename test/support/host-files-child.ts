// A process of the host that carries out operations on real files, one JSON line each, as a given user.

import * as fs from "node:fs";
import { createInterface } from "node:readline";
import type { FileMove, Outcome } from "./file-moves.ts";

const [root = "", uid = "", gid = ""] = process.argv.slice(2);
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(Number(gid));
  process.setuid?.(Number(uid));
}
process.umask(0o022);

function carriedOut(move: FileMove, at: string): string | undefined {
  const { O_WRONLY, O_TRUNC, O_CREAT, O_EXCL, O_APPEND } = fs.constants;
  switch (move.do) {
    case "write":
      return put(at, O_WRONLY | O_CREAT | O_TRUNC, move.text, move.mode);
    case "append":
      return put(at, O_WRONLY | O_CREAT | O_APPEND, move.text, move.mode);
    case "create":
      return put(at, O_WRONLY | O_CREAT | O_EXCL, move.text, move.mode);
    case "read":
      return fs.readFileSync(at, "utf8");
    case "list":
      return fs.readdirSync(at).sort().join(" ");
    case "stat":
      return about(fs.lstatSync(at));
    case "remove":
      return void (fs.lstatSync(at).isDirectory() ? fs.rmdirSync(at) : fs.unlinkSync(at));
    case "mkdir":
      return void fs.mkdirSync(at, { mode: move.mode ?? 0o777 });
    case "rename":
      return void fs.renameSync(at, root + move.to);
    case "symlink":
      return void fs.symlinkSync(move.to, at);
    case "chmod":
      return void fs.chmodSync(at, move.mode);
    case "chown":
      return void fs.chownSync(at, move.uid, move.gid);
  }
}

function put(at: string, flags: number, text: string, mode = 0o666): undefined {
  const file = fs.openSync(at, flags, mode);
  try {
    if (text !== "") fs.writeSync(file, text);
  } finally {
    fs.closeSync(file);
  }
}

function about(stat: fs.Stats): string {
  const kind = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : "file";
  return `${kind} ${stat.uid}:${stat.gid} ${(stat.mode & 0o7777).toString(8)}`;
}

function outcomeOf(move: FileMove): Outcome {
  try {
    const value = carriedOut(move, root + move.path);
    return value === undefined ? { code: "done" } : { code: "done", value };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(outcomeOf(JSON.parse(line) as FileMove))}\n`);
}
