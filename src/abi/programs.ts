// Programs that guards must know by name: what each reads, changes and runs. Approvals and the card use this one table. A program
// that is not listed is unknown: it asks.

import type { Tag } from "./policy.ts";

/** Options and words with which a program only reads. */
export interface Reads {
  /** Short options, alone or combined; digits may follow. */
  readonly letters?: string;
  /** Long options, without the value that may follow a `=`. */
  readonly long?: string;
  /** Number of leading words that are not file names: a pattern, a jq program. */
  readonly skips?: number;
  readonly skipped?: RegExp;
  /** A second file name would be written. */
  readonly namesMax?: number;
  /** All words must match this; none is a file name. */
  readonly only?: RegExp;
}

export interface Program {
  readonly tags?: readonly Tag[];
  readonly reads?: Reads;
  /** Options that make it run another program, write a file, or load its configuration from elsewhere. */
  readonly unstable?: RegExp;
  /** Runs the rest of its words. `valued`: its options that take a word. `words`: its own words before the command. */
  readonly wraps?: { readonly valued?: RegExp; readonly words?: number; readonly isTransparent?: true };
  /** `script`: runs the text after -c. `text`: runs text or code that is not parsed here. */
  readonly runs?: "script" | "text";
  /** Runs a program that it gets on its standard input. */
  readonly interprets?: true;
  /** `--version` alone only reads. */
  readonly versioned?: true;
  readonly downloads?: true;
  readonly asRoot?: true;
  /** Changes the directory or the commands of the rest of the line. */
  readonly moves?: true;
  /** No pattern may cover it: it runs other programs or acts with more rights. */
  readonly onlyExact?: true;
  /** Prints names of files, or passes on all lines that it gets. */
  readonly names?: "lists" | "passes";
}

const GREP: Reads = {
  letters: "abcEFGhHiIlLmnoPqrsvwxABCe",
  long: "ignore-case line-number files-with-matches files-without-match count include exclude exclude-dir color colour only-matching word-regexp invert-match recursive extended-regexp fixed-strings max-count context after-context before-context no-filename with-filename quiet no-messages",
  skips: 1,
};

