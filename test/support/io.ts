// The ports of a command, without a host: streams that record, a clock that stands still, signals on demand.

import type {
  EditRequest,
  Ending,
  Input,
  Interruption,
  Io,
  KeptLogin,
  Output,
  Place,
  Program,
} from "../../commands/command.ts";
import type { Side } from "../../commands/files/copy/side.ts";
import { runCommandLine } from "../../commands/run.ts";
import type { HomeKeeping } from "../../src/abi/backup.ts";
import type { SysError } from "../../src/abi/errno.ts";
import type { WakeTimer } from "../../src/abi/wake.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import { realClock } from "../../src/lib/clock.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { jqProgram } from "../../src/shell/jq.ts";
import type { KernelStatus } from "../../src/syscalls/services.ts";
import { FakeClock } from "./clock.ts";
import { seeded } from "./random.ts";
import { FakeRemotes } from "./remotes.ts";
import { FakeSys } from "./sys.ts";

export class FakeOutput implements Output {
  text = "";
  closed = false;
  failure: SysError | null = null;
  writes = 0;
  columns = 80;
  rows = 200;
  isTTY = false;
  /** The reader leaves after so many writes. */
  writesMax = Number.POSITIVE_INFINITY;

  /** The output as bytes, too. */
  readonly pieces: Uint8Array[] = [];

  async write(written: string | Uint8Array): Promise<void> {
    if (this.writes >= this.writesMax) this.closed = true;
    if (this.closed) return;
    this.writes++;
    this.pieces.push(typeof written === "string" ? Buffer.from(written) : written);
    this.text += typeof written === "string" ? written : Buffer.from(written).toString();
  }

  get lines(): string[] {
    return this.text.split("\n").slice(0, -1);
  }
}

/** A stdin that yields the given pieces; a promise is data that comes when it resolves. */
export function stdinOf(
  kind: Input["kind"],
  chunks: readonly (string | Uint8Array | Promise<Uint8Array>)[] = [],
): Input {
  return {
    kind,
    isTTY: kind === "tty",
    async *bytes() {
      for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : await chunk;
    },
  };
}

export const STATUS: KernelStatus = {
  running: true,
  pid: 4711,
  version: "0.1.0",
  commit: "abc1234",
  bun: "1.4.5",
  home: "/home/sam/.gsv",
  startedAt: Date.UTC(2026, 0, 2, 3, 0, 0),
  generation: 3,
  clients: 1,
  processes: 2,
  working: 1,
};

