// Wraps the ports that boot takes. Each verb of a store has two seams, before and after it; a plan selects the seam at which the process
// kills itself, the passes to record, and a file that makes the disk count as full while it exists. A record is written before anything
// continues, so a file shows exactly how far a killed kernel came.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Ports } from "../../src/boot/core.ts";
import { StoreUnavailable } from "../../src/store/open.ts";

export interface CrashPlan {
  /** Kernels die one after the other, each at the first pass of the next of these seams, such as `after:process.admit`. */
  readonly die?: {
    readonly at: readonly string[];
    /** The seams at which kernels have died, one a line. */
    readonly book: string;
  };
  /** Die after so many seams of any kind: right there, or soon, at any instruction. */
  readonly dieAfter?: { readonly seams: number; readonly how: "there" | "soon" };
  /** The current step of a test is in this file and, with a colon, in front of every seam. */
  readonly chapter?: string;
  /** Every passed seam goes into this file, one a line. */
  readonly trace?: string;
  /** The key of every object that is about to be stored goes into this file, one a line. */
  readonly stored?: string;
  /** Commands of the host run in the host's sandbox; else there is none, whatever the host has. */
  readonly sandboxed?: boolean;
  /** While this file exists, every write finds the disk full. */
  readonly fullWhile?: string;
}

/** The name of the variable that carries a plan to a kernel of its own. */
export const CRASH_ENV = "GSV_TEST_CRASH";

type Verb = (...args: unknown[]) => Promise<unknown>;

/** Verbs that only read: a full disk does not stop their answers. */
const LOOKS = new Set(
  `get list children count unfinished byUid byName nameOf identity byHash hash isLocked ofAccount capabilities personalAgent mayActAs firstHuman
   open find answered openCalls closingRecords head projection history context runEnd runBegan openApproval trace outbox under exists check page
    contextFiles keptPrompt knownFile knownFiles changes undos rewinds contextShape segments historyPolicy
    above sums repeats of all read close opened olderThan earliest last cronFile cronFiles passwd shadow groups at inWorkspace
    causeOf endsSince waiting unsettled active unfinished byKey ofProcess isOf next current generation generations closedBy
    beginning queuedSince madeBy named wallets balance ledger rates account flow over`.split(/\s+/),
);

export function crashingPorts(plan: CrashPlan): (ports: Ports) => Ports {
  const seams = new Seams(plan);
  return ({ kernel, processes, objects }) => ({
    kernel: {
      accounts: seams.around("accounts", kernel.accounts),
      accountFiles: seams.around("accountFiles", kernel.accountFiles),
      people: seams.around("people", kernel.people),
      groups: seams.around("groups", kernel.groups),
      tokens: seams.around("tokens", kernel.tokens),
      lockouts: seams.around("lockouts", kernel.lockouts),
      codes: seams.around("codes", kernel.codes),
      processes: seams.around("processes", kernel.processes),
      approvals: seams.around("approvals", kernel.approvals),
      policies: seams.around("policies", kernel.policies),
      archives: seams.around("archives", kernel.archives),
      routes: seams.around("routes", kernel.routes),
      requests: seams.around("requests", kernel.requests),
      audit: seams.around("audit", kernel.audit),
      fileWrites: seams.around("fileWrites", kernel.fileWrites),
      config: seams.around("config", kernel.config),
      attachments: seams.around("attachments", kernel.attachments),
      workspaces: seams.around("workspaces", kernel.workspaces),
      usage: seams.around("usage", kernel.usage),
      figures: kernel.figures,
      budgets: seams.around("budgets", kernel.budgets),
      trust: seams.around("trust", kernel.trust),
      hooks: seams.around("hooks", kernel.hooks),
      sessions: seams.around("sessions", kernel.sessions),
      agents: seams.around("agents", kernel.agents),
      bundles: seams.around("bundles", kernel.bundles),
      projects: seams.around("projects", kernel.projects),
      credits: seams.around("credits", kernel.credits),
      schedules: seams.around("schedules", kernel.schedules),
      occurrences: seams.around("occurrences", kernel.occurrences),
      notifications: seams.around("notifications", kernel.notifications),
      due: seams.around("due", kernel.due),
      ipc: seams.around("ipc", kernel.ipc),
      mcpServers: seams.around("mcpServers", kernel.mcpServers),
      oauth: seams.around("oauth", kernel.oauth),
      watches: seams.around("watches", kernel.watches),
    },
    processes: seams.around("process", processes),
    objects: seams.around("objects", objects),
  });
}

class Seams {
  private passes = 0;
  private readonly deadly: string | undefined;

  constructor(private readonly plan: CrashPlan) {
    this.deadly = plan.die?.at[linesOf(plan.die.book).length];
  }

  around<Store extends object>(group: string, store: Store): Store {
    const verbs = new Map<PropertyKey, Verb>();
    return new Proxy(store, {
      get: (target, key) => {
        const real: unknown = Reflect.get(target, key, target);
        if (typeof real !== "function" || typeof key !== "string") return real;
        const known = verbs.get(key);
        if (known !== undefined) return known;
        const wrapped = this.verb(group, key, (...args) => Reflect.apply(real, target, args));
        verbs.set(key, wrapped);
        return wrapped;
      },
    });
  }

  private verb(group: string, key: string, call: Verb): Verb {
    const name = `${group}.${key}`;
    return async (...args) => {
      this.pass(`before:${name}`);
      if (!isLook(name)) this.checkDisk(name);
      if (name === "objects.put") this.note(this.plan.stored, (args[0] as { key: string }).key);
      const result = await call(...args);
      this.pass(`after:${name}`);
      return result;
    };
  }

  private pass(name: string): void {
    const { die, dieAfter, trace, chapter } = this.plan;
    const seam = [...linesOf(chapter), name].join(":");
    this.note(trace, seam);
    const isNow = ++this.passes === dieAfter?.seams;
    if (isNow && dieAfter.how === "soon") Bun.spawn(["kill", "-9", String(process.pid)]);
    if (seam === this.deadly) this.note(die?.book, seam);
    if (seam === this.deadly || (isNow && dieAfter.how === "there")) process.kill(process.pid, "SIGKILL");
  }

  private checkDisk(name: string): void {
    const { fullWhile } = this.plan;
    if (fullWhile === undefined || !existsSync(fullWhile)) return;
    throw new StoreUnavailable("disk", `not saved: the disk is full (${name})`);
  }

  private note(file: string | undefined, line: string): void {
    if (file !== undefined) appendFileSync(file, `${line}\n`);
  }
}

/** Around a verb that only reads: dying there equals dying at the write before or after it. */
export function isLook(seam: string): boolean {
  return LOOKS.has(seam.slice(seam.lastIndexOf(".") + 1));
}

/** The lines of a file that may not be there yet. */
export function linesOf(file: string | undefined): string[] {
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
