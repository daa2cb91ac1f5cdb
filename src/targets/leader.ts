// What stands over a command of the host: a bash that leads its group, says who it is and writes how the command ended, and in a sandbox that
// has processes of its own a second one, the first process there. Whom a signal is for is said here, and nobody who only has a number that
// was theirs is ever among them.

import { existsSync } from "node:fs";
import { type Leader, parentOf } from "./pids.ts";
import { READY, type Spool } from "./spool.ts";

const BASHES = [
  "/bin/bash",
  "/usr/bin/bash",
  "/usr/local/bin/bash",
  "/opt/homebrew/bin/bash",
  "/run/current-system/sw/bin/bash",
];
/** Never by way of PATH. */
export const BASH = BASHES.find((path) => existsSync(path)) ?? "/bin/bash";
/** Where a sandbox says which number its first process has out here. */
export const INSIDE_FD = 4;
const READY_FD = 5;

/**
 * Says who it is, runs the command, writes how it ended, and ends whatever that left behind. Who was asked to end may take a while for it;
 * what was left in the background without a word may not. `$1` is the spool, `$2` not empty where a sandbox tells of its first process.
 */
const LEADER = [
  "d=$1; in=$2; shift 2; umask 077; stat=; { read -r stat < /proc/$$/stat; } 2>/dev/null",
  'printf "%s\\t%s\\n" "$$" "$stat" > "$d/leader"',
  `[ -z "$in" ] || exec ${INSIDE_FD}>>"$d/inside" ${READY_FD}>&${INSIDE_FD}`,
  "exec 3>&2 2>/dev/null; trap : HUP INT QUIT USR1 USR2 TERM ALRM PIPE; umask 022",
  '"$@" 2>&3 3>&-; s=$?',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash takes it, not we
  'others() { for f in /proc/[0-9]*/stat; do read -r l < "$f" && set -- ${l##*) } && [ "$3" = $$ ] &&',
  '  [ "$1" != Z ] && [ "$f" != /proc/$$/stat ] && return 0; done; return 1; }',
  'umask 077; printf "%s" "$s" > "$d/status"',
  'if [ -e "$d/cause" ]; then while others; do /bin/sleep 0.05; done; fi',
  'echo >> "$d/status"; kill -KILL 0',
].join("\n");

/** As LEADER, for what is out of its sight: all that runs in the sandbox ends with this one, so it waits for what was asked to end. */
const FIRST = [
  "exec 3>&2 2>/dev/null; asked=; s=143; trap : HUP INT QUIT USR1 USR2 ALRM PIPE; trap asked=1 TERM",
  `echo ${READY} >&${READY_FD}; [ -n "$asked" ] || { "$@" 2>&3 3>&- ${READY_FD}>&-; s=$?; }; echo $s >&${READY_FD}`,
  "others() { for f in /proc/[0-9]*; do [ $f = /proc/1 ] || return 0; done; return 1; }",
  // It is ended sooner where it was to be; a signal that nobody stands behind is not waited for without end.
  'for i in {1..400}; do [ -n "$asked" ] && others || break; /bin/sleep 0.05; done; exit $s',
].join("\n");

const PLAIN_BASH = [BASH, "--noprofile", "--norc", "-c"];

/** A command with its leader. */
export function led(spool: Spool, argv: readonly string[], tellsInside: boolean): readonly string[] {
  return [...PLAIN_BASH, LEADER, "gsv-host", spool.directory, tellsInside ? "tells" : "", ...argv];
}

/** A command with the first process of its sandbox. */
export function first(argv: readonly string[]): readonly string[] {
  return [...PLAIN_BASH, FIRST, "gsv-host", ...argv];
}

/**
 * The groups a signal is for. Null: nobody hears it yet. The sandbox's own processes stand between the leader and the command, and would
 * end it at once with anything that is not for it.
 */
export function groupsFor(name: string, leader: Leader, spool: Spool, tellsInside: boolean): readonly number[] | null {
  if (!tellsInside) return [leader.pid];
  const inside = spool.inside();
  const sandbox = inside === null ? null : parentOf(inside);
  const isOurs = sandbox !== null && parentOf(sandbox) === leader.pid;
  // The leader first, so that it says nothing of an end that was not the command's own.
  if (name === "KILL") return isOurs && inside !== null ? [leader.pid, inside] : [leader.pid];
  return isOurs && inside !== null ? [inside] : null;
}
