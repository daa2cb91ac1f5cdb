// `gsv auth setup` is in a file of its own. `gsv auth login|logout NAME` keeps a token of eight hours, so that `--user NAME` asks no more; `gsv auth token …` makes lasting ones.

import type { TokenInfo } from "../../src/syscalls/account/account-service.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Verb } from "../command.ts";
import { command } from "../define.ts";
import { domainCommand, verbOf } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";
import { provider, providerInput } from "./auth-provider.ts";
import { setup } from "./auth-setup.ts";
import { accountName } from "./sign-in.ts";

const KEPT_FOR = "8h";
const name = { name: field.text("the account", { positional: true, longest: 32, meta: "NAME" }) };

const loginSpec = {
  name: "auth login",
  summary: "Sign in for eight hours of --user",
  input: name,
  examples: ["gsv auth login root"],
};

const login = command(loginSpec, async ({ args, json }, io) => {
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
});

const logoutSpec = {
  name: "auth logout",
  summary: "Sign out and revoke the token",
  input: name,
  examples: ["gsv auth logout root"],
};

const logout = command(logoutSpec, async ({ args, json }, io) => {
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
});

export async function auth(): Promise<Command> {
  const tokens = new Map([
    ["create", await verbOf("sys.token.create", "auth token create")],
    ["list", await verbOf("sys.token.list", "auth token list")],
    ["revoke", await verbOf("sys.token.revoke", "auth token revoke")],
  ]);
  const verbs = new Map<string, Verb>([
    ["setup", { summary: setup.summary, input: {}, load: () => setup }],
    ["login", { summary: loginSpec.summary, input: name, load: () => login }],
    ["logout", { summary: logoutSpec.summary, input: name, load: () => logout }],
    [
      "provider",
      {
        summary: "Save the API key of a provider",
        input: providerInput,
        load: () => provider,
      },
    ],
    [
      "token",
      {
        summary: "Create, list and revoke tokens",
        input: {},
        load: () => domainCommand("auth token", tokens, "Create, list and revoke tokens"),
      },
    ],
  ]);
  return domainCommand("auth", verbs, "Sign in, sign out, manage tokens");
}
