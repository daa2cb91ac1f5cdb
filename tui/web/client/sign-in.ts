// Signing in: a one-time code from the address, or a name and a password, become a cookie, which no script can read, and a key, which this
// origin keeps. Neither is enough without the other.

import { SysError } from "../../../src/abi/errno.ts";

const KEPT = "gsv.key";
const CODE = /^#code=([A-Za-z0-9-]{4,64})$/;

export type Credentials = { readonly code: string } | { readonly user: string; readonly password: string };

/** The code in the address, which loses it at once: it must not stay in the history. */
export function takeCode(location: Location, history: History): string | null {
  const code = CODE.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}

export function keptKey(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    // Storage may be forbidden; then the login ends with the page.
    return keyOfPage;
  }
}

let keyOfPage: string | null = null;

export function keepKey(key: string | null): void {
  keyOfPage = key;
  try {
    if (key === null) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, key);
  } catch {}
}

/** Ends the login in the kernel too. It ends by itself one day if the kernel does not hear this. */
export async function signOut(): Promise<void> {
  const key = keptKey();
  keepKey(null);
  if (key === null) return;
  await fetch("/api/logout", { method: "POST", headers: { "x-gsv-key": key } }).catch(() => null);
}

export async function signIn(credentials: Credentials): Promise<void> {
  const response = await fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...credentials, cookie: true, label: "web console" }),
  }).catch(() => null);
  if (response === null) throw new SysError("EAGAIN", "gsv does not answer");
  const answer: unknown = await response.json().catch(() => null);
  const { key, detail } = (answer ?? {}) as { readonly key?: unknown; readonly detail?: unknown };
  if (!response.ok) throw new SysError("EAUTH", typeof detail === "string" ? detail : `refused (${response.status})`);
  if (typeof key !== "string") throw new SysError("EPROTO", "the login has no key");
  keepKey(key);
}