/** Rows by the names of programs that have the same; each name stands once. */
export const PROGRAMS: { readonly [names: string]: Program } = {
  "pwd whoami groups arch nproc uptime": { reads: { only: /(?!)/ } },
  "true false echo": { reads: { only: /^/ } },
  id: { reads: { only: /^-[unGg]+$/ } },
  uname: { reads: { only: /^-[asnrvmpio]+$/ } },
  seq: { reads: { only: /^-?[\d.]+$/ } },
  sleep: { reads: { only: /^[\d.]+[smh]?$/ } },
  "basename dirname": { reads: { only: /^[^-]/ } },
  which: { reads: { only: /^[\w.+-]+$/ } },
  date: { reads: { only: /^(?:-u|-I[a-z]*|-R|\+[\w %:./-]+)$/ }, unstable: /^(?:-s|--set|-f)/ },
  ls: {
    names: "lists",
    reads: {
      letters: "1aAbBcCdfFgGhiklmnNopqQrRsStTuUvwxX",
      long: "all almost-all human-readable recursive reverse sort time color full-time group-directories-first size",
    },
  },
  tree: { reads: { letters: "adfghiLpsDtrC", long: "dirsfirst gitignore noreport" } },
  fold: { reads: { letters: "bsw" } },
  comm: { reads: { letters: "123", long: "total" } },
  paste: { reads: { letters: "dsz" } },
  cmp: { reads: { letters: "bls" } },
  file: { reads: { letters: "biL", long: "brief mime mime-type" } },
  stat: { reads: { letters: "cfLt", long: "format printf terse" } },
  du: { reads: { letters: "abchkmsxd", long: "human-readable summarize max-depth all total" } },
  df: { reads: { letters: "hikmT" } },
  od: { reads: { letters: "AtNjvwxcbd" } },
  hexdump: { reads: { letters: "Cbcdnosvx" } },
  jq: {
    reads: {
      letters: "cCeMnrsSa",
      long: "raw-output compact-output sort-keys slurp exit-status",
      skips: 1,
      skipped: /^(?!.*\b(?:import|include|modulemeta)\b)/,
    },
  },
  "tac rev cksum": { reads: {} },
  "md5sum sha1sum sha256sum": { reads: { letters: "bt", long: "tag zero" } },
  diff: {
    reads: {
      letters: "abBcdeEiNpqstTuUwWyZ",
      long: "unified context brief ignore-all-space ignore-blank-lines color side-by-side",
    },
    unstable: /^(?:--to-file|--from-file)/,
  },
  xxd: { reads: { letters: "bcglpsu", namesMax: 1 }, unstable: /^-r/ },
  rg: {
    reads: {
      letters: "iSsFwxvclonNHuABCmegtTaPU",
      long: "files hidden no-ignore glob iglob type type-not max-count context after-context before-context ignore-case smart-case fixed-strings word-regexp line-number no-line-number no-heading files-with-matches files-without-match count only-matching multiline max-depth sort json color vimgrep stats",
      skips: 1,
    },
    unstable: /^(?:--pre|--hostname-bin|-z$|--search-zip|--ignore-file|-f)/,
  },
  cat: { reads: { letters: "AbeEnstTuv", long: "number show-all" }, names: "passes" },
  nl: { reads: { letters: "abdfhilnpsvw" } },
  wc: { reads: { letters: "clLmw", long: "lines words bytes chars" } },
  cut: { reads: { letters: "bcdfns", long: "delimiter fields characters bytes" } },
  tr: { reads: { letters: "cCdst", skips: 2 }, names: "passes" },
  uniq: { reads: { letters: "cdDfisuwz", namesMax: 1 }, names: "passes" },
  "head tail": { reads: { letters: "cnqv", long: "lines bytes quiet verbose" } },
  sort: {
    names: "passes",
    reads: { letters: "bcdfghikmMnrRstuVz", long: "numeric-sort reverse unique key human-numeric-sort version-sort" },
    unstable: /^(?:-o|--output|--compress-program|-T|--files0-from)/,
  },
  grep: { reads: GREP, unstable: /^(?:-f|--file)/ },
  "egrep fgrep": { reads: GREP },
  sed: { unstable: /^(?:-i|--in-place|-f|--file|[\d$,]*[wWe]\b|.*\/[gip\d]*[we]|-n?i)/ },
  awk: { runs: "text" },
  "gawk mawk nawk": { runs: "text" },
  "rm rmdir unlink shred mv truncate dd mkfs wipefs reboot shutdown halt poweroff": { tags: ["destructive"] },
  "chmod chown chgrp cp mkdir touch ln install patch sponge mktemp kill killall pkill pnpm yarn unzip gzip gunzip": {
    tags: ["mutating"],
  },
  "mount umount passwd useradd userdel usermod systemctl service insmod setcap crontab at": { tags: ["privileged"] },
  "fetch sftp nc ncat netcat socat telnet ftp dig host nslookup ping html-to-markdown http https aria2c openssl": {
    tags: ["network"],
  },
  tee: { tags: ["mutating"], unstable: /^/, names: "passes" },
  tar: {
    tags: ["mutating"],
    unstable:
      /^(?:--checkpoint-action|--to-command|--use-compress-program|--info-script|--new-volume-script|--rsh-command|--rmt-command|-I|-F|--absolute-names|-P)/,
  },
  curl: {
    tags: ["network"],
    unstable: /^(?:-o|-O|-K|--config|--output|--remote-name|-T|--upload-file|-d|--data)/,
    downloads: true,
  },
  wget: { tags: ["network"], unstable: /^(?:-O|--output|--use-askpass|-i|--post)/, downloads: true },
  scp: { tags: ["network"], unstable: /^-[oSF]/ },
  rsync: { tags: ["network"], unstable: /^(?:-e|--rsh|--rsync-path)/ },
  git: {
    tags: ["mutating"],
    unstable:
      /^(?:-c|-C|--config-env|--exec-path|--git-dir|--work-tree|-p$|--paginate|--output|--ext-diff|--textconv|--upload-pack|--receive-pack|--exec|-O|--open-files-in-pager|--template|-x$|-u$)/,
    versioned: true,
  },
  make: { tags: ["mutating"], unstable: /^(?:-f|-C|--file|--eval|--directory|SHELL=)/, versioned: true },
  npm: {
    tags: ["mutating"],
    unstable: /^(?:--prefix|--script-shell|--node-options|-C|--userconfig|--globalconfig|exec$)/,
    versioned: true,
  },
  go: { tags: ["mutating"], unstable: /^(?:-toolexec|-exec|-overlay)/, versioned: true },
  cargo: { tags: ["mutating"], unstable: /^(?:--config|-Z)/, versioned: true },
  "npx pip pip3": { tags: ["mutating"], versioned: true },
  bun: { tags: ["mutating"], runs: "text", versioned: true },
  find: { names: "lists", unstable: /^-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls|files0-from)/ },
  fd: { names: "lists", unstable: /^(?:-[xX]|--exec)/ },
  man: { unstable: /^(?:-P|--pager|-H|--html)/ },
  less: { unstable: /^(?:-o|-O|\+)/ },
  zip: { unstable: /^(?:-T|-TT|--unzip-command)/ },
  docker: { unstable: /^(?:-v|--volume|--privileged|--mount|--pid|--net)/ },
  yq: { unstable: /^(?:-i|--inplace)/ },
  "rustc gcc g++ clang cmake java": { versioned: true },
  "sh bash dash ksh zsh ash fish": { runs: "script", interprets: true, onlyExact: true },
  "csh tcsh": { runs: "text", interprets: true, onlyExact: true },
  "python python3": { unstable: /^-[cm]/, runs: "text", interprets: true, versioned: true },
  node: {
    unstable: /^(?:-e|-p|-r|--eval|--print|--require|--import|--loader)/,
    runs: "text",
    interprets: true,
    versioned: true,
  },
  perl: { runs: "text", interprets: true },
  ruby: { runs: "text", interprets: true, versioned: true },
  "deno php": { runs: "text", versioned: true },
  "trap alias lua parallel script expect vi vim ed emacs nvim": { runs: "text" },
  osascript: { runs: "text", onlyExact: true },
  ssh: { onlyExact: true, tags: ["network"], unstable: /^-(?:o|F|W|R|L|D)/, runs: "text" },
  su: { onlyExact: true, tags: ["privileged"], runs: "text", asRoot: true },
  "eval source .": { runs: "text", moves: true, onlyExact: true },
  "cd pushd popd": { moves: true },
  sudo: { onlyExact: true, tags: ["privileged"], wraps: { valued: /^-(?:[ugphCDRrTt]|-user|-group)$/ }, asRoot: true },
  doas: { onlyExact: true, tags: ["privileged"], wraps: { valued: /^-[uC]$/ }, asRoot: true },
  chroot: { tags: ["privileged"], wraps: { words: 1 } },
  env: { onlyExact: true, unstable: /^/, wraps: { valued: /^(?:-[uCS]|--unset|--chdir)$/ } },
  xargs: { onlyExact: true, unstable: /^/, wraps: { valued: /^-[adEeIiLlnPs]$/ } },
  command: { wraps: { isTransparent: true }, moves: true, onlyExact: true },
  builtin: { wraps: { isTransparent: true }, moves: true },
  "nohup setsid": { wraps: { isTransparent: true } },
  nice: { wraps: { valued: /^(?:-n|--adjustment)$/, isTransparent: true } },
  ionice: { wraps: { valued: /^-[cnp]$/, isTransparent: true } },
  stdbuf: { wraps: { valued: /^-[ioe]$/, isTransparent: true } },
  time: { wraps: { valued: /^-[fo]$/, isTransparent: true } },
  timeout: { wraps: { valued: /^(?:-[sk]|--signal|--kill-after)$/, words: 1, isTransparent: true } },
  exec: { onlyExact: true, wraps: { valued: /^-a$/ } },
  watch: { wraps: { valued: /^-[nd]$/ } },
  strace: { wraps: { valued: /^-[eopsEu]$/ } },
  flock: { wraps: { valued: /^-[wE]$/, words: 1 } },
  "chrt taskset": { wraps: { words: 1 } },
  "busybox toybox unshare": { wraps: {} },
};

const BY_NAME = new Map(
  Object.entries(PROGRAMS).flatMap(([names, program]) => names.split(" ").map((name) => [name, program] as const)),
);

/** By file name. Versions such as `python3.12` and `mkfs.ext4` change and run what their program does. */
export function programNamed(name: string): Program {
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  const [, base = ""] =
    /^(?:(python)[\d.]+|(pip)\d|(mkfs)\..*)$/.exec(name)?.filter((each) => each !== undefined) ?? [];
  const { tags = [], runs, interprets } = BY_NAME.get(base) ?? {};
  return { tags, ...(runs && { runs }), ...(interprets && { interprets }) };
}
