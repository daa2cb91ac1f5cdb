// `gsv login URL`: signs in to a kernel on another computer and saves it as a remote. Secrets come from a hidden prompt or from stdin, never
// from the command line, which other users can read. A certificate that no authority vouches for is accepted by its fingerprint, once.

import { SysError } from "../../src/abi/errno.ts";
import {
  LOCAL,
  type RemoteAddress,
  type RemoteEntry,
  type RemoteLogin,
  type SavedRemote,
} from "../../src/abi/remote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import { usageError } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { agrees, canAsk } from "../io/consent.ts";
import { jsonLine, note } from "../io/status.ts";
import { stdinText } from "../io/stdin.ts";
import { printText } from "../print.ts";
import { revoke } from "./logout.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const spec = {
  name: "login",
  summary: "Sign in to gsv on another computer",
  input: {
    url: field.optional(field.text("address of the server", { positional: true, longest: 300, meta: "URL" })),
    name: field.optional(field.text("name of the remote (default: its host)", { longest: 63, meta: "NAME" })),
    user: field.optional(field.text("account there (default: asks)", { longest: 32, meta: "NAME" })),
    token: field.flag("read a token instead of a password"),
    code: field.flag("read a one-time code instead of a password"),
    fingerprint: field.optional(
      field.text("certificate to accept without asking", { longest: 71, meta: "sha256:HEX" }),
    ),
    use: field.flag("use it for all commands from now on"),
  },
  examples: [
    "gsv login https://gsv.example:4870",
    "gsv login https://gsv.example:4870 --user sam --name work",
    "gsv login http://127.0.0.1:4870 --token < token.txt",
  ],
  notes: [
    "On a terminal the secret is typed unseen; otherwise it is the first line of stdin. Then:\ngsv --remote NAME ps, or gsv remote use NAME. gsv logout NAME signs out. gsv login list shows\nthe logins at this kernel, gsv login revoke ID ends one.",
  ],
};

type Asked = { readonly [K in "user" | "name" | "fingerprint"]?: string } & {
  readonly token?: boolean;
  readonly code?: boolean;
  readonly use?: boolean;
};

/** A plain word as the first argument is a verb about the logins of this kernel; an address has a dot or a colon. */
export async function login(): Promise<Command> {
  const own = await noun("login", spec.summary, { list: "sys.login.list", revoke: "sys.login.revoke" });
  const verbs = own.verbs ?? new Map();
  const isVerb = (word: string) => /^[a-z]+$/.test(word) && word !== "localhost";
  return {
    ...signIn(),
    verbs,
    run(args, io) {
      const word = args.find((arg) => arg !== "--json") ?? "";
      if (!isVerb(word)) return signIn().run(args, io);
      if (verbs.has(word)) return own.run(args, io);
      throw new SysError("EUSAGE", `not an address of a server: ${reveal(word)}`, [
        `write gsv login https://${reveal(word)}:4870, or: gsv login list, gsv login revoke ID`,
      ]);
    },
  };
}

function signIn(): Command {
  return command(spec, async ({ args: { url, ...asked }, json }, io) => {
    if (url === undefined) return await possibilities(io);
    const entry = await io.remotes.entry();
    const remote = await signedIn(io, entry, { ...asked, url: entry.urlOf(url) });
    const { token: _, certificate, ...shown } = remote;
    if (json) await io.stdout.write(jsonLine({ ...shown, hasPinnedCertificate: certificate !== null }));
    else {
      await printText(io.stdout, `Signed in to ${remote.name} (${remote.url}) as ${reveal(remote.account)}`);
      await note(io, asked.use ? "all commands use it now; gsv remote use local goes back" : howToUse(remote.name));
    }
    return 0;
  });
}

function howToUse(name: string): string {
  return `to use it once: gsv --remote ${name} ps; from now on: gsv remote use ${name}`;
}

async function possibilities(io: Io): Promise<number> {
  if (!io.stdin.isTTY) throw usageError(spec, "give the address of a server");
  await printText(
    io.stderr,
    [
      "gsv login URL           sign in to gsv on another computer",
      "gsv login list          logins over the network here",
      "gsv remote list         saved computers",
      "gsv auth setup          choose a model and give its key",
      "gsv auth login NAME     act as another account of this computer",
    ].join("\n"),
  );
  return 2;
}

