// Tags of a command by its words: destructive, network, privileged, mutating, unclassified, or none for read-only. Also the options with which
// a harmless program writes files or runs another program: a rule for the program does not cover these. Pure.

import type { Tag } from "../../../abi/policy.ts";
import { looksOf } from "./readers.ts";
import { type Part, programOf } from "./shell-parts.ts";

const DESTRUCTIVE = /^(?:rm|rmdir|unlink|shred|mv|truncate|dd|mkfs(?:\..*)?|wipefs|reboot|shutdown|halt|poweroff)$/;
const NETWORK =
  /^(?:curl|wget|fetch|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|dig|host|nslookup|ping|html-to-markdown|http|https|aria2c|openssl)$/;
const PRIVILEGED =
  /^(?:sudo|doas|su|mount|umount|passwd|useradd|userdel|usermod|systemctl|service|chroot|insmod|setcap|crontab|at)$/;
const MUTATING =
  /^(?:chmod|chown|chgrp|cp|mkdir|touch|tee|ln|install|patch|sponge|mktemp|kill|killall|pkill|git|npm|npx|pnpm|yarn|bun|pip\d?|cargo|go|make|tar|unzip|gzip|gunzip)$/;
/** Verbs of gsv that end or delete something, and the nouns before them. */
const ENDS = /^(?:kill|reset|delete|remove|uninstall|rm)$/;
const LEADS = /^(?:gsv|proc|archive|fs|repo|workspace|user|token|media|skills|context|storage)$/;

export function tagsOf({ words }: Pick<Part, "words">): ReadonlySet<Tag> {
  const [name = null, ...args] = words;
  if (name === null) return new Set<Tag>(["unclassified"]);
  const program = programOf(name);
  const known: Tag[] = [
    ...(DESTRUCTIVE.test(program) || endsSomething(program, args) ? (["destructive"] as const) : []),
    ...(NETWORK.test(program) ? (["network"] as const) : []),
    ...(PRIVILEGED.test(program) ? (["privileged"] as const) : []),
    ...(MUTATING.test(program) ? (["mutating"] as const) : []),
  ];
  if (program === "find" && args.includes("-delete")) known.push("destructive");
  if (words.every((word) => word !== null) && looksOf(words as readonly string[]) !== null) return new Set();
  return new Set(known.length === 0 ? ["unclassified"] : known);
}

function endsSomething(program: string, args: readonly (string | null)[]): boolean {
  if (ENDS.test(program)) return true;
  if (!LEADS.test(program)) return false;
  const first = args.find((arg) => arg !== null && !arg.startsWith("-")) ?? "";
  return ENDS.test(first) || (LEADS.test(first) && args.some((arg) => ENDS.test(arg ?? "")));
}

/** Options that make a program run another, write a file, or load its configuration from elsewhere. */
const UNSTABLE: { readonly [program: string]: RegExp } = {
  find: /^-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls|files0-from)/,
  fd: /^(?:-[xX]|--exec)/,
  rg: /^(?:--pre|--hostname-bin|-z$|--search-zip|--ignore-file|-f)/,
  grep: /^(?:-f|--file)/,
  git: /^(?:-c|-C|--config-env|--exec-path|--git-dir|--work-tree|-p$|--paginate|--output|--ext-diff|--textconv|--upload-pack|--receive-pack|--exec|-O|--open-files-in-pager|--template|-x$|-u$)/,
  tar: /^(?:--checkpoint-action|--to-command|--use-compress-program|--info-script|--new-volume-script|--rsh-command|--rmt-command|-I|-F|--absolute-names|-P)/,
  sort: /^(?:-o|--output|--compress-program|-T|--files0-from)/,
  sed: /^(?:-i|--in-place|-f|--file|[\d$,]*[wWe]\b|.*\/[gip\d]*[we]|-n?i)/,
  tee: /^/,
  man: /^(?:-P|--pager|-H|--html)/,
  less: /^(?:-o|-O|\+)/,
  ssh: /^-(?:o|F|W|R|L|D)/,
  scp: /^-[oSF]/,
  rsync: /^(?:-e|--rsh|--rsync-path)/,
  zip: /^(?:-T|-TT|--unzip-command)/,
  npm: /^(?:--prefix|--script-shell|--node-options|-C|--userconfig|--globalconfig|exec$)/,
  make: /^(?:-f|-C|--file|--eval|--directory|SHELL=)/,
  node: /^(?:-e|-p|-r|--eval|--print|--require|--import|--loader)/,
  python: /^-[cm]/,
  python3: /^-[cm]/,
  curl: /^(?:-o|-O|-K|--config|--output|--remote-name|-T|--upload-file|-d|--data)/,
  wget: /^(?:-O|--output|--use-askpass|-i|--post)/,
  go: /^(?:-toolexec|-exec|-overlay)/,
  cargo: /^(?:--config|-Z)/,
  docker: /^(?:-v|--volume|--privileged|--mount|--pid|--net)/,
  diff: /^(?:--to-file|--from-file)/,
  date: /^(?:-s|--set|-f)/,
  uniq: /(?!)/,
  xxd: /^-r/,
  yq: /^(?:-i|--inplace)/,
  env: /^/,
  xargs: /^/,
};

export function unstableOption({ words }: Pick<Part, "words">): string | null {
  const [name = null, ...args] = words;
  const pattern = name === null ? undefined : UNSTABLE[programOf(name)];
  return args.find((arg): arg is string => arg !== null && pattern?.test(arg) === true) ?? null;
}
