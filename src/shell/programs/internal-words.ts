// Internal words of rewritten scripts: commands, variables, arguments and paths. Each contains a random mark, so that no text of a script or of
// its data is taken for one.

const MARK = `gsv_${Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex")}`;

/** First argument of a program without a reader. */
export const ALONE = `__${MARK}_alone`;
/** In front of the place in a pipe. Neighbouring programs run concurrently; the interpreter would run one after the other. */
const PART = `__${MARK}_part=`;

/** The pipe, and the program's position in it. */
export interface Part {
  readonly chain: string;
  readonly at: number;
  readonly count: number;
  /** stderr is printed, dropped, or joined with stdout. */
  readonly stderr: "sent" | "dropped" | "printed";
}

export function partWord({ chain, at, count, stderr }: Part): string {
  return `${PART}${chain}:${at}:${count}:${stderr}`;
}

/** The real arguments and the place in the pipe; null outside of one. An alias may have put words in front. */
export function partOf(all: readonly string[]): { readonly args: readonly string[]; readonly part: Part | null } {
  const place = all.findIndex((word) => word.startsWith(PART));
  if (place === -1) return { args: all, part: null };
  const [chain = "", at, count, stderr = "sent"] = all[place]?.slice(PART.length).split(":") ?? [];
  const part = { chain, at: Number(at), count: Number(count), stderr: stderr as Part["stderr"] };
  return { args: all.filter((_, at) => at !== place), part };
}

/** Removes internal words from traces (set -x). */
export function withoutInternalWords(text: string): string {
  if (!text.includes(MARK) && !/^\++ .*eval ''/m.test(text)) return text;
  return text
    .replaceAll(new RegExp(` (?:${PART}\\S+|${ALONE})`, "g"), "")
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
  ended: `__${MARK}_ended`,
  piped: `__${MARK}_piped`,
  open: `__${MARK}_open`,
  close: `__${MARK}_close`,
  gone: `__${MARK}_gone`,
  at: `__${MARK}_at`,
  zero: `__${MARK}_zero`,
  returns: `__${MARK}_returns`,
  words: `__${MARK}_words`,
  split: `__${MARK}_split`,
  some: `__${MARK}_some`,
  select: `__${MARK}_select_`,
  menu: `__${MARK}_menu`,
  openLive: `__${MARK}_openlive`,
  endLive: `__${MARK}_endlive`,
  nextLine: `__${MARK}_nextline`,
  line: `__${MARK}_line`,
  lineStatus: `__${MARK}_linestatus`,
} as const;

/** Names the subshell that calls a command. */
export const SHELL_FLAG = `--${MARK}_shell=`;
/** A job that prints to the script's own output. */
export const LIVE = `--${MARK}_live`;
/** Marks a signal to `$$`: it goes to the script, not to the subshell that sends it. */
export const WHOLE = `--${MARK}_whole`;
/** Statements of a sourced file are sent too. */
export const SENDING = `--${MARK}_sending`;
/** Separates the arguments of two programs. */
export const NEXT = `__${MARK}_next`;

/** Paths of streams; they are in no directory. */
const STREAMS = `/dev/.${MARK}/`;
/** The script's own streams. */
export const SINKS = {
  stdout: `${STREAMS}stdout`,
  stderr: `${STREAMS}stderr`,
  nowhere: `${STREAMS}nowhere`,
} as const;
/** Output of a loop. */
export const FLOWS = `${STREAMS}flow/`;
/** Rewritten texts of sourced files. */
export const SOURCES = `${STREAMS}source/`;

/** Read before a file that is opened and written at once when its command ends. */
export const AT_ONCE = `${STREAMS}once`;

export function isInternal(word: string): boolean {
  return word.includes(MARK);
}
