// `gsv <domain> <verb>` for every declared syscall that is not hidden. Verbs that a declaration cannot describe are in VERBS.
// A command is built only when it is named.

import { field } from "../src/syscalls/define.ts";
import type { Signalled } from "../src/syscalls/services.ts";
import { callsOf, DOMAIN_NAMES, syscallNamed } from "../src/syscalls/table.ts";
import type { Command, Verb } from "./command.ts";
import { command } from "./define.ts";
import { declared, derived, verbFrom } from "./derive.ts";
import { printResult } from "./print.ts";

const aProcess = { pid: field.pid("the process", { positional: true, meta: "PID" }) };

/** Hand-written verbs; they replace declared ones. */
const VERBS: { readonly [domain: string]: { readonly [verb: string]: Partial<Verb> & Pick<Verb, "load"> } } = {
  proc: {
    spawn: { load: async () => (await import("./approvals/trust.ts")).spawnAs("proc spawn") },
    stop: signalVerb("stop", "STOP", "Stop a process until it is resumed"),
    resume: signalVerb("resume", "CONT", "Resume a stopped process"),
    message: { load: async () => (await import("./history/message.ts")).messageCommand() },
    wait: {
      summary: "Wait for processes to finish",
      load: async () => (await import("./proc/wait.ts")).waitAs("proc wait"),
      input: { timeout: field.optional(field.text("seconds")) },
    },
  },
  workspace: {
    attach: { load: async () => (await import("./approvals/trust.ts")).attach() },
    trust: {
      load: async () => (await import("./approvals/trust.ts")).trust,
      input: {
        id: field.text("the workspace", { positional: true, meta: "ID", of: "workspace" }),
        undo: field.flag("withdraw it"),
        yes: field.flag("skip the question"),
      },
    },
  },
  hooks: {
    allow: {
      load: async () => (await import("./approvals/hooks.ts")).allow,
      input: {
        hook: field.text("the hook", { positional: true, meta: "EVENT/NAME", of: "hook" }),
        yes: field.flag("skip the review and the question"),
      },
    },
  },
  session: {
    preview: {
      summary: "Print the messages of a session",
      load: async () => (await import("./history/session-preview.ts")).preview,
      input: { limit: field.optional(field.int("number of messages (newest)")) },
    },
    export: {
      summary: "Export a session as a document",
      load: async () => (await import("./history/session-export.ts")).exportSession,
      input: { format: field.optional(field.text("md, json or html")) },
    },
  },
  storage: {
    verify: { load: async () => (await import("./system/storage.ts")).verify },
  },
  policy: {
    edit: {
      summary: "Edit your policy",
      load: async () => (await import("./approvals/policy.ts")).edit,
    },
  },
  config: {
    get: { load: async () => (await import("./config/config.ts")).get },
    list: { load: async () => (await import("./config/config.ts")).list },
    set: { load: async () => (await import("./config/config-change.ts")).set },
    edit: {
      summary: "Edit your settings",
      load: async () => (await import("./config/config-change.ts")).edit,
    },
  },
};

/** The command of one verb, without loading the other verbs of its domain; null if unknown. */
export async function verbCommand(domain: string, verb: string): Promise<Command | null> {
  const byHand = Object.hasOwn(VERBS, domain) ? VERBS[domain] : undefined;
  if (byHand !== undefined && Object.hasOwn(byHand, verb)) return byHand[verb]!.load();
  const call = verb.includes(".") ? undefined : await syscallNamed(`${domain}.${verb}`);
  return call === undefined || call.cli.hidden ? null : derived(call.name);
}

/** The verbs of a domain; null if it has none for people. */
export async function verbsOf(domain: string): Promise<ReadonlyMap<string, Verb> | null> {
  const shown = (await callsOf(domain)).filter(({ cli }) => !cli.hidden);
  if (shown.length === 0) return null;
  const verbs = new Map(shown.map((call) => [call.name.slice(domain.length + 1), verbFrom(call)]));
  for (const [name, byHand] of Object.entries(VERBS[domain] ?? {})) {
    verbs.set(name, { summary: "", input: {}, ...verbs.get(name), ...byHand });
  }
  return verbs;
}

/** Domains and their verbs, in the order of declaration. */
export async function domains(): Promise<ReadonlyMap<string, ReadonlyMap<string, Verb>>> {
  const all = await Promise.all(DOMAIN_NAMES.map(async (domain) => [domain, await verbsOf(domain)] as const));
  return new Map(all.flatMap(([domain, verbs]) => (verbs === null ? [] : [[domain, verbs] as const])));
}

function signalVerb(verb: string, signal: "STOP" | "CONT", summary: string): Verb {
  const spec = { name: `proc ${verb}`, summary, input: aProcess, examples: [`gsv proc ${verb} task:abc123`] };
  const load = () =>
    command(spec, async ({ args, json }, io) => {
      const result = await io.sys().call<Signalled>("proc.signal", { pid: args.pid, signal });
      await printResult(io, (await declared("proc.signal")).cli.print, result, json);
      return 0;
    });
  return { summary, load, input: aProcess };
}
