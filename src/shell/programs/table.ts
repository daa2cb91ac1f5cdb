// The shell's programs by name, loaded when called. They replace the interpreter's own, which hold all input, or lack flags and messages.

import type { Program } from "./program.ts";

/** Programs that gsv's shell does not have; it says how to run them on this computer. */
const ABSENT = [
  ...["sqlite3", "python3", "python", "node", "git", "ssh", "sudo", "make", "vi", "vim", "nano", "yq", "xan"],
] as const;

export function isAbsent(name: string): boolean {
  return (ABSENT as readonly string[]).includes(name);
}

export const PROGRAMS: ReadonlyMap<string, () => Promise<Program>> = new Map<string, () => Promise<Program>>([
  ["cat", async () => (await import("./text/cat.ts")).cat],
  ["less", async () => (await import("./text/cat.ts")).cat],
  ["more", async () => (await import("./text/cat.ts")).cat],
  ["head", async () => (await import("./text/head.ts")).head],
  ["tail", async () => (await import("./text/tail.ts")).tail],
  ["wc", async () => (await import("./text/wc.ts")).wc],
  ["cut", async () => (await import("./text/columns.ts")).cut],
  ["paste", async () => (await import("./text/columns.ts")).paste],
  ["tr", async () => (await import("./text/tr.ts")).tr],
  ["tee", async () => (await import("./text/passing.ts")).tee],
  ["fold", async () => (await import("./text/passing.ts")).fold],
  ["rev", async () => (await import("./text/passing.ts")).rev],
  ["tac", async () => (await import("./text/passing.ts")).tac],
  ["nl", async () => (await import("./text/passing.ts")).nl],
  ["sort", async () => (await import("./text/sort.ts")).sort],
  ["uniq", async () => (await import("./text/sort.ts")).uniq],
  ["shuf", async () => (await import("./small.ts")).shuf],
  ...["grep", "egrep", "fgrep"].map((name) => [name, async () => (await import("./text/grep.ts")).grep] as const),
  ["awk", async () => (await import("./awk/awk.ts")).awk],
  ["sed", async () => (await import("./sed/sed.ts")).sed],
  ["env", async () => (await import("./small.ts")).env],
  ["printenv", async () => (await import("./small.ts")).printenv],
  ["expr", async () => (await import("./expr.ts")).expr],
  ["xargs", async () => (await import("./xargs.ts")).xargs],
  ["diff", async () => (await import("./text/diff.ts")).diff],
  ["cmp", async () => (await import("./text/diff.ts")).cmp],
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"].map(
    (name) => [name, async () => (await import("./text/sums.ts")).sums] as const,
  ),
  ["uuidgen", async () => (await import("./small.ts")).uuidgen],
  ["tar", async () => (await import("./files/tar.ts")).tar],
  ["bc", async () => (await import("./bc/bc.ts")).bc],
  ["patch", async () => (await import("./text/patch.ts")).patch],
  ["od", async () => (await import("./files/dump.ts")).od],
  ["xxd", async () => (await import("./files/dump.ts")).xxd],
  ["ls", async () => (await import("./files/ls.ts")).ls],
  ["stat", async () => (await import("./files/stat.ts")).stat],
  ["chmod", async () => (await import("./files/modes.ts")).chmod],
  ...["chown", "chgrp"].map((name) => [name, async () => (await import("./files/modes.ts")).chown] as const),
  ["mkdir", async () => (await import("./files/modes.ts")).mkdir],
  ["du", async () => (await import("./files/du.ts")).du],
  ["mktemp", async () => (await import("./files/places.ts")).mktemp],
  ["realpath", async () => (await import("./files/places.ts")).realpath],
  ["truncate", async () => (await import("./files/places.ts")).truncate],
  ["dd", async () => (await import("./files/places.ts")).dd],
  ...["id", "groups"].map((name) => [name, async () => (await import("./files/owners.ts")).id] as const),
  ["seq", async () => (await import("./seq.ts")).seq],
  ["yes", async () => (await import("./small.ts")).yes],
  ...["whoami", "logname"].map((name) => [name, async () => (await import("./small.ts")).whoami] as const),
  ["uname", async () => (await import("./small.ts")).uname],
  ["arch", async () => (await import("./small.ts")).arch],
  ["nproc", async () => (await import("./small.ts")).nproc],
  ["tty", async () => (await import("./small.ts")).tty],
  ["uptime", async () => (await import("./small.ts")).uptime],
  ["mount", async () => (await import("./small.ts")).mount],
  ["df", async () => (await import("./files/disk.ts")).df],
  ["free", async () => (await import("./small.ts")).free],
  ["nohup", async () => (await import("./small.ts")).nohup],
  ["watch", async () => (await import("./small.ts")).watch],
  ["ulimit", async () => (await import("./small.ts")).ulimit],
  ...["nice", "ionice", "stdbuf", "setsid", "unbuffer"].map(
    (name) => [name, async () => (await import("./small.ts")).before] as const,
  ),
  ...ABSENT.map((name) => [name, async () => (await import("./small.ts")).absent] as const),
]);
