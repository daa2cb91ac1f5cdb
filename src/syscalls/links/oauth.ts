// sys.oauth.*: sign-ins at other services. A person signs in; tokens are used by gsv alone and never read back.

import { OAUTH_KINDS, type OAuthAccount } from "../../abi/links/oauth.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall, value } from "../define.ts";
import type { OAuthForgotten, OAuthService } from "./oauth-service.ts";

type Service = { oauth: OAuthService };

const NAME_CHARS_MAX = 63;
const ADDRESS_CHARS_MAX = 2000;
const CALLBACK_CHARS_MAX = 16_384;

const name = field.text("its name", { positional: true, shortest: 1, longest: NAME_CHARS_MAX, meta: "NAME" });
const account = field.optional(
  field.text("name of one of several accounts at a service (default: default)", {
    longest: NAME_CHARS_MAX,
    meta: "NAME",
  }),
);
const address = (doc: string) => field.optional(field.text(doc, { longest: ADDRESS_CHARS_MAX, meta: "URL" }));

export const oauthCalls = [
  syscall({
    name: "sys.oauth.start",
    summary: "Sign in to a service",
    class: "keyed",
    // The answer has the state of the flow: it is not stored. A repeated call starts another flow, and this one expires.
    once: "verb",
    by: "person",
    input: {
      name: { ...name, doc: "a name for the account; of an MCP server, its name" },
      kind: field.withDefault(field.choice("what the account is for", OAUTH_KINDS), "generic"),
      account,
      label: field.optional(field.text("a note for you", { longest: 200, line: true })),
      issuer: address("service that publishes how to sign in"),
      authorize: address("page to sign in, if the service publishes nothing"),
      token: address("where gsv gets the tokens, with --authorize"),
      clientId: field.optional(
        field.text("id of gsv at the service", { longest: 2000, meta: "ID", flag: "client-id" }),
      ),
      clientSecret: field.optional(
        field.text("secret that belongs to the id", { longest: 2000, secret: true, hide: "cli" }),
      ),
      scope: field.optional(field.text("rights to ask for, such as 'read write'", { longest: 2000 })),
      resource: address("address that the token is for"),
      param: field.optional(
        field.words("further parameter of the sign-in page", { longest: 2000, meta: "NAME=VALUE" }),
      ),
      port: field.optional(field.int("port for the answer of the browser (default: any)", { min: 1024, max: 65_535 })),
      redirectUri: field.optional(field.text("where the browser answers", { longest: 200, hide: "cli" })),
    },
    run: ({ oauth }: Service, args, context) => oauth.start(context, args),
  }),

  syscall({
    name: "sys.oauth.finish",
    summary: "Finish a sign-in",
    class: "keyed",
    // The flow takes one answer.
    once: "verb",
    by: "person",
    input: {
      flow: field.uuid("the sign-in"),
      callback: field.optional(
        field.text("address that the browser was sent to", { longest: CALLBACK_CHARS_MAX, secret: true }),
      ),
    },
    cli: { hidden: true, print: value(accountText) },
    run: ({ oauth }: Service, args, context) => oauth.finish(context, args),
  }),

  syscall({
    name: "sys.oauth.list",
    summary: "List your accounts at other services",
    class: "read",
    by: "person",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv oauth list"],
      print: {
        kind: "table",
        rows: (result: { accounts: readonly OAuthAccount[] }) => result.accounts,
        empty: "(no accounts; to sign in to an MCP server: gsv mcp login NAME)",
        columns: [
          { head: "NAME", cell: (row: OAuthAccount) => nameText(row) },
          { head: "KIND", cell: "kind" },
          {
            ...{ head: "STATE", cell: (row: OAuthAccount) => (row.state === "login" ? "needs login" : row.state) },
            tone: (row: OAuthAccount) => (row.state === "login" ? "bad" : undefined),
          },
          { head: "EXPIRES", since: (row: OAuthAccount) => row.expiresAt ?? Number.NaN, minor: 1 },
          { head: "USED", since: (row: OAuthAccount) => row.lastUsedAt ?? Number.NaN, minor: 2 },
          { head: "AT", cell: (row: OAuthAccount) => hostOf(row.issuer) },
          { head: "SCOPE", cell: (row: OAuthAccount) => reveal(row.scope ?? "-"), shrink: true },
        ],
      },
    },
    run: ({ oauth }: Service, _args, context) => oauth.list(context),
  }),

  syscall({
    name: "sys.oauth.forget",
    summary: "Delete the tokens of an account",
    class: "keyed",
    by: "person",
    input: { name, kind: field.optional(field.choice("what the account is for", OAUTH_KINDS)), account },
    cli: {
      hidden: true,
      examples: ["gsv oauth forget notes"],
      print: value(
        ({ provider, revoked }: OAuthForgotten) =>
          `forgot ${provider}${revoked ? ", and its tokens are revoked" : "; its tokens were not revoked at the service"}`,
      ),
    },
    run: ({ oauth }: Service, args, context) => oauth.forget(context, args),
  }),
] as const;

function accountText(row: OAuthAccount): string {
  return `signed in to ${nameText(row)} at ${hostOf(row.issuer)}`;
}

function nameText({ provider, accountKey }: OAuthAccount): string {
  return accountKey === "default" ? provider : `${provider}/${accountKey}`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "-";
}
