// `gsv auth`: `login` saves a token for eight hours, so that `--user NAME` does not ask again; `logout` revokes it; `token` manages lasting
// tokens.

import type { TokenInfo } from "../../src/syscalls/account/account-service.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";
import { provider } from "./auth-provider.ts";
import { setup } from "./auth-setup.ts";
import { accountName } from "./sign-in.ts";

const KEPT_FOR = "8h";
const name = { name: field.text("the account", { positional: true, longest: 32, meta: "NAME" }) };

const login = command(
  {
    name: "auth login",
    summary: "Sign in for eight hours of --user",
    input: name,
    examples: ["gsv auth login root"],
  },
  async ({ args, json }, io) => {
    const who = accountName(args.name);
    io.signIn.as(who, "fresh");
    const { id, token, expiresAt } = await io.sys().call<TokenInfo & { token: string }>("sys.token.create", {
      kind: "user",
      label: "gsv auth login",
      expires: KEPT_FOR,
    });
    await io.signIn.keep(who, { id, token, expiresAt: expiresAt ?? 0 });
    const until = new Date(expiresAt ?? 0).toISOString();
    await printText(io.stdout, json ? jsonLine({ account: who, expiresAt }) : `signed in as ${who} until ${until}`);
    return 0;
  },
);

const logout = command(
  {
    name: "auth logout",
    summary: "Sign out and revoke the token",
    input: name,
    examples: ["gsv auth logout root"],
  },
  async ({ args, json }, io) => {
    const who = accountName(args.name);
    const kept = await io.signIn.kept(who);
    if (kept !== null) {
      io.signIn.as(who);
      try {
        await io.sys().call("sys.token.revoke", { id: kept.id, reason: "gsv auth logout" });
      } finally {
        // Even if the kernel refuses, the login is not used again here.
        await io.signIn.forget(who);
      }
    }
    const text = kept === null ? `not signed in as ${who}` : `signed out as ${who}`;
    await printText(io.stdout, json ? jsonLine({ account: who, signedOut: kept !== null }) : text);
    return 0;
  },
);

export async function auth(): Promise<Command> {
  const token = await noun("auth token", "Create, list and revoke tokens", {
    create: "sys.token.create",
    list: "sys.token.list",
    revoke: "sys.token.revoke",
  });
  return noun("auth", "Sign in, sign out, manage tokens", { setup, login, logout, provider, token });
}
