// What a command needs beyond the sandbox, and its dangers, as the approval card shows them. Works on the words of each command; an unknown
// program has neither. Pure.

import { programNamed } from "../../../abi/programs.ts";
import type { ShellLine } from "../policy/shell-line.ts";
import { type Part, programOf, type ShellParts, type Word } from "../policy/shell-parts.ts";
import {
  changesSettings,
  type GitAccess,
  gitNeeds,
  type SshNeed,
  widestAccess,
  withoutGitOptions,
} from "./git-needs.ts";

export interface CommandNeeds {
  readonly network: boolean;
  readonly ssh: SshNeed;
  readonly git: GitAccess;
  /** The most serious first, without duplicates. */
  readonly dangers: readonly string[];
  /** Only a rule for the exact command may cover it. */
  readonly exactOnly: boolean;
}

type Words = readonly string[];

interface Danger {
  readonly text: string;
  /** 3: affects other computers, cannot be undone. 2: loses work here. 1: worth knowing. */
  readonly weight: 1 | 2 | 3;
}

interface Reading {
  readonly network?: boolean;
  readonly ssh?: SshNeed;
  readonly git?: GitAccess;
  readonly dangers?: readonly Danger[];
}

function commandNeeds({ parts, unread }: Pick<ShellParts, "parts" | "unread">): CommandNeeds {
  const readings = parts.map(readingOf);
  const dangers = readings.flatMap((each) => each.dangers ?? []);
  if (pipesToShell(parts)) dangers.push({ text: "runs a downloaded script", weight: 3 });
  const [ssh, git] = [readings.map((each) => each.ssh), widestAccess(readings.map((each) => each.git ?? "read"))];
  const hasReading = dangers.length > 0 || readings.some((each) => each.network === true);
  const sorted = dangers.toSorted((left, right) => right.weight - left.weight);
  return {
    network: readings.some((each) => each.network === true),
    ssh: ssh.includes("yes") ? "yes" : ssh.includes("by remote") ? "by remote" : "no",
    git,
    dangers: [...new Set(sorted.map(({ text }) => text))],
    exactOnly: (hasReading && unread) || git === "settings" || dangers.some(({ weight }) => weight > 1),
  };
}

export function needsOfLine({ commands, unread }: ShellLine): CommandNeeds {
  return commandNeeds({ parts: commands?.flatMap(({ parts }) => parts) ?? [], unread });
}

const REMOVES = /^(?:rm|unlink|shred)$/;

/** The files and directories that a line deletes; null if they are only known when it runs, or if it deletes none. */
export function deletedBy({ commands }: ShellLine): readonly string[] | null {
  const parts = commands?.flatMap((command) => command.parts) ?? [];
  const removing = parts.filter(({ words }) => REMOVES.test(programOf(words[0] ?? "")));
  const names = removing.flatMap(({ words }) => words.slice(1).filter((word) => !word?.startsWith("-")));
  const isKnown = names.every((name) => name !== null && !/[*?[\]{}~]/.test(name));
  const moves = parts.some(({ words, wrappers }) => wrappers.length > 0 || /^(?:cd|pushd)$/.test(words[0] ?? ""));
  return removing.length > 0 && names.length > 0 && isKnown && !moves ? names.flatMap((name) => name ?? []) : null;
}

function pipesToShell(parts: readonly Part[]): boolean {
  const programs = parts.map(({ words }) => programOf(words[0] ?? ""));
  const from = programs.findIndex((name) => programNamed(name).downloads);
  return from !== -1 && programs.slice(from + 1).some((name) => programNamed(name).interprets);
}

function readingOf({ words, wrappers }: Part): Reading {
  const [name = null, ...args] = words;
  if (name === null) return {};
  const program = programOf(name);
  const known = args.map((word) => word ?? "");
  const read = Object.hasOwn(NEEDS, program) ? NEEDS[program] : undefined;
  const { network, dangers = [], ...others } = read?.(known, args) ?? {};
  const asRoot = [program, ...wrappers].some((each) => programNamed(each).asRoot);
  return { ...others, network: network === true, dangers: asRoot ? [...dangers, danger("runs as root", 3)] : dangers };
}

function danger(text: string, weight: Danger["weight"]): Danger {
  return { text, weight };
}

function has(args: Words, pattern: RegExp): boolean {
  return args.some((arg) => pattern.test(arg));
}

function verbOf(args: Words): string {
  return args.find((arg) => !arg.startsWith("-")) ?? "";
}

function hostOf(args: Words): string | null {
  for (const arg of args) {
    const [, host] =
      /^(?:https?|ftp|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)/.exec(arg) ?? /^(?:[\w.-]+@)?([\w.-]+):/.exec(arg) ?? [];
    if (host !== undefined && host !== "") return host;
  }
  return null;
}

function sends(host: string | null): Danger {
  return danger(`sends to ${host ?? "another computer"}`, 3);
}

