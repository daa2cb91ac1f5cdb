// Entry and exit of people: `POST /api/login` exchanges a name and a password or a one-time code for a login, `POST /api/logout` ends it.

import { SysError } from "../abi/errno.ts";
import { json } from "./rest.ts";
import type { Visit } from "./route.ts";

const FIELDS = ["user", "password", "code", "label"] as const;
const CHARS_MAX = 1024;

/** With `cookie: true` the token becomes a cookie, and the answer has the key that the page must send with it. */
export async function answerLogin(visit: Visit): Promise<Response> {
  const body = await visit.object();
  const texts = textsIn(body);
  if (texts.code === undefined && (texts.user === undefined || texts.password === undefined))
    throw new SysError("EINVAL", "give user and password, or code, as texts");
  if (body.cookie !== undefined && typeof body.cookie !== "boolean")
    throw new SysError("EINVAL", "cookie must be true or false");
  const withKey = body.cookie === true;
  const { token, key, ...entered } = await visit.enter({ ...texts, withKey });
  if (!withKey) return json(200, { ...entered, token });
  return json(200, { ...entered, key }, { "set-cookie": cookieOf(visit, token, entered.expiresAt) });
}

export async function answerLogout(visit: Visit): Promise<Response> {
  await visit.object();
  const sys = await visit.open();
  try {
    const ended = await sys.call("sys.login.revoke", {});
    return json(200, ended, { "set-cookie": cookieOf(visit, "", 0) });
  } finally {
    await sys.close();
  }
}

function cookieOf({ cookie, isSecure }: Visit, value: string, endsAt: number): string {
  return `${cookie}=${value}; Path=/; Expires=${new Date(endsAt).toUTCString()}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}

function textsIn(body: { readonly [name: string]: unknown }): { readonly [K in (typeof FIELDS)[number]]?: string } {
  const texts: { [K in (typeof FIELDS)[number]]?: string } = {};
  for (const name of FIELDS) {
    const value = body[name];
    if (value === undefined) continue;
    if (typeof value !== "string" || value.length > CHARS_MAX)
      throw new SysError("EINVAL", `${name} must be a text of at most ${CHARS_MAX} characters`);
    texts[name] = value;
  }
  return texts;
}
