// Reads flags with Commander and adds stricter checks. Only loaded for lines with flags: loading Commander takes longer than most commands.

import { Command, CommanderError, Option } from "commander";
import { SysError } from "../src/abi/errno.ts";
import { nearest } from "../src/lib/text/nearest.ts";
import {
  checkedValue,
  clip,
  type Flag,
  flagsOf,
  looksLikeFlag,
  type Spec,
  takesMany,
  usageError,
  type Words,
} from "./args.ts";

export function takeFlags(spec: Spec, args: readonly string[], given: Map<string, unknown>): Words {
  const flags = flagsOf(spec.input);
  // gsv prints help and errors itself.
  const program = new Command(spec.name).exitOverride().helpOption(false).argument("[words...]");
  program.configureOutput({ outputError: () => {} }).option("--json");
  for (const flag of new Set(flags.values())) program.addOption(optionOf(spec, flag, args, given));
  try {
    program.parse(withoutBare(args, flags), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw worded(spec, error, args, flags);
    throw error;
  }
  for (const flag of new Set(flags.values())) {
    if (flag.spec.kind !== "flag" || !wasGiven(program, flag)) continue;
    given.set(flag.key, !flag.text.startsWith("--no-") || flag.spec.flag === undefined);
  }
  return { words: program.args, json: program.getOptionValueSource("json") === "cli" };
}

// A bare flag gets an empty value, so that Commander never takes the next word for it.
function withoutBare(args: readonly string[], flags: ReadonlyMap<string, Flag>): string[] {
  const end = args.indexOf("--");
  return args.map((token, at) => {
    const [, name = token, value = "="] = /^(-\w)(=.*)$/s.exec(token) ?? [];
    const flag = end !== -1 && at > end ? undefined : flags.get(name);
    return flag?.spec.bare === true ? flag.text + value : token;
  });
}

// Commander accepts a repeated flag, and a flag as value. Both are mistakes here.
function optionOf(spec: Spec, flag: Flag, args: readonly string[], given: Map<string, unknown>): Option {
  const letter = flag.spec.letter === undefined ? "" : `-${flag.spec.letter}, `;
  if (flag.spec.kind === "flag") return new Option(letter + flag.text);
  return new Option(`${letter}${flag.text} <value>`).argParser((value) => {
    const before = takesMany(flag.spec) ? ((given.get(flag.key) ?? []) as readonly string[]) : null;
    if (before === null && given.has(flag.key)) throw usageError(spec, `${flag.text} is given twice`);
    if (looksLikeFlag(value) && !args.includes(`${flag.text}=${value}`)) {
      throw usageError(spec, `${flag.text} needs a value, and ${clip(value)} looks like a flag`, [
        `if it is the value: ${flag.text}=${clip(value)}`,
      ]);
    }
    given.set(flag.key, checkedValue(spec, flag.text, flag.spec, before === null ? value : [...before, value]));
    return value;
  });
}

function wasGiven(program: Command, { text }: Flag): boolean {
  return program.getOptionValueSource(new Option(text).attributeName()) === "cli";
}

function worded(
  spec: Spec,
  error: CommanderError,
  args: readonly string[],
  flags: ReadonlyMap<string, Flag>,
): SysError {
  // Commander's message quotes the flag as declared or as typed.
  const token = /'([^']*)'/s.exec(error.message)?.[1] ?? "";
  const name = splitFlag(token.split(/[ ,]/).findLast((part) => part.startsWith("--")) ?? token).name;
  if (error.code === "commander.optionMissingArgument") return usageError(spec, `${name} needs a value`);
  const isSwitch = name === "--json" || flags.get(name)?.spec.kind === "flag";
  if (isSwitch && args.some((each) => each.startsWith(`${name}=`))) return usageError(spec, `${name} takes no value`);
  return unknownFlag(spec, token, [...flags.keys(), "--json", "--help"]);
}

function splitFlag(token: string): { name: string; inline?: string } {
  const equals = token.indexOf("=");
  if (!token.startsWith("--") || equals === -1) return { name: token };
  return { name: token.slice(0, equals), inline: token.slice(equals + 1) };
}

function unknownFlag(spec: Spec, token: string, known: readonly string[]): SysError {
  const { name } = splitFlag(token);
  const close = nearest(name, known);
  const meant = `did you mean ${close.join(" or ")}`;
  if (close.length > 0) {
    const message = `unknown flag ${clip(name)}`;
    return name.startsWith("--") ? new SysError("EUSAGE", message, [meant]) : usageError(spec, message, [meant]);
  }
  const isText = /\s/.test(token) && Object.values(spec.input).some(({ positional }) => positional === true);
  return usageError(spec, `unknown flag ${clip(name)}`, isText ? ["put words that are not flags after --"] : []);
}
