// Who an invocation acts as: nobody in particular, or an account with a token from the environment, a login that was kept, a password from a
// descriptor, or one typed on the terminal, in that order. What is kept lies in run/, for its owner alone.

import {
  closeSync,
  openSync,
  readFileSync,
  read as readSome,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { KeptLogin, SignIn } from "../commands/command.ts";
import { SysError } from "./abi/errno.ts";
import type { Credentials } from "./abi/identity.ts";

export interface SignInMachine {
  readonly env: { readonly [name: string]: string | undefined };
  /** Asked for when it is needed: most invocations need none. */
  readonly runDir: () => string;
  readonly now: () => number;
  readonly isTTY: () => boolean;
  /** Somebody pressed ctrl-c at a prompt: the invocation is over. */
  readonly interrupted: () => never;
}

export interface Signing extends SignIn {
  /** Undefined for the home's own human. */
  credentials(): Promise<Credentials | undefined>;
}

export function signing({ env, runDir, now, isTTY, interrupted }: SignInMachine): Signing {
  const { GSV_TOKEN: token, GSV_PASSWORD_FD: descriptor } = env;
  let user: string | null = null;
  let anew = false;
  const fileOf = (name: string) => join(runDir(), `login-${name}.json`);

  function kept(name: string): KeptLogin | null {
    try {
      const login = JSON.parse(readFileSync(fileOf(name), "utf8")) as KeptLogin;
      return login.expiresAt > now() ? login : null;
    } catch {
      return null;
    }
  }

  return {
    as(name, how) {
      user = name;
      anew = how === "anew";
    },
    kept: async (name) => kept(name),
    async keep(name, login) {
      const file = fileOf(name);
      writeFileSync(`${file}.new`, JSON.stringify(login), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    forget: async (name) => rmSync(fileOf(name), { force: true }),
    secret: (prompt) => (isTTY() ? typedSecret(prompt, env.PATH ?? "", interrupted) : Promise.resolve(null)),

    async credentials() {
      if (user === null) return token ? { token } : undefined;
      if (token && !anew) return { user, token };
      const login = anew ? null : kept(user);
      if (login !== null) return { user, token: login.token };
      if (descriptor) return { user, password: passwordFrom(descriptor) };
      const password = await this.secret(`password of ${user}: `);
      if (password !== null) return { user, password };
      throw new SysError("EAUTH", `acting as ${user} takes its password, and there is no terminal to ask on`, [
        "GSV_PASSWORD_FD=3 gsv … 3< FILE reads it from there",
        "GSV_TOKEN takes a token of gsv auth token create",
      ]);
    },
  };
}

function passwordFrom(descriptor: string): string {
  try {
    if (/^[0-9]{1,4}$/.test(descriptor)) return readFileSync(Number(descriptor), "utf8").replace(/\r?\n$/, "");
  } catch {
    // Told below, the same way as what is no number.
  }
  throw new SysError("EAUTH", "GSV_PASSWORD_FD names no descriptor that can be read", [
    "GSV_PASSWORD_FD=3 gsv … 3< FILE",
  ]);
}

// On the terminal itself, whatever stdin is. The terminal keeps its own line editing; only its echo is off, and is on again however this ends.
async function typedSecret(prompt: string, path: string, interrupted: () => never): Promise<string | null> {
  let terminal: number;
  try {
    terminal = openSync("/dev/tty", "r+");
  } catch {
    return null;
  }
  const echo = (on: boolean) =>
    Bun.spawnSync(["stty", on ? "echo" : "-echo"], { stdin: terminal, env: { PATH: path } }).exitCode === 0;
  const stop = () => {
    echo(true);
    writeSync(terminal, "\n");
    interrupted();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, stop);
  try {
    if (!echo(false)) return null;
    writeSync(terminal, prompt);
    return await lineFrom(terminal);
  } finally {
    echo(true);
    writeSync(terminal, "\n");
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, stop);
    closeSync(terminal);
  }
}

async function lineFrom(terminal: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.alloc(1024);
    const got = await new Promise<number>((resolve, reject) =>
      readSome(terminal, piece, 0, piece.length, null, (error, count) => (error ? reject(error) : resolve(count))),
    );
    pieces.push(piece.subarray(0, got));
    if (got === 0 || piece.subarray(0, got).includes(10))
      return Buffer.concat(pieces)
        .toString()
        .replace(/\r?\n$/, "");
  }
}
