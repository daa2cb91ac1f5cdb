// What a git command needs: SSH keys by its URL or remote, and how much of the repository it writes. Pure.

type Words = readonly string[];

/** How much of a repository a command writes. Its settings and hooks name programs that run later, also outside of the sandbox. */
export type GitAccess = "read" | "write" | "settings";
/** By remote: only if the repository has an SSH remote. */
export type SshNeed = "no" | "yes" | "by remote";

export interface GitNeeds {
  readonly network: boolean;
  readonly ssh: SshNeed;
  readonly git: GitAccess;
}

/** Options before the command that take a value as the next word. */
const VALUED = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--attr-source)$/;

/** The words from the command on, without git's own options. */
export function withoutGitOptions(args: Words): Words {
  let at = 0;
  while (args[at]?.startsWith("-")) at += VALUED.test(args[at] ?? "") ? 2 : 1;
  return args.slice(at);
}

/** Settings that name no program and no place. */
const TAME =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.quotepath|commit\.gpgsign|init\.defaultbranch)(?:=|$)/i;

/** True if options before the command change settings, which can name programs to run. */
export function changesSettings(args: Words): boolean {
  const options = args.slice(0, args.length - withoutGitOptions(args).length);
  return options.some(
    (option, at) =>
      /^--(?:exec-path=|config-env)/.test(option) || (option === "-c" && !TAME.test(options[at + 1] ?? "")),
  );
}

const NETWORK = /^(?:push|pull|fetch|clone|ls-remote|submodule)$/;
const READS =
  /^(?:blame|cat-file|check-ignore|count-objects|describe|diff|diff-files|diff-index|diff-tree|for-each-ref|fsck|grep|help|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|rev-list|rev-parse|shortlog|show|show-branch|show-ref|status|var|verify-commit|version|whatchanged)$/;
const SSH_URL = /^(?:ssh:\/\/|git\+ssh:\/\/|[\w.-]+@[\w.-]+:)/;
const URL = /^(?:\w+:\/\/|\/|\.)/;

export function gitNeeds([verb = "", ...args]: Words): GitNeeds {
  const network = NETWORK.test(verb) || (verb === "remote" && args.includes("update"));
  return { network, ssh: network ? sshNeed(args) : "no", git: accessOf(verb, args) };
}

function sshNeed(args: Words): SshNeed {
  if (args.some((arg) => SSH_URL.test(arg))) return "yes";
  return args.some((arg) => URL.test(arg)) ? "no" : "by remote";
}

function accessOf(verb: string, args: Words): GitAccess {
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  // A clone into the directory itself makes it a repository.
  if (verb === "clone") return has(/^\.\/?$/) ? "settings" : "read";
  if (READS.test(verb) || verb === "") return "read";
  switch (verb) {
    case "config":
      return has(/^(?:--get.*|--list|-l|get|list)$/) ? "read" : "settings";
    case "remote":
      return has(/^(?:add|rename|remove|rm|set-.*)$/) ? "settings" : has(/^(?:update|prune)$/) ? "write" : "read";
    case "push":
      return has(/^(?:-u|--set-upstream)$/) ? "settings" : "write";
    case "branch":
      if (
        has(/^(?:-u|--set-upstream-to.*|--unset-upstream|--track.*|-t|--edit-description|-m|-M|-c|-C|--move|--copy)$/)
      )
        return "settings";
      return args.length === 0 || has(/^(?:-a|-r|-v|-vv|--list|-l|--all|--show-current)$/) ? "read" : "write";
    case "checkout":
    case "switch":
      return has(/^(?:-t|--track.*)$/) ? "settings" : "write";
    case "submodule":
      return has(/^(?:add|init|update|deinit|set-.*|sync)$/) ? "settings" : "write";
    case "init":
    case "maintenance":
    case "sparse-checkout":
    case "worktree":
    case "lfs":
      return "settings";
    default:
      return "write";
  }
}

/** The widest of them. */
export function widestAccess(all: readonly GitAccess[]): GitAccess {
  return all.includes("settings") ? "settings" : all.includes("write") ? "write" : "read";
}
