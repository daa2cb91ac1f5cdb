// `gsv <domain> <verb>` for every declared syscall that is not hidden. Verbs that a declaration cannot describe are in VERBS.
// A command is built only when it is named.

import { field } from "../src/syscalls/define.ts";
import type { Signalled } from "../src/syscalls/services.ts";
import { type AnySyscall, callsOf, DOMAIN_NAMES, syscallNamed } from "../src/syscalls/table.ts";
import type { Command, Verb } from "./command.ts";
import { command } from "./define.ts";
import { declared, derived, verbFrom, verbOf } from "./derive.ts";
import { printResult } from "./print.ts";

const aProcess = { pid: field.pid("the process", { positional: true, meta: "PID" }) };

type Load = () => Command | Promise<Command>;

/** Hand-written verbs; they replace declared ones. */
const VERBS: { readonly [domain: string]: { readonly [verb: string]: Load } } = {
  proc: {
    spawn: async () => (await import("./approvals/trust.ts")).spawnAs("proc spawn"),
    stop: signalVerb("stop", "STOP", "Stop a process until it is resumed"),
    resume: signalVerb("resume", "CONT", "Resume a stopped process"),
    message: async () => (await import("./history/message.ts")).messageCommand(),
    wait: async () => (await import("./proc/wait.ts")).waitAs("proc wait"),
    call: () => derived("proc.ipc.call", "proc call"),
  },
  workspace: {
    attach: async () => (await import("./approvals/trust.ts")).attach(),
    trust: async () => (await import("./approvals/trust.ts")).trust,
  },
  hooks: { allow: async () => (await import("./approvals/hooks.ts")).allow },
  session: {
    preview: async () => (await import("./history/session-preview.ts")).preview,
    export: async () => (await import("./history/session-export.ts")).exportSession,
  },
  sched: {
    show: () => derived("sched.get", "sched show"),
    edit: () => derived("sched.update", "sched edit"),
    pause: async () => (await import("./sched/pause.ts")).pauseAs("pause"),
    resume: async () => (await import("./sched/pause.ts")).pauseAs("resume"),
    rm: () => derived("sched.remove", "sched rm"),
    wake: async () => (await import("./sched/wake.ts")).wake,
  },
  storage: {
    verify: async () => (await import("./system/storage.ts")).verify,
    migrate: async () => (await import("./system/storage-migrate.ts")).migrate,
  },
  policy: {
    rm: () => derived("policy.revoke", "policy rm"),
    edit: async () => (await import("./approvals/policy.ts")).edit,
  },
  config: {
    get: async () => (await import("./config/config.ts")).get,
    list: async () => (await import("./config/config.ts")).list,
    set: async () => (await import("./config/config-change.ts")).set,
    edit: async () => (await import("./config/config-change.ts")).edit,
  },
};

/** The command of one verb, without loading the other verbs of its domain; null if unknown. */
export async function verbCommand(domain: string, verb: string): Promise<Command | null> {
  const byHand = Object.hasOwn(VERBS, domain) ? VERBS[domain] : undefined;
  if (byHand !== undefined && Object.hasOwn(byHand, verb)) return byHand[verb]!();
  const call = verb.includes(".") ? undefined : await syscallNamed(`${domain}.${verb}`);
  return call === undefined || call.cli.hidden ? null : derived(call.name);
}

/** The verbs of a domain; null if it has none for people. Loads hand-written ones. */
export async function verbsOf(domain: string): Promise<ReadonlyMap<string, Verb> | null> {
  const shown = await shownCalls(domain);
  if (shown.length === 0) return null;
  const verbs = new Map(shown.map((call) => [call.name.slice(domain.length + 1), verbFrom(call)]));
  for (const [name, load] of Object.entries(VERBS[domain] ?? {})) verbs.set(name, verbOf(await load()));
  return verbs;
}

/** Domains and the names of their verbs, in the order of declaration. */
export async function domains(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const all = DOMAIN_NAMES.map(async (domain): Promise<[string, Set<string>]> => {
    const declaredVerbs = (await shownCalls(domain)).map(({ name }) => name.slice(domain.length + 1));
    return [domain, new Set(declaredVerbs.length === 0 ? [] : [...declaredVerbs, ...Object.keys(VERBS[domain] ?? {})])];
  });
  return new Map((await Promise.all(all)).filter(([, verbs]) => verbs.size > 0));
}

async function shownCalls(domain: string): Promise<readonly AnySyscall[]> {
  return (await callsOf(domain)).filter(({ cli }) => !cli.hidden);
}

function signalVerb(verb: string, signal: "STOP" | "CONT", summary: string): Load {
  const spec = { name: `proc ${verb}`, summary, input: aProcess, examples: [`gsv proc ${verb} task:abc123`] };
  return () =>
    command(spec, async ({ args, json }, io) => {
      const result = await io.sys().call<Signalled>("proc.signal", { pid: args.pid, signal });
      await printResult(io, (await declared("proc.signal")).cli.print, result, json);
      return 0;
    });
}
