// Internal words of rewritten scripts: commands, variables, arguments and paths. Each contains a random mark, so that no text of a script or of
// its data is taken for one.

const MARK = `gsv_${Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex")}`;

/** In front of the name of a call's streams. */
const STREAMS_WORD = `__${MARK}_streams=`;

export function streamWord(call: string): string {
  return `${STREAMS_WORD}${call}`;
}

/** The real arguments and the name of the streams; null outside of a pipe. */
export function streamOf(all: readonly string[]): { readonly args: readonly string[]; readonly call: string | null } {
  const [first = ""] = all;
  if (!first.startsWith(STREAMS_WORD)) return { args: all, call: null };
  return { args: all.slice(1), call: first.slice(STREAMS_WORD.length) };
}

/** Removes internal words from traces (set -x). */
export function withoutInternalWords(text: string): string {
  if (!text.includes(MARK) && !/^\++ .*eval ''/m.test(text)) return text;
  return text
    .replaceAll(new RegExp(`^\\++ (?:__(?:${MARK}|just_bash)_\\w+.*|eval '')\\n`, "gm"), "")
    .replaceAll(new RegExp(`^(\\++ \\w+) ${SHELL_FLAG}\\S*`, "gm"), "$1");
}

export const OWN = {
  keep: `__${MARK}_keep`,
  leave: `__${MARK}_leave`,
  signal: `__${MARK}_signal`,
  job: `__${MARK}_job`,
  wait: `__${MARK}_wait`,
  drain: `__${MARK}_drain`,
  pending: `__${MARK}_pending`,
  failed: `__${MARK}_failed`,
  comes: `__${MARK}_comes`,
  before: `__${MARK}_before`,
  event: `__${MARK}_event`,
  last: `__${MARK}_last`,
  source: `__${MARK}_source`,
  functions: `__${MARK}_functions`,
  home: `__${MARK}_home`,
  isScript: `__${MARK}_isscript`,
  status: `__${MARK}_status`,
  handler: `__${MARK}_handler`,
  lastJob: `__${MARK}_lastjob`,
  file: `__${MARK}_file`,
  range: `__${MARK}_range`,
  directories: `__${MARK}_directories`,
  value: `__${MARK}_value`,
  piped: `__${MARK}_piped`,
  at: `__${MARK}_at`,
  zero: `__${MARK}_zero`,
  returns: `__${MARK}_returns`,
  words: `__${MARK}_words`,
  split: `__${MARK}_split`,
  some: `__${MARK}_some`,
  select: `__${MARK}_select_`,
  menu: `__${MARK}_menu`,
  coproc: `__${MARK}_coproc_`,
} as const;

/** Names the subshell that calls a command. */
export const SHELL_FLAG = `--${MARK}_shell=`;
/** A job that prints to the script's own output. */
export const LIVE = `--${MARK}_live`;
/** Marks a signal to `$$`: it goes to the script, not to the subshell that sends it. */
export const WHOLE = `--${MARK}_whole`;
/** Statements of a sourced file are sent too. */
export const SENDING = `--${MARK}_sending`;

/** Paths of streams; they are in no directory. */
const STREAMS = `/dev/.${MARK}/`;
/** The script's own streams. */
export const SINKS = {
  stdout: `${STREAMS}stdout`,
  stderr: `${STREAMS}stderr`,
  nowhere: `${STREAMS}nowhere`,
} as const;
/** Rewritten texts of sourced files. */
export const SOURCES = `${STREAMS}source/`;

/** Read before a file that is opened and written at once when its command ends. */
export const AT_ONCE = `${STREAMS}once`;

export function isInternal(word: string): boolean {
  return word.includes(MARK);
}