async function signedIn(io: Io, entry: RemoteEntry, asked: Asked & { readonly url: string }): Promise<SavedRemote> {
  if (asked.token && asked.code) throw usageError(spec, "--token and --code exclude each other");
  const saved = await io.remotes.saved();
  const name = nameFor(asked);
  const before = saved.list().find((each) => each.name === name);
  if (before !== undefined && before.url !== asked.url)
    throw new SysError("EEXIST", `the remote ${name} is ${before.url}`, [
      `give this one another name: gsv login ${asked.url} --name NAME`,
    ]);
  const at = { url: asked.url, certificate: await acceptedCertificate(io, entry, asked) };
  await entry.check(at);
  const signed = await tokenFrom(io, entry, { at, asked });
  const server = { ...at, name, token: signed.token };
  const sys = entry.open(server);
  try {
    const { username } = await sys.call<{ username: string }>("system.whoami", {});
    const { id: tokenId, expiresAt } = signed;
    const remote: SavedRemote = { ...server, account: username, tokenId, expiresAt };
    saved.save(remote);
    if (asked.use) saved.select(name);
    if (before !== undefined) await revoke(entry, before).catch(() => {});
    return remote;
  } finally {
    await sys.close();
  }
}

function nameFor({ url, name }: Asked & { readonly url: string }): string {
  const { hostname } = new URL(url);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const made =
    name ?? (isAddress ? hostname.replace(/[[\]]/g, "").replaceAll(":", "-") : (hostname.split(".")[0] ?? ""));
  if (!NAME.test(made) || made === LOCAL)
    throw new SysError("EUSAGE", `not a name for a remote: ${reveal(made)}`, [
      `letters, digits, dots and dashes: gsv login ${url} --name work`,
    ]);
  return made;
}

/** null if an authority vouches for it, or without TLS. */
async function acceptedCertificate(
  io: Io,
  entry: RemoteEntry,
  { url, fingerprint }: { readonly url: string; readonly fingerprint?: string },
): Promise<string | null> {
  const found = await entry.strangeCertificate(url);
  if (found === null) return null;
  if (fingerprint !== undefined) {
    if (fingerprint.toLowerCase().replaceAll(":", "") === found.fingerprint.replaceAll(":", "")) return found.pem;
    throw new SysError("ECONFIG", `the certificate of ${url} does not match --fingerprint`, [
      `its fingerprint is ${found.fingerprint}`,
    ]);
  }
  if (!canAsk(io, false))
    throw new SysError("ECONFIG", `no authority vouches for the certificate of ${url}`, [
      `compare it there, then add: --fingerprint ${found.fingerprint}`,
    ]);
  await note(io, `No authority vouches for the certificate of ${url}. Its fingerprint is`);
  await note(io, `  ${found.fingerprint}`);
  await note(io, "Compare it with the one that gsv serve status shows on that computer.");
  if (await agrees(io, "Accept this certificate from now on?")) return found.pem;
  throw new SysError("ECANCELED", "the certificate was not accepted; nothing was sent");
}

interface Offer {
  readonly at: RemoteAddress;
  readonly asked: Asked;
}

async function tokenFrom(
  io: Io,
  entry: RemoteEntry,
  { at, asked }: Offer,
): Promise<Omit<RemoteLogin, "id"> & { readonly id: string | null }> {
  if (asked.token) {
    const token = await secret(io, "token: ");
    if (!/^[\x21-\x7e]{1,256}$/.test(token)) throw new SysError("EAUTH", "that is not a token");
    return { token, id: null, expiresAt: null };
  }
  if (asked.code) return await entry.signIn(at, { kind: "code", code: await secret(io, "one-time code: ") });
  const user = asked.user ?? (await accountAsked(io));
  return await entry.signIn(at, { kind: "password", user, password: await secret(io, `password of ${user}: `) });
}

async function accountAsked(io: Io): Promise<string> {
  if (!canAsk(io, false)) throw usageError(spec, "give the account: --user NAME");
  const own = io.env.USER ?? "";
  const typed = (await io.person.ask(own === "" ? "account: " : `account [${reveal(own)}]: `)).trim();
  if (typed === "" && own === "") throw usageError(spec, "give the account: --user NAME");
  return typed || own;
}

async function secret(io: Io, prompt: string): Promise<string> {
  if (!io.stdin.isTTY) {
    const line = (await stdinText(io)).split(/\r?\n/)[0]?.trim() ?? "";
    if (line !== "") return line;
    throw new SysError("EAUTH", `no ${prompt.replace(/: $/, "")} on stdin`, [
      "its first line is read, for example: gsv login URL --token < FILE",
    ]);
  }
  const typed = await io.person.askHidden(prompt);
  if (typed === null || typed === "") throw new SysError("EAUTH", `no ${prompt.replace(/: $/, "")} was given`);
  return typed.trim();
}
