// Applies the global flags by changing the Io of the command. Only loaded for lines that have some.

import { SysError } from "../src/abi/errno.ts";
import { Serial } from "../src/lib/serial.ts";
import { type ColourChoice, colourEnv } from "../src/lib/text/colour.ts";
import { sanitize } from "../src/lib/text/sanitize.ts";
import type { Io, Jq, Output } from "./command.ts";
import { accountName } from "./config/sign-in.ts";
import type { GlobalValues } from "./global-flags.ts";

/** Status output that --quiet keeps for the case of a failure. */
const HELD_CHARS_MAX = 65_536;

export async function runWith(globals: GlobalValues, io: Io, run: (io: Io) => Promise<number>): Promise<number> {
  const user = globals.get("--user")?.[0];
  if (user !== undefined) io.signIn.as(accountName(user));
  const remote = globals.get("--remote")?.[0];
  if (remote !== undefined) io.remotes.choose(remote);
  const settings = globals.get("--set");
  if (settings !== undefined) await io.override(settings);
  const program = globals.get("--jq")?.[0];
  const filtered = program === undefined ? null : new JqOutput(io.stdout, await io.jq(program));
  const held = globals.has("--quiet") ? new HeldOutput(io.stderr) : null;
  const release = held === null ? null : io.onWord((line) => void held.write(line));
  const changed: Io = Object.create(io, {
    ...(filtered === null ? {} : { stdout: { value: filtered } }),
    ...(held === null ? {} : { stderr: { value: held }, isQuiet: { value: true } }),
    ...(globals.has("--no-pager") ? { noPager: { value: true } } : {}),
    env: { value: colourEnv(io.env, (globals.get("--color")?.[0] ?? "auto") as ColourChoice) },
    ...(held === null ? {} : { person: { value: heardFirst(io.person, held) } }),
    ...(globals.has("--no-input") ? unasked(io) : {}),
  });
  try {
    const status = await run(changed);
    await filtered?.end();
    if (filtered?.failure) throw filtered.failure;
    // A closed stdout is not a failure.
    const isLeft = io.stdout.closed && io.stdout.failure === null;
    if (status !== 0 && !isLeft) await held?.release();
    return status;
  } catch (error) {
    await held?.release();
    throw error;
  } finally {
    release?.();
  }
}

/** A question may refer to the suppressed output: print it first. */
function heardFirst(person: Io["person"], held: HeldOutput): Io["person"] {
  const after =
    <Asked, Answer>(ask: (asked: Asked) => Promise<Answer>) =>
    async (asked: Asked) => {
      await held.release();
      return await ask(asked);
    };
  const answersHere = () => person.answersHere();
  return { answersHere, ask: after(person.ask), askHidden: after(person.askHidden), edit: after(person.edit) };
}

/** --no-input: each question fails with its text. */
function unasked(io: Io): PropertyDescriptorMap {
  io.signIn.unasked();
  const refuse = async (what: string): Promise<never> => {
    throw new SysError("EBLOCKED", `--no-input is set, so gsv cannot ask: ${what.trim().replace(/:$/, "")}`, [
      "leave --no-input out to answer on the terminal",
    ]);
  };
  const person: Io["person"] = {
    answersHere: () => false,
    ask: refuse,
    askHidden: refuse,
    edit: ({ name }) => refuse(`an editor on ${name}`),
  };
  const hostTerminal = () => refuse("a shell on the terminal");
  const bytes = (): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => ({ next: () => refuse("text typed on the terminal") }),
  });
  const { stdin } = io;
  return {
    asksNobody: { value: true },
    person: { value: person },
    hostTerminal: { value: hostTerminal },
    hostLine: { value: () => refuse("a program on the terminal") },
    ...(stdin.isTTY ? { stdin: { value: Object.create(stdin, { bytes: { value: bytes } }) } } : {}),
  };
}

/** Keeps the newest output until it is released. */
class HeldOutput implements Output {
  private text = "";

  constructor(private readonly output: Output) {}

  get closed(): boolean {
    return this.output.closed;
  }

  get failure(): SysError | null {
    return this.output.failure;
  }

  get isTTY(): boolean {
    return this.output.isTTY;
  }

  get columns(): number {
    return this.output.columns;
  }

  get rows(): number {
    return this.output.rows;
  }

  async write(text: string | Uint8Array): Promise<void> {
    const more = typeof text === "string" ? text : Buffer.from(text).toString();
    this.text = (this.text + more).slice(-HELD_CHARS_MAX);
  }

  async release(): Promise<void> {
    const { text } = this;
    this.text = "";
    await this.output.write(text);
  }
}

/** Passes JSON lines through a jq program. Incomplete lines wait; after a failure nothing more is accepted. */
class JqOutput implements Output {
  failure: SysError | null = null;
  /** JSON is never cut or colored. */
  readonly isTTY = false;
  private rest = "";
  private readonly serial = new Serial();
  private readonly decoder = new TextDecoder();

  constructor(
    private readonly output: Output,
    private readonly jq: Jq,
  ) {}

  get closed(): boolean {
    return this.failure !== null || this.output.closed;
  }

  get columns(): number {
    return this.output.columns;
  }

  get rows(): number {
    return this.output.rows;
  }

  write(text: string | Uint8Array): Promise<void> {
    return this.serial.run(async () => {
      const all = this.rest + (typeof text === "string" ? text : this.decoder.decode(text, { stream: true }));
      const end = all.lastIndexOf("\n") + 1;
      this.rest = all.slice(end);
      await this.print(all.slice(0, end));
    });
  }

  end(): Promise<void> {
    return this.serial.run(async () => {
      const last = this.rest;
      this.rest = "";
      await this.print(last);
    });
  }

  private async print(lines: string): Promise<void> {
    if (lines.trim() === "" || this.closed) return;
    try {
      const made = await this.jq(lines);
      await this.output.write(this.output.isTTY ? sanitize(made) : made);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      this.failure = error;
    }
  }
}
