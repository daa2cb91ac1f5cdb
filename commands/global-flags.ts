// The flags that any command takes, before or after its name and not after `--`. They are taken out of the command line here, so that no
// command has to know of them; what they do is in global-io.ts. A command that declares a flag of the same name keeps it.

import { SysError } from "../src/abi/errno.ts";
import { COLOUR_CHOICES } from "../src/lib/text/colour.ts";
import type { Flag } from "./args.ts";

interface GlobalFlag {
  readonly doc: string;
  /** What its value is called; it is a switch when left out. */
  readonly meta?: string;
  readonly choices?: readonly string[];
  readonly isRepeated?: true;
  /** The missing value, for the error. */
  readonly needs?: string;
}

export const GLOBAL_FLAGS = {
  "--user": { meta: "NAME", doc: "account to act as", needs: "an account name" },
  "--set": { meta: "KEY=VALUE", doc: "setting for this command only", isRepeated: true, needs: "KEY=VALUE" },
  "--jq": { meta: "EXPR", doc: "jq program to apply to each JSON object", needs: "a jq program" },
  "--quiet": { doc: "no status output unless something fails" },
  "--no-input": { doc: "fail instead of asking" },
  "--color": {
    meta: "WHEN",
    choices: COLOUR_CHOICES,
    doc: "auto, always or never",
    needs: "auto, always or never",
  },
  "--no-pager": { doc: "no pager for long output" },
} as const satisfies { readonly [name: string]: GlobalFlag };

export type GlobalName = keyof typeof GLOBAL_FLAGS;

/** The values of each flag in order; "" for a switch. */
export type Said = ReadonlyMap<GlobalName, readonly string[]>;

export interface Taken {
  /** The rest of the command line. */
  readonly rest: readonly string[];
  readonly said: Said;
}

export function isGlobal(name: string): name is GlobalName {
  return Object.hasOwn(GLOBAL_FLAGS, name);
}

export function takesValue(name: GlobalName): boolean {
  return "meta" in GLOBAL_FLAGS[name];
}

export interface Bounds {
  /** These are left to the command. */
  readonly keep?: readonly GlobalName[];
  /** From here on nothing is taken. */
  readonly end?: number;
  /** False to only find the remaining words. */
  readonly refuses?: boolean;
}

export function takeGlobals(
  argv: readonly string[],
  { keep = [], end = argv.length, refuses = true }: Bounds = {},
): Taken {
  const rest: string[] = [];
  const said = new Map<GlobalName, string[]>();
  let at = 0;
  for (; at < end && argv[at] !== "--"; at++) {
    const token = argv[at] ?? "";
    const { name, inline } = split(token);
    if (name === null || keep.includes(name)) rest.push(token);
    else {
      const value = inline ?? (takesValue(name) ? argv[++at] : undefined);
      const before = said.get(name) ?? [];
      if (refuses) check(name, value, before);
      said.set(name, [...before, value ?? ""]);
    }
  }
  return { rest: [...rest, ...argv.slice(at)], said };
}

/** Where the words of another program begin, for a command that passes them on: behind the first word that is neither flag nor value. */
export function passedOnFrom(argv: readonly string[], from: number, own: ReadonlyMap<string, Flag>): number {
  let at = from;
  for (; at < argv.length && argv[at] !== "--"; at++) {
    const token = argv[at] ?? "";
    if (token.length < 2 || !token.startsWith("-")) break;
    const hasValue = isGlobal(token) ? takesValue(token) : own.has(token) && own.get(token)?.spec.kind !== "flag";
    if (hasValue) at++;
  }
  return at;
}

function split(token: string): { readonly name: GlobalName | null; readonly inline?: string } {
  const equals = token.indexOf("=");
  const name = equals === -1 ? token : token.slice(0, equals);
  if (!isGlobal(name)) return { name: null };
  return equals === -1 ? { name } : { name, inline: token.slice(equals + 1) };
}

function check(name: GlobalName, value: string | undefined, before: readonly string[]): void {
  const flag: GlobalFlag = GLOBAL_FLAGS[name];
  const isOther = flag.choices !== undefined && !flag.choices.includes(value ?? "");
  const isFlag = name === "--user" && value?.startsWith("-") === true;
  if (!takesValue(name) && value !== undefined) throw usage(name, `${name} takes no value`);
  if (takesValue(name) && (value === undefined || isOther || isFlag)) throw usage(name, `${name} needs ${flag.needs}`);
  if (before.length > 0 && flag.isRepeated !== true) throw usage(name, `${name} is given twice`);
}

function usage(name: GlobalName, message: string): SysError {
  const { meta }: GlobalFlag = GLOBAL_FLAGS[name];
  return new SysError("EUSAGE", message, [`usage: gsv COMMAND … ${name}${meta === undefined ? "" : ` ${meta}`}`]);
}