const NEEDS: { readonly [program: string]: (args: Words, words: readonly Word[]) => Reading } = {
  git: gitReading,
  gh: (args) => ({
    network: true,
    dangers: has(args, /^(?:create|merge|delete|close|edit|comment)$/) ? [sends("github.com")] : [],
  }),
  curl: (args) =>
    transfer(args, /^(?:-d|--data.*|-T|--upload-file|-F|--form.*|--json)$|^-X(?:POST|PUT|PATCH|DELETE)?$|^--request/),
  wget: (args) => transfer(args, /^--(?:post|method|body)/),
  http: (args) => transfer(args, /^(?:POST|PUT|PATCH|DELETE)$/),
  ssh: (args) => ({
    network: true,
    ssh: "yes",
    dangers: [danger(`runs on ${(verbOf(args) || "another computer").replace(/^.*@/, "")}`, 3)],
  }),
  scp: (args) => ({
    network: true,
    ssh: "yes",
    dangers: [sends(hostOf(args.slice(-1)))].filter(() => hostOf(args.slice(-1)) !== null),
  }),
  rsync: (args) => rsyncReading(args),
  npm: (args) => packages(args, "npm"),
  pnpm: (args) => packages(args, "pnpm"),
  yarn: (args) => packages(args, "yarn"),
  bun: (args) => packages(args, "bun"),
  npx: () => ({ network: true, dangers: [danger("runs a package from the registry", 1)] }),
  bunx: () => ({ network: true, dangers: [danger("runs a package from the registry", 1)] }),
  pip: pipReading,
  pip3: pipReading,
  pipx: (args) => ({ network: has(args, /^(?:install|run|upgrade)$/) }),
  uv: (args) => ({ network: has(args, /^(?:sync|add|pip|install|lock|run|tool)$/) }),
  poetry: (args) => ({ network: has(args, /^(?:install|add|update|lock|publish)$/), dangers: publishes(args) }),
  cargo: (args) => ({
    network: has(args.slice(0, 1), /^(?:add|build|check|clippy|fetch|install|publish|run|search|test|update)$/),
    dangers: publishes(args),
  }),
  go: (args) => ({ network: has(args.slice(0, 1), /^(?:build|get|install|mod|run|test|vet|work)$/) }),
  bundle: (args) => ({ network: has(args, /^(?:install|update|add)$/) }),
  gem: (args) => ({ network: true, dangers: has(args, /^push$/) ? publishes(["publish"]) : [] }),
  composer: (args) => ({ network: has(args, /^(?:install|update|require)$/) }),
  mvn: () => ({ network: true }),
  gradle: () => ({ network: true }),
  apt: systemPackages,
  "apt-get": systemPackages,
  brew: systemPackages,
  docker: (args) => dockerReading(args),
  kubectl: (args) => ({
    network: true,
    dangers: has(args, /^(?:delete|drain)$/)
      ? [danger("deletes from the cluster", 3)]
      : has(args, /^(?:apply|create|edit|patch|scale|rollout)$/)
        ? [danger("changes the cluster", 3)]
        : [],
  }),
  terraform: (args) => ({
    network: true,
    dangers: has(args, /^(?:apply|destroy)$/) ? [danger("changes the infrastructure", 3)] : [],
  }),
  aws: () => ({ network: true, dangers: [danger("calls your cloud account", 3)] }),
  rm: (args) => ({
    dangers: [
      danger(has(args, /^-[a-zA-Z]*[rR]|^--recursive$/) ? "deletes directories with their files" : "deletes files", 2),
    ],
  }),
  rmdir: () => ({ dangers: [danger("deletes empty directories", 1)] }),
  shred: () => ({ dangers: [danger("destroys files", 2)] }),
  unlink: () => ({ dangers: [danger("deletes files", 2)] }),
  truncate: () => ({ dangers: [danger("empties files", 2)] }),
  mv: () => ({ dangers: [danger("moves files, may replace some", 1)] }),
  find: (args) => ({ dangers: has(args, /^-delete$/) ? [danger("deletes the files it finds", 2)] : [] }),
  dd: () => ({ dangers: [danger("overwrites a file or disk", 2)] }),
  mkfs: () => ({ dangers: [danger("erases a disk", 3)] }),
  chmod: (args) => ({
    dangers: has(args, /^-[a-zA-Z]*R|^--recursive$/) ? [danger("changes permissions of whole directories", 2)] : [],
  }),
  chown: (args) => ({
    dangers: has(args, /^-[a-zA-Z]*R|^--recursive$/) ? [danger("changes owners of whole directories", 2)] : [],
  }),
  kill: () => ({ dangers: [danger("ends processes", 2)] }),
  killall: () => ({ dangers: [danger("ends processes", 2)] }),
  pkill: () => ({ dangers: [danger("ends processes", 2)] }),
  shutdown: () => ({ dangers: [danger("shuts this computer down", 3)] }),
  reboot: () => ({ dangers: [danger("restarts this computer", 3)] }),
  systemctl: (args) => ({
    dangers: has(args, /^(?:stop|restart|disable|mask|kill)$/) ? [danger("stops or changes services", 3)] : [],
  }),
  crontab: () => ({ dangers: [danger("changes scheduled jobs", 2)] }),
};

