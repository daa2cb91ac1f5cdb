// Whether a command of an agent runs, or a person is asked first. By its words: on gsv what deletes or reaches the network asks, and what
// hides that from us is refused where it happens (kernel/shell-files, kernel/shell-gate). On the host all asks but looking at files of a
// directory that a person attached, inside a sandbox. Pure.

import type { HostGround } from "../kernel/host-shells.ts";
import type { ExecRequest } from "../syscalls/shell-service.ts";
import type { Verdict } from "./policy.ts";

const AUTO: Verdict = { action: "auto" };

const DELETES = "rm|rmdir|unlink|shred|mv|truncate|kill|reset|delete|remove|uninstall";
const NETWORK = "curl|wget|fetch|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp|dig|host|ping|html-to-markdown";
/** Anywhere in it, also where it may be no command at all: asking once too often is the cheaper mistake. */
const ASKS = new RegExp(
  `(?<![\\w./-])(?:\\S*/)?(?:${DELETES}|${NETWORK})(?![\\w-])|(?<!\\S)-(?:-?delete|exec)\\b`,
  "i",
);

function asksOnGsv(command: string): boolean {
  // Words that are put together from parts are not read here.
  return ASKS.test(command.replace(/\\\n/g, "").replace(/['"\\]/g, ""));
}

const LOOKS = /^(?:pwd|ls|cat|head|tail|wc|stat|du|grep|id|uname|whoami|true|false)$/;
/** No quotes, expansions, redirections, pipes or lists: such a line is one command and its words. */
const PLAIN = /^[\w@%+=:,./ -]{1,1000}$/;
/** None of them writes, runs a program, follows links or takes names from a file. */
const FLAGS = /^-[1aAbcdeEhiklnopqrSstuvwx0-9]+$/;

/** The words after one plain command that only looks, at what lies below where it runs; null for any other. */
export function looksAt(command: string): readonly string[] | null {
  if (!PLAIN.test(command)) return null;
  const [program = "", ...words] = command.trim().split(/ +/);
  const names = words.filter((word) => !FLAGS.test(word));
  const isFree = LOOKS.test(program) && names.every(isBelow);
  return isFree ? names : null;
}

function isBelow(word: string): boolean {
  return !word.startsWith("-") && !word.startsWith("/") && !word.split("/").includes("..");
}

/** `ground` is where it would run, for the host. */
export function shellVerdict(request: ExecRequest, ground: HostGround | null): Verdict {
  const { command, input, network = false, fed = false, ask = false } = request;
  if (command === undefined) {
    // What is fed to a shell is a command.
    return input === undefined ? AUTO : { action: "ask", why: `type into command ${request.id}: ${input}` };
  }
  if (ground === null) return ask || asksOnGsv(command) ? { action: "ask", why: `run in gsv: ${command}` } : AUTO;
  if (!ask && !network && !fed && ground.looks && ground.attached && ground.sandbox !== null) return AUTO;
  return { action: "ask", why: `${groundWords(ground, network)}: ${command}` };
}

function groundWords({ directory, attached, sandbox }: HostGround, network: boolean): string {
  const where = `${attached ? "" : `attach ${directory} and `}run on this machine in ${directory}`;
  if (sandbox === null) return `${where}, with NO SANDBOX: it can do whatever you can`;
  return `${where}, in a sandbox ${network ? "with the network" : "without network"}`;
}
