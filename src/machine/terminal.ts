// Asks a person at the terminal: a line, a hidden secret, or a text in their editor. The editor gets a private file and an environment without
// secrets.

import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  read as readSome,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isatty, ReadStream } from "node:tty";
import type { Edited, EditRequest, Io, Output } from "../../commands/command.ts";
import { SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";

const EDITOR_ENV =
  /^(?:PATH|HOME|TMPDIR|USER|LOGNAME|SHELL|TERM|COLORTERM|TERMINFO|LANG|LC_[A-Z]+|TZ|DISPLAY|WAYLAND_DISPLAY|XDG_[A-Z_]+|VISUAL|EDITOR)$/;
/** Time for the editor to end. */
const EDITOR_END_MS = 1000;
/** The maximum line length of a terminal. */
const LINE_BYTES_MAX = 4096;
/** Time between two looks for a typed line. */
const LOOK_MS = 25;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";

/**
 * Reads one line with the terminal's own editing, and no key more. Without `leave`, ctrl-c ends gsv; with it, the question is over when
 * it aborts.
 */
export async function ask(to: Output, clock: Clock, question: string, leave?: AbortSignal): Promise<string> {
  // After `fg` the shell's lines stand between the question and the cursor.
  const again = () => void to.write(question);
  process.on("SIGCONT", again);
  await to.write(question);
  const line = Buffer.alloc(LINE_BYTES_MAX);
  const reading = leave === undefined ? waitingRead(0, line) : readUntil(leave, line, clock);
  const got = await reading.finally(() => process.off("SIGCONT", again));
  if (got > 0)
    return line
      .subarray(0, got)
      .toString()
      .replace(/\r?\n$/, "");
  await to.write("\n");
  throw cancelled();
}

function cancelled(): SysError {
  return new SysError("ECANCELED", "cancelled: nothing was changed");
}

function waitingRead(descriptor: number, into: Buffer): Promise<number> {
  return new Promise((resolve, reject) =>
    readSome(descriptor, into, 0, into.length, null, (error, count) => (error ? reject(error) : resolve(count))),
  );
}

/** Returns 0 at the end of input and when `leave` aborts. A read that waits would take the next line even after ctrl-c, so it looks again. */
async function readUntil(leave: AbortSignal, into: Buffer, clock: Clock): Promise<number> {
  const descriptor = terminalHere(constants.O_RDONLY | constants.O_NONBLOCK);
  if (descriptor === null) return await waitingRead(0, into);
  try {
    while (!leave.aborted) {
      try {
        return readSync(descriptor, into);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
      await clock.sleep(LOOK_MS, leave);
    }
    return 0;
  } finally {
    closeSync(descriptor);
  }
}

/** Reads one line from the terminal itself with its echo off, whatever stdin is; null without a terminal. `guarded` restores the echo. */
export async function askHidden(
  question: string,
  guarded: (restore: () => void) => () => void,
): Promise<string | null> {
  const descriptor = terminalHere();
  if (descriptor === null) return null;
  const terminal = new ReadStream(descriptor);
  const unguard = guarded(() => terminal.setRawMode(false));
  // Before the question, so that a quick answer is hidden too.
  terminal.setRawMode(true);
  try {
    writeSync(descriptor, question);
    return await lineFrom(keysOf(descriptor));
  } finally {
    terminal.setRawMode(false);
    writeSync(descriptor, "\n");
    terminal.destroy();
    unguard();
  }
}

// Not through a stream: a second one on the same terminal gets nothing.
async function* keysOf(descriptor: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = Buffer.alloc(1024);
    const got = await waitingRead(descriptor, piece);
    if (got === 0) return;
    yield piece.subarray(0, got);
  }
}

function terminalHere(how: string | number = "r+"): number | null {
  try {
    return openSync("/dev/tty", how);
  } catch {
    return null;
  }
}

/** The line that the keys make, with deletions applied. */
export async function lineFrom(keys: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let line: string[] = [];
  for await (const bytes of keys) {
    for (const key of decoder.decode(bytes, { stream: true })) {
      if (key === "\r" || key === "\n") return line.join("");
      if (key === CTRL_C) throw cancelled();
      if (key === CTRL_D && line.length === 0) break;
      if (key === CTRL_U) line = [];
      else if (key === "\u007f" || key === "\b") line.pop();
      else if (key >= " ") line.push(key);
    }
  }
  throw new SysError("EUSAGE", "nothing was typed");
}

export interface EditorPorts {
  readonly env: { readonly [name: string]: string | undefined };
  /** For a gsv that is called from within the editor. */
  readonly home: string;
  /** A private directory. */
  readonly directory: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly onSignal: Io["onSignal"];
}

export async function editText(
  { env, home, directory, cwd, clock, onSignal }: EditorPorts,
  { text, name, draftName = name, onDraft }: EditRequest,
): Promise<Edited> {
  const command = editorFrom(env);
  const draft = join(directory, `draft-${draftName}`);
  const before = bytesOf(draft, draft)?.toString() ?? text;
  if (before !== text) await onDraft(draft);
  // With a remote kernel there may be no home on this computer.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(directory, "edit-"));
  const path = join(own, name);
  const clear = () => rmSync(own, { recursive: true, force: true });
  const keep = () => {
    renameSync(path, draft);
    clear();
    return draft;
  };
  const done = () => {
    clear();
    rmSync(draft, { force: true });
  };
  writeFileSync(path, before, { mode: 0o600, flag: "wx" });
  try {
    const status = await runEditor([...command, path], { env, home, cwd, clock, onSignal });
    if (status === 0) return { text: textIn(path), done, keep };
    throw new SysError("EUSAGE", `the editor ended with status ${status}: nothing was changed`);
  } catch (error) {
    // Keep the text if the editor fails.
    const hints = isWritten(path, before) ? [`your text is saved in ${keep()}`] : [];
    clear();
    if (error instanceof SysError) throw new SysError(error.code, error.message, hints);
    throw new SysError("ECONFIG", `cannot start the editor ${command[0]}`, [
      "set EDITOR to an installed editor, for example: export EDITOR=vi",
      ...hints,
    ]);
  }
}

/** null if there is no file. Refuses pipes, which would block, and links, which may lead anywhere. */
function bytesOf(path: string, called: string): Buffer | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(descriptor).isFile()) return readFileSync(descriptor);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
  throw new SysError("EINVAL", `${called} is not a readable file: nothing was changed`, [
    "move it away to start from the stored text",
  ]);
}

