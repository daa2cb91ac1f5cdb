// The process above a host command: a bash that leads the group, records its pid and writes the exit status; in a sandbox with its own pid
// namespace a second one as first process. Also decides which groups a signal goes to, never by a reused pid.

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
/** Not from PATH. */
export const BASH = BASHES.find((path) => existsSync(path)) ?? "/bin/bash";
/** bwrap reports the pid of its first process here. */
export const INSIDE_FD = 4;
const READY_FD = 5;

/**
 * Records itself, runs the command, writes its status, ends what it left behind. After a request to end, children get some time;
 * forgotten background processes do not. `$1` is the spool; `$2` is set if the sandbox reports its first process.
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

/** Like LEADER, within a pid namespace: everything in it ends with this process, so it waits for processes that were asked to end. */
const FIRST = [
  "exec 3>&2 2>/dev/null; asked=; s=143; trap : HUP INT QUIT USR1 USR2 ALRM PIPE; trap asked=1 TERM",
  `echo ${READY} >&${READY_FD}; [ -n "$asked" ] || { "$@" 2>&3 3>&- ${READY_FD}>&-; s=$?; }; echo $s >&${READY_FD}`,
  "others() { for f in /proc/[0-9]*; do [ $f = /proc/1 ] || return 0; done; return 1; }",
  // Bounded: the kernel ends it earlier if it should.
  'for i in {1..400}; do [ -n "$asked" ] && others || break; /bin/sleep 0.05; done; exit $s',
].join("\n");

const PLAIN_BASH = [BASH, "--noprofile", "--norc", "-c"];

/** Adds the leader. */
export function led(spool: Spool, argv: readonly string[], tellsInside: boolean): readonly string[] {
  return [...PLAIN_BASH, LEADER, "gsv-host", spool.directory, tellsInside ? "tells" : "", ...argv];
}

/** Adds the sandbox's first process. */
export function first(argv: readonly string[]): readonly string[] {
  return [...PLAIN_BASH, FIRST, "gsv-host", ...argv];
}

/**
 * Process groups for a signal; null: not ready yet. The sandbox's own processes, between leader and command, would end the command with
 * any signal that is not meant for them.
 */
export function groupsFor(name: string, leader: Leader, spool: Spool, tellsInside: boolean): readonly number[] | null {
  if (!tellsInside) return [leader.pid];
  const inside = spool.inside();
  const sandbox = inside === null ? null : parentOf(inside);
  const isOurs = sandbox !== null && parentOf(sandbox) === leader.pid;
  // Leader first, so that it does not report the command's end.
  if (name === "KILL") return isOurs && inside !== null ? [leader.pid, inside] : [leader.pid];
  return isOurs && inside !== null ? [inside] : null;
}