function gitReading(given: Words): Reading {
  const args = withoutGitOptions(given);
  const [verb = ""] = args;
  const forced = has(args, /^(?:-f|--force|--force-with-lease(?:=.*)?|--mirror)$/) || has(args, /^\+\S/);
  const texts: { readonly [verb: string]: Danger | null } = {
    push: forced
      ? danger("overwrites the remote branch", 3)
      : has(args, /^(?:--delete|-d)$|^:\S/)
        ? danger("deletes a remote branch", 3)
        : danger("sends your commits to the remote", 3),
    reset: has(args, /^--hard$/) ? danger("discards uncommitted changes", 2) : null,
    clean: has(args, /^-[a-zA-Z]*f|^--force$/) ? danger("deletes untracked files", 2) : null,
    checkout: has(args, /^(?:--|\.|-f|--force)$/) ? danger("discards uncommitted changes", 2) : null,
    restore: has(args, /^--staged$/) ? null : danger("discards uncommitted changes", 2),
    switch: has(args, /^(?:-f|--force|--discard-changes)$/) ? danger("discards uncommitted changes", 2) : null,
    branch: has(args, /^-D$|^--delete$|^-d$/) ? danger("deletes a branch", 2) : null,
    stash: has(args, /^(?:drop|clear)$/) ? danger("deletes stashed changes", 2) : null,
    rebase: danger("rewrites history", 2),
    "filter-branch": danger("rewrites history", 2),
    commit: has(args, /^--amend$/) ? danger("rewrites the last commit", 2) : null,
    tag: has(args, /^(?:-d|--delete|-f|--force)$/) ? danger("deletes or moves a tag", 2) : null,
    gc: has(args, /^--prune/) ? danger("removes unreachable commits", 2) : null,
    reflog: has(args, /^(?:expire|delete)$/) ? danger("removes the way back to old commits", 2) : null,
  };
  const found = Object.hasOwn(texts, verb) ? texts[verb] : null;
  const other = changesSettings(given) ? [danger("runs git with other settings", 2)] : [];
  return { ...gitNeeds(args), dangers: [...(found == null ? [] : [found]), ...other] };
}

function transfer(args: Words, sending: RegExp): Reading {
  const host = hostOf(args);
  return {
    network: true,
    dangers: [has(args, sending) ? sends(host) : danger(`downloads from ${host ?? "the network"}`, 1)],
  };
}

function rsyncReading(args: Words): Reading {
  const host = hostOf(args.slice(-1));
  const deletes = has(args, /^--delete/) ? [danger("deletes files that the source lacks", 2)] : [];
  const isRemote = hostOf(args) !== null;
  return {
    network: isRemote,
    ssh: isRemote ? "yes" : "no",
    dangers: [...(host === null ? [] : [sends(host)]), ...deletes],
  };
}

/** Options of package managers that take a value as the next word. */
const VALUED = /^(?:--prefix|--cwd|--dir|-C|--filter|-F|--workspace|-w)$/;

function packages(args: Words, program: string): Reading {
  const verb = verbOf(args.filter((_, at) => !VALUED.test(args[at - 1] ?? "")));
  if (/^(?:publish|unpublish|deprecate|dist-tag)$/.test(verb))
    return { network: true, dangers: publishes(["publish"]) };
  const installs = /^(?:install|i|ci|add|update|upgrade|up|dedupe|link|rebuild|create|init|dlx|exec|x)$/.test(verb);
  if (installs || (verb === "" && program === "yarn"))
    return { network: true, dangers: [danger("runs install scripts of packages", 1)] };
  return { network: /^(?:audit|outdated|view|info|search|login|whoami|ping)$/.test(verb) };
}

function publishes(args: Words): readonly Danger[] {
  return has(args, /^publish$/) ? [danger("publishes the package", 3)] : [];
}

function pipReading(args: Words): Reading {
  return { network: has(args, /^(?:install|download|index|search)$/) };
}

function systemPackages(args: Words): Reading {
  const changes = has(args, /^(?:install|remove|purge|upgrade|uninstall|autoremove)$/);
  return { network: true, dangers: changes ? [danger("changes programs of this computer", 2)] : [] };
}

function dockerReading(args: Words): Reading {
  const verb = verbOf(args);
  const network = /^(?:pull|push|build|run|compose|login|search)$/.test(verb);
  const dangers = [
    ...(verb === "push" ? [sends("the image registry")] : []),
    ...(has(args, /^--privileged$/) ? [danger("runs with full rights to this computer", 3)] : []),
    ...(has(args, /^(?:rm|rmi|prune|down)$/) ? [danger("removes containers or images", 2)] : []),
  ];
  return { network, dangers };
}