function isWritten(path: string, before: string): boolean {
  try {
    const bytes = bytesOf(path, path);
    return bytes !== null && bytes.toString() !== before;
  } catch {
    return true;
  }
}

function textIn(path: string): string {
  const bytes = bytesOf(path, "the edited text");
  if (bytes === null) throw new SysError("EINVAL", "the editor left no file: nothing was changed");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SysError("EINVAL", "the edited text is not UTF-8: nothing was changed");
  }
}

/** Signals that end gsv end the editor first. */
async function runEditor(
  command: readonly string[],
  { env, home, cwd, clock, onSignal }: Omit<EditorPorts, "directory">,
): Promise<number> {
  const allowed = Object.entries(env).filter(([variable]) => EDITOR_ENV.test(variable));
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...Object.fromEntries(allowed), GSV_HOME: home },
    stdio: ["inherit", "inherit", "inherit"],
  });
  const over = new AbortController();
  // Ctrl-c belongs to the editor.
  const release = onSignal((name) => {
    if (name === "INT") return;
    child.kill(`SIG${name}`);
    void clock.sleep(EDITOR_END_MS, over.signal).then(() => over.signal.aborted || child.kill("SIGKILL"));
  });
  try {
    return await child.exited;
  } finally {
    over.abort();
    release();
  }
}

/** The command line of the editor. It is split at blanks and never passed to a shell. */
function editorFrom(env: EditorPorts["env"]): readonly [string, ...string[]] {
  // A configured editor may not need a terminal; the default one does.
  if (!env.VISUAL && !env.EDITOR && !isatty(0)) {
    throw new SysError("EUSAGE", "no editor: there is no terminal, and VISUAL and EDITOR are not set", [
      "set one that needs no terminal: EDITOR=COMMAND",
    ]);
  }
  const [program, ...words] = (env.VISUAL || env.EDITOR || "vi").trim().split(/\s+/);
  if (program === undefined || program === "" || words.includes("--")) {
    throw new SysError("ECONFIG", "VISUAL or EDITOR is not a command with plain arguments", ["for example: EDITOR=vi"]);
  }
  return [program, ...words];
}
