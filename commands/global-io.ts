// What the flags that any command takes do: each changes what the command is handed, so that no command asks for them. Loaded only for a
// line that has some.

import { SysError } from "../src/abi/errno.ts";
import { type ColourChoice, colourEnv } from "../src/lib/text/colour.ts";
import type { Io, Output } from "./command.ts";
import { accountName } from "./config/sign-in.ts";
import type { Said } from "./global-flags.ts";
import { JqOutput } from "./io/jq-output.ts";

/** Status output that --quiet keeps for the case of a failure. */
const HELD_CHARS_MAX = 65_536;

/** Runs a command as these flags have it. */
export async function runWith(said: Said, io: Io, run: (io: Io) => Promise<number>): Promise<number> {
  const user = said.get("--user")?.[0];
  if (user !== undefined) io.signIn.as(accountName(user));
  const settings = said.get("--set");
  if (settings !== undefined) await io.override(settings);
  const program = said.get("--jq")?.[0];
  const filtered = program === undefined ? null : new JqOutput(io.stdout, await io.jq(program));
  const held = said.has("--quiet") ? new HeldOutput(io.stderr) : null;
  const release = held === null ? null : io.onWord((line) => void held.write(line));
  const changed: Io = Object.create(io, {
    ...(filtered === null ? {} : { stdout: { value: filtered } }),
    ...(held === null ? {} : { stderr: { value: held } }),
    ...(said.has("--no-pager") ? { noPager: { value: true } } : {}),
    env: { value: colourEnv(io.env, (said.get("--color")?.[0] ?? "auto") as ColourChoice) },
    ...(held === null ? {} : { person: { value: heardFirst(io.person, held) } }),
    ...(said.has("--no-input") ? unasked(io) : {}),
  });
  try {
    const status = await run(changed);
    await filtered?.end();
    if (filtered?.failure) throw filtered.failure;
    // A reader who has gone is no failure of ours.
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
