// Commands made of the declarations of syscalls: flags, help, output and JSON. A noun is a command with verbs.

import { SysError } from "../src/abi/errno.ts";
import type { Sys } from "../src/abi/sys.ts";
import { nearest } from "../src/lib/text/nearest.ts";
import { type AnySyscall, syscallNamed } from "../src/syscalls/table.ts";
import { asks, clipFor, flagsOf, looksLikeFlag, type Spec, usageError } from "./args.ts";
import type { Command, Io, Verb } from "./command.ts";
import { command } from "./define.ts";
import { printResult, printText } from "./print.ts";
import { shortName } from "./short-names.ts";

export function verbFrom(call: AnySyscall, name?: string): Verb {
  return { summary: call.summary, input: call.input, load: () => derived(call.name, name) };
}

/** `after` runs after the output, but not with --json. */
export async function derived(
  callName: string,
  name: string = callName.replace(".", " "),
  after?: (io: Io, result: never) => Promise<void>,
): Promise<Command> {
  const call = await declared(callName);
  const spec = { name, summary: call.summary, input: call.input, examples: call.cli.examples };
  const made = command(spec, async ({ args, json }, io) => {
    const given = await withStdin(io, spec.input, args);
    const result = await allPages(io.sys(), call, given);
    await printResult(io, call.cli.print, result, json);
    if (!json) await after?.(io, result as never);
    return call.cli.exit?.(result as never) ?? 0;
  });
  return { ...made, call: callName };
}

async function withStdin(io: Io, input: Spec["input"], args: { readonly [name: string]: unknown }): Promise<object> {
  const name = Object.keys(input).find((key) => input[key]?.stdin && args[key] === "-");
  if (name === undefined) return args;
  const { stdinText } = await import("./io/stdin.ts");
  return { ...args, [name]: await stdinText(io) };
}

export async function allPages(sys: Sys, call: AnySyscall, args: object): Promise<unknown> {
  const { print, whole } = call.cli;
  if (print.kind !== "table" || print.pages === undefined) {
    const result = await sys.call(call.name, args);
    if (whole === undefined) return result;
    return await whole(
      result as never,
      async (changed) => (await sys.call(call.name, { ...args, ...changed })) as never,
    );
  }
  const { rows, next, argument } = print.pages;
  const all: unknown[] = [];
  for (let from: unknown; from !== null; ) {
    const page = await sys.call<{ readonly [key: string]: unknown }>(
      call.name,
      from === undefined ? args : { ...args, [argument]: from },
    );
    all.push(...(page[rows] as readonly unknown[]));
    from = page[next] ?? null;
  }
  return { [rows]: all };
}

export async function declared(callName: string): Promise<AnySyscall> {
  const call = await syscallNamed(callName);
  if (call === undefined) throw new SysError("ENOSYS", `no such syscall: ${callName}`);
  return call;
}

export function verbOf(command: Command): Verb {
  return { summary: command.spec.summary, input: command.spec.input, load: () => command };
}

/** A noun with its verbs: commands, or names of syscalls. */
export async function noun(
  name: string,
  summary: string,
  verbs: { readonly [verb: string]: Command | string },
): Promise<Command> {
  const made = Object.entries(verbs).map(async ([verb, of]): Promise<[string, Verb]> => {
    return [verb, typeof of === "string" ? verbFrom(await declared(of), `${name} ${verb}`) : verbOf(of)];
  });
  return domainCommand(name, new Map(await Promise.all(made)), summary);
}

/** `gsv proc`: finds the verb among the arguments, flags before it included. */
export function domainCommand(
  domain: string,
  verbs: ReadonlyMap<string, Verb>,
  summary = `Commands on ${domain}`,
): Command {
  const spec: Spec = {
    name: domain,
    summary,
    usage: `gsv ${domain} COMMAND …  (gsv ${domain} --help lists them)`,
    input: {},
    examples: [],
  };
  return { spec, verbs, run: (args, io) => runVerb(spec, verbs, args, io) };
}

async function runVerb(spec: Spec, verbs: ReadonlyMap<string, Verb>, args: readonly string[], io: Io): Promise<number> {
  const at = verbIndex(verbs, args);
  const word = args[at];
  if (word === undefined) {
    refuseStray(spec, args);
    const listed = [...verbs].filter(([verb]) => shortName(`${spec.name} ${verb}`) === null);
    const rows = listed.map(([verb, { summary }]) => [`gsv ${spec.name} ${verb}`, summary] as const);
    const asked = asks(args, "--help", "-h");
    const output = asked ? io.stdout : io.stderr;
    const { layout } = await import("./man/layout.ts");
    const { widthOf } = await import("./io/pager.ts");
    const parts = [
      { title: "Commands", blocks: [{ kind: "rows" as const, rows }] },
      {
        blocks: [
          { kind: "text" as const, text: ["Each command has --help.", ...shortForms(spec.name, verbs)].join(" ") },
        ],
      },
    ];
    await printText(output, layout(parts, { width: widthOf(output), colour: false }));
    return asked ? 0 : 2;
  }
  const verb = verbs.get(word);
  if (verb === undefined) {
    const close = nearest(word, verbs.keys()).map((name) => `gsv ${spec.name} ${name}`);
    const message = `unknown command: ${spec.name} ${clipFor(spec, word)}`;
    if (close.length > 0) throw new SysError("EUSAGE", message, [`did you mean ${close.join(" or ")}`]);
    throw usageError(spec, message);
  }
  return (await verb.load()).run([...args.slice(0, at), ...args.slice(at + 1)], io);
}

/** The verbs that are known by a shorter name. */
function shortForms(domain: string, verbs: ReadonlyMap<string, Verb>): readonly string[] {
  const names = [...verbs.keys()].flatMap((verb) => {
    const short = shortName(`${domain} ${verb}`);
    if (short === null) return [];
    return [short === verb ? short : `${short} (${verb})`];
  });
  return names.length === 0 ? [] : [`Short names: ${names.join(", ")}.`];
}

// Without a verb, only --help makes sense.
function refuseStray(spec: Spec, args: readonly string[]): void {
  const stray = args.find((each) => each !== "--json" && each !== "--help" && each !== "-h" && each !== "--");
  if (stray === undefined) return;
  throw usageError(spec, `${spec.name} needs a command before ${clipFor(spec, stray)}`, [
    `gsv ${spec.name} --help lists them`,
  ]);
}

// A flag before the verb may take a value, which is not the verb.
function verbIndex(verbs: ReadonlyMap<string, Verb>, args: readonly string[]): number {
  const valued = new Set<string>();
  for (const { input } of verbs.values()) {
    for (const [name, { spec }] of flagsOf(input)) if (spec.kind !== "flag") valued.add(name);
  }
  let index = 0;
  while (index < args.length && looksLikeFlag(args[index]!) && args[index] !== "--") {
    index += valued.has(args[index]!) ? 2 : 1;
  }
  return args[index] === "--" ? args.length : index;
}
