// A sign-in at a service. The person sees all host names before a browser opens. The answer comes to a port of this computer. It is pasted
// if the browser is on another computer, and not needed with a device code.

import { SysError } from "../../src/abi/errno.ts";
import type { OAuthAccount, OAuthKind, OAuthStarted } from "../../src/abi/links/oauth.ts";
import { field } from "../../src/syscalls/define.ts";
import type { BrowserAnswer, Io } from "../command.ts";
import { declared } from "../derive.ts";
import { agrees, canAsk } from "../io/consent.ts";
import { note } from "../io/status.ts";
import { stdinText } from "../io/stdin.ts";
import { printResult } from "../print.ts";

export const SIGN_IN_FIELDS = {
  port: field.optional(field.int("port for the answer of the browser (default: any)", { min: 1024, max: 65_535 })),
  secret: field.flag("read a client secret, unseen or from stdin"),
  device: field.flag("show a code to enter on another device"),
  browser: field.flag("do not open a browser", { flag: "no-browser" }),
};

export interface SignInAsked {
  readonly name: string;
  readonly kind: OAuthKind;
  readonly port?: number;
  readonly secret?: boolean;
  readonly device?: boolean;
  readonly browser?: boolean;
  readonly [more: string]: unknown;
}

export async function signIn(io: Io, asked: SignInAsked, json: boolean): Promise<number> {
  const account = await signedIn(io, asked, json);
  await printResult(io, (await declared("sys.oauth.finish")).cli.print, account, json);
  return 0;
}

export async function signedIn(
  io: Io,
  { secret, device, browser = true, port, ...asked }: SignInAsked,
  json: boolean,
): Promise<OAuthAccount> {
  const clientSecret = secret === true ? await typedSecret(io) : undefined;
  const fixed = port ?? (await knownPort(io, asked));
  const request = {
    ...asked,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(fixed !== undefined && { port: fixed }),
  };
  if (device === true) {
    const started = await io.sys().call<OAuthStarted>("sys.oauth.start", request);
    await showStarted(io, started);
    return await io.sys().call<OAuthAccount>("sys.oauth.finish", { flow: started.flow });
  }
  const answer = await (await io.machine.browser()).listen(fixed ?? null);
  try {
    const { redirectUri } = answer;
    const started = await io.sys().call<OAuthStarted>("sys.oauth.start", { ...request, redirectUri });
    const callback = await answered(io, started, { answer, opens: browser && canAsk(io, json) });
    return await io.sys().call<OAuthAccount>("sys.oauth.finish", { flow: started.flow, callback });
  } finally {
    answer.close();
  }
}

async function answered(
  io: Io,
  started: OAuthStarted,
  { answer, opens }: { readonly answer: BrowserAnswer; readonly opens: boolean },
): Promise<string> {
  const url = started.url ?? "";
  const state = new URL(url).searchParams.get("state") ?? "";
  const redirected = answer.answer(state);
  await showStarted(io, started);
  if (
    opens &&
    (await agrees(io, `Open ${started.signInHost} in the browser?`)) &&
    (await (await io.machine.browser()).open(url))
  ) {
    await note(io, "Waiting for the browser. ctrl-c cancels.");
    return await first(io, started, { redirected, pasted: null });
  }
  await note(io, "Open this address in a browser:");
  await io.stderr.write(`\n${url}\n\n`);
  return await first(io, started, { redirected, pasted: (leave) => pasted(io, leave) });
}

/** The redirect, or what the person pastes, whichever comes first. */
async function first(
  { clock }: Io,
  { expiresAt }: OAuthStarted,
  ways: { readonly redirected: Promise<string>; readonly pasted: ((leave: AbortSignal) => Promise<string>) | null },
): Promise<string> {
  const over = new AbortController();
  const late = clock.sleep(Math.max(0, expiresAt - clock.now()), over.signal).then(() => null);
  try {
    const paste = ways.pasted === null ? [] : [ways.pasted(over.signal)];
    const text = await Promise.race([ways.redirected, late, ...paste]);
    if (text === null) throw new SysError("ETIMEDOUT", "no answer came from the browser", ["begin again"]);
    return text;
  } finally {
    over.abort();
  }
}

/** Never resolves without a line: the redirect may still come. */
async function pasted(io: Io, leave: AbortSignal): Promise<string> {
  const never = new Promise<string>(() => {});
  if (io.stdin.kind === "none" || (io.stdin.isTTY && io.asksNobody)) return await never;
  if (!io.stdin.isTTY) {
    const line = (await stdinText(io, "or finish in the browser")).split("\n")[0]?.trim() ?? "";
    return line === "" ? await never : line;
  }
  const question = "If the page cannot be shown at the end, paste its address here: ";
  for (;;) {
    const line = await io.person.ask(question, leave).catch((error: unknown) => {
      if (leave.aborted) return null;
      throw error;
    });
    if (line === null) return await never;
    if (line.trim() !== "") return line.trim();
  }
}

async function typedSecret(io: Io): Promise<string> {
  const text = io.stdin.isTTY ? await io.person.askHidden("client secret: ") : await stdinText(io);
  const secret = text?.split("\n")[0]?.trim() ?? "";
  if (secret === "") throw new SysError("EUSAGE", "no client secret was given");
  return secret;
}

/** A port that the last sign-in used because the person asked for it. */
async function knownPort(io: Io, { name, kind }: Pick<SignInAsked, "name" | "kind">): Promise<number | undefined> {
  const { accounts } = await io.sys().call<{ readonly accounts: readonly OAuthAccount[] }>("sys.oauth.list", {});
  return accounts.find((row) => row.provider === name && row.kind === kind)?.callbackPort ?? undefined;
}

async function showStarted(
  io: Io,
  { provider, server, signInHost, tokenHost, scope, device }: OAuthStarted,
): Promise<void> {
  const lines = [
    `Sign in to ${provider}`,
    ...(server === null ? [] : [`  server          ${server}`]),
    `  you sign in at  ${signInHost}`,
    `  tokens from     ${tokenHost}`,
    `  rights          ${scope ?? "as the service decides"}`,
    ...(device === null ? [] : [`  page            ${device.url}`, `  code to enter   ${device.userCode}`]),
  ];
  for (const line of lines) await note(io, line);
}