export class FakeIo implements Io {
  readonly stdout = new FakeOutput();
  readonly stderr = new FakeOutput();
  stdin: Input = stdinOf("none");
  env: { [name: string]: string } = {};
  readonly cwd = "/work";
  readonly clock = new FakeClock();
  readonly random = seeded(1).bytes;
  readonly fakeSys = new FakeSys();
  /** Hidden input of a person, and its prompts. */
  hidden: string[] = [];
  readonly questions: string[] = [];
  /** Saved texts. */
  readonly drafts = new Map<string, string>();
  /** The person's edit of a text. */
  editing: (text: string) => string = (text) => text;
  /** A person's answers to questions. */
  readonly answers: string[] = [];
  /** Settings from the command line. */
  readonly said: string[] = [];
  readonly override = async (said: readonly string[]) => void this.said.push(...said);
  readonly person = {
    answersHere: () => false,
    ask: async (question: string) => {
      this.questions.push(question);
      return this.answers.shift() ?? "";
    },
    askHidden: async (question: string) => {
      this.questions.push(question);
      return this.hidden.shift() ?? null;
    },
    edit: async ({ text, name, onDraft }: EditRequest) => {
      const draft = this.drafts.get(name);
      if (draft !== undefined) await onDraft(`/run/draft-${name}`);
      const edited = this.editing(draft ?? text);
      return {
        text: edited,
        done: () => void this.drafts.delete(name),
        keep: () => {
          this.drafts.set(name, edited);
          return `/run/draft-${name}`;
        },
      };
    },
  };
  /** The account of the invocation, and its stored login. */
  readonly actedAs: string[] = [];
  readonly logins = new Map<string, KeptLogin>();
  readonly signIn = {
    as: (name: string, how?: "fresh") => void this.actedAs.push(how === undefined ? name : `${name} ${how}`),
    unasked: () => {},
    keep: async (name: string, login: KeptLogin) => void this.logins.set(name, login),
    kept: async (name: string) => this.logins.get(name) ?? null,
    forget: async (name: string) => void this.logins.delete(name),
  };
  readonly remotes = new FakeRemotes();
  readonly starts: KernelStatus[] = [];
  readonly keep: HomeKeeping = {
    backup: async () => Promise.reject(new Error("no backup here")),
    restore: async () => Promise.reject(new Error("no restore here")),
    usage: async () => Promise.reject(new Error("no home here")),
  };
  /** The files of the host, as a test lays them out. */
  side: Side | null = null;
  readonly host = async () => this.side ?? Promise.reject(new Error("no files here"));
  /** Events around the command, and their listeners. */
  hear: (line: string) => void = (line) => void this.stderr.write(line);
  readonly onWord = (hear: (line: string) => void) => {
    const before = this.hear;
    this.hear = hear;
    return () => {
      this.hear = before;
    };
  };
  readonly jq = jqProgram;
  readonly conceal = async (text: string) => text;
  readonly kernel = { start: async () => this.starts.shift() ?? STATUS, manage: async () => {} };
  /** The doctor's answers, and its questions. */
  readonly findings: Finding[] = [];
  readonly examined: object[] = [];
  places: readonly Place[] = [];
  providers: readonly string[] = ["offline", "script"];
  readonly machine = {
    doctor: async () => ({
      examine: (options: object) => this.examine(options),
      fsck: (options: object) => this.examine(options),
    }),
    providers: async () => this.providers,
    places: async () => this.places,
    serveService: async () => this.service ?? Promise.reject(new Error("no services here")),
    browser: () => this.browser(),
    wakeTimer: async () => this.timer ?? Promise.reject(new Error("no timer here")),
  };
  private readonly browser = async () => ({
    open: async (url: string) => {
      this.opened.push(url);
      const answer = this.redirect(url);
      if (answer !== null) this.redirected.resolve(answer);
      return this.hasBrowser;
    },
    listen: async (port: number | null) => ({
      redirectUri: `http://127.0.0.1:${port ?? 49_152}/oauth/callback`,
      answer: () => this.redirected.promise,
      close: () => {},
    }),
  });
  timer: WakeTimer | null = null;
  service: WakeTimer | null = null;
  /** Programs that got the terminal, and how they end. */
  readonly programs: Program[] = [];
  programStatus = 0;
  readonly manual = async () => MANUAL;
  private readonly listeners = new Set<(name: Interruption) => void>();

  private async examine(options: object): Promise<readonly Finding[]> {
    this.examined.push(options);
    return this.findings;
  }

  async peek(): Promise<FakeSys> {
    return this.fakeSys;
  }

  /** The browser: addresses that were opened, and the redirect that it makes of each. */
  readonly opened: string[] = [];
  hasBrowser = true;
  redirect: (url: string) => string | null = () => null;
  private readonly redirected = Promise.withResolvers<string>();
  readonly hostTerminal = async () => null;
  readonly hostLine = async () => null;
  readonly isOnPath = () => false;
  async spawn(program: Program): Promise<number> {
    this.programs.push(program);
    return this.programStatus;
  }

  sysWith(): FakeSys {
    throw new Error("not in this test");
  }

  sys(): FakeSys {
    return this.fakeSys;
  }

  onSignal(listener: (name: Interruption) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get handlesSignals(): boolean {
    return this.listeners.size > 0;
  }

  onEnding(listener: (name: Ending) => void): () => void {
    return this.onSignal(listener as (name: Interruption) => void);
  }

  interrupt(name: Ending): void {
    for (const listener of this.listeners) listener(name as Interruption);
  }

  terminal(columns = 80): this {
    this.stdout.isTTY = true;
    this.stderr.isTTY = true;
    this.stdout.columns = columns;
    this.stderr.columns = columns;
    this.stdin = stdinOf("tty");
    return this;
  }
}

export function runs(io: FakeIo, ...argv: string[]): Promise<number> {
  return runCommandLine(argv, io);
}

/** Lets other work run until a condition holds; the test itself reports a timeout. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** An editor's ports without signals. */
export const UNTOLD = { clock: realClock, onSignal: () => () => {} };
