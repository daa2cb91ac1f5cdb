// A hand-written command from its field table: parsing, help and usage come from the table, the work from `work`.

import { isPid, isShortId } from "../src/abi/ids.ts";
import type { Args, Fields } from "../src/syscalls/define.ts";
import { flagText, isProcessName, looksLikeFlag, type Spec } from "./args.ts";
import type { Command, Io } from "./command.ts";
import { parseCommandLine } from "./parse.ts";

export interface Invocation<F extends Fields> {
  readonly args: Args<F>;
  readonly json: boolean;
}

export function command<F extends Fields>(
  spec: Spec<F>,
  work: (invocation: Invocation<F>, io: Io) => Promise<number>,
): Command {
  return {
    spec,
    async run(args, io) {
      const parsed = await parseCommandLine(spec, args).catch((error) => nameFirst(spec, { args, error }, io));
      if (parsed === "help") return showHelp(io, spec);
      return work({ args: await resolved(spec, parsed.values, io), json: parsed.json }, io);
    },
  };
}

/** `send build "Continue."`: the word too many may be the name of a process. Throws the error otherwise. */
async function nameFirst<F extends Fields>(
  spec: Spec<F>,
  { args, error }: { readonly args: readonly string[]; readonly error: unknown },
  io: Io,
): ReturnType<typeof parseCommandLine<F>> {
  const { pid: subject, ...others } = spec.input as Fields;
  const places = Object.values(others).filter(({ positional }) => positional).length;
  const words = args.filter((token) => token !== "--json");
  const isOneTooMany = words.length === places + 1 && places > 0 && !words.some(looksLikeFlag);
  if (!isOneTooMany || subject?.kind !== "pid" || subject.positional) throw error;
  const { pidNamed } = await import("./proc/process-names.ts");
  const [name = "", ...rest] = words;
  // A mistake must not create a home.
  const sys = await io.peek().catch(() => null);
  const pid = sys === null ? name : await pidNamed({ sys: () => sys }, name).catch(() => name);
  if (!isPid(pid)) throw error;
  const json = words.length < args.length ? ["--json"] : [];
  return parseCommandLine(spec, [...json, flagText("pid", subject), pid, "--", ...rest]);
}

/** Looks a process up only if one is named by another word than its pid. */
export async function resolved<V extends object>(spec: Spec, values: V, io: Io): Promise<V> {
  const archive = Object.entries(spec.input).find(([, { of }]) => of === "archive")?.[0] as keyof V | undefined;
  const id = archive === undefined ? undefined : values[archive];
  if (archive !== undefined && typeof id === "string" && isShortId(id))
    return { ...values, [archive]: await (await import("./history/archive-ids.ts")).archiveEnding(io, id) };
  const isNamed = Object.entries(spec.input).some(([key, { kind, of }]) => {
    if (kind !== "pid" && kind !== "pids" && of !== "process") return false;
    return [values[key as keyof V]].flat().some((value) => typeof value === "string" && isProcessName(value));
  });
  if (!isNamed) return values;
  return (await import("./proc/process-names.ts")).withPids(spec, values, io);
}

export async function showHelp(io: Io, spec: Spec): Promise<number> {
  const { helpText } = await import("./man/help-text.ts");
  const { lookOf, read } = await import("./io/pager.ts");
  return read(io, helpText(spec, lookOf(io)));
}
