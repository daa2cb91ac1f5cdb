// The account that an invocation acts as: the person of the home, or another account with a password from a descriptor, a token from the
// environment, a saved login, or a typed password, in that order. Saved logins are private files in run/.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeptLogin, SignIn } from "../../commands/command.ts";
import { SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";

export interface SignInMachine {
  readonly env: { readonly [name: string]: string | undefined };
  /** Called only when needed. */
  readonly runDir: () => string;
  readonly now: () => number;
  /** Reads a hidden line; null without a terminal. */
  readonly ask: (prompt: string) => Promise<string | null>;
}

export interface Signing extends SignIn {
  /** undefined for the person of the home. */
  credentials(): Promise<Credentials | undefined>;
  /** The account of --user; null without it. */
  acted(): string | null;
}

export function signing({ env, runDir, now, ask }: SignInMachine): Signing {
  const { GSV_TOKEN: token, GSV_PASSWORD_FD: descriptor } = env;
  let user: string | null = null;
  let fresh = false;
  let asks = true;
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
      fresh = how === "fresh";
    },
    unasked() {
      asks = false;
    },
    acted: () => user,
    kept: async (name) => kept(name),
    async keep(name, login) {
      const file = fileOf(name);
      writeFileSync(`${file}.new`, JSON.stringify(login), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    forget: async (name) => rmSync(fileOf(name), { force: true }),

    async credentials() {
      if (user === null) return token ? { token } : undefined;
      // A given password must be used: if it is wrong, falling back to something else would hide that.
      if (descriptor) return { user, password: passwordFrom(descriptor) };
      if (token && !fresh) return { user, token };
      const login = fresh ? null : kept(user);
      if (login !== null) return { user, token: login.token };
      const password = asks ? await ask(`password of ${user}: `) : null;
      if (password !== null) return { user, password };
      const why = asks ? "but there is no terminal to ask on" : "but --no-input is set";
      throw new SysError("EAUTH", `--user ${user} needs a password, ${why}`, [
        "read it from a file: GSV_PASSWORD_FD=3 gsv … 3< FILE",
        "or set GSV_TOKEN to a token from gsv auth token create",
      ]);
    },
  };
}

function passwordFrom(descriptor: string): string {
  try {
    if (/^[0-9]{1,4}$/.test(descriptor)) return readFileSync(Number(descriptor), "utf8").replace(/\r?\n$/, "");
  } catch {
    // Reported below, like an invalid number.
  }
  throw new SysError("EAUTH", "GSV_PASSWORD_FD is not a readable file descriptor", ["GSV_PASSWORD_FD=3 gsv … 3< FILE"]);
}
