// Flags of every command, before or after its name, but not after `--`. They are removed from the command line here and applied in global-
// io.ts. A command's own flag of the same name wins.

import { SysError } from "../src/abi/errno.ts";
import { COLOUR_CHOICES } from "../src/lib/text/colour.ts";
import type { Flag } from "./args.ts";

interface GlobalFlag {
  readonly doc: string;
  /** Without it, the flag is a switch. */
  readonly meta?: string;
  readonly choices?: readonly string[];
  readonly isRepeated?: true;
  readonly needs?: string;
}

export const GLOBAL_FLAGS = {
  "--user": { meta: "NAME", doc: "account to act as", needs: "an account name" },
  "--remote": { meta: "NAME", doc: "kernel of another computer; local for this one", needs: "the name of a remote" },
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
export type GlobalValues = ReadonlyMap<GlobalName, readonly string[]>;

export interface TakenGlobals {
  readonly rest: readonly string[];
  readonly globals: GlobalValues;
}

export function isGlobal(name: string): name is GlobalName {
  return Object.hasOwn(GLOBAL_FLAGS, name);
}

export function takesValue(name: GlobalName): boolean {
  return "meta" in GLOBAL_FLAGS[name];
}

export interface Bounds {
  /** Flags that the command declares itself. */
  readonly keep?: readonly GlobalName[];
  /** Later words belong to another program. */
  readonly end?: number;
  readonly refuses?: boolean;
}

export function takeGlobals(
  argv: readonly string[],
  { keep = [], end = argv.length, refuses = true }: Bounds = {},
): TakenGlobals {
  const rest: string[] = [];
  const globals = new Map<GlobalName, string[]>();
  let at = 0;
  for (; at < end && argv[at] !== "--"; at++) {
    const token = argv[at] ?? "";
    const { name, inline } = split(token);
    if (name === null || keep.includes(name)) rest.push(token);
    else {
      const value = inline ?? (takesValue(name) ? argv[++at] : undefined);
      const before = globals.get(name) ?? [];
      if (refuses) check(name, value, before);
      globals.set(name, [...before, value ?? ""]);
    }
  }
  return { rest: [...rest, ...argv.slice(at)], globals };
}

/** The index of the first word that belongs to another program. */
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
  const isFlag = (name === "--user" || name === "--remote") && value?.startsWith("-") === true;
  if (!takesValue(name) && value !== undefined) throw usage(name, `${name} takes no value`);
  if (takesValue(name) && (value === undefined || isOther || isFlag)) throw usage(name, `${name} needs ${flag.needs}`);
  if (before.length > 0 && flag.isRepeated !== true) throw usage(name, `${name} is given twice`);
}

function usage(name: GlobalName, message: string): SysError {
  const { meta }: GlobalFlag = GLOBAL_FLAGS[name];
  return new SysError("EUSAGE", message, [`usage: gsv COMMAND … ${name}${meta === undefined ? "" : ` ${meta}`}`]);
}
