// The kernel that an invocation uses: --remote, GSV_SERVER, GSV_REMOTE, `gsv remote use`, or the home of this computer, in that order.

import { SysError } from "../../abi/errno.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import { type LineState, LOCAL, type RemoteServer, type SavedRemotes } from "../../abi/remote.ts";
import type { ClientInfo, Sys } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { openRemoteSys } from "../../rpc/remote.ts";
import { isLoopbackHost } from "../../serve/listen-address.ts";
import { syscallNamed } from "../../syscalls/table.ts";
import type { Env } from "./http.ts";
import { remotesFile } from "./place.ts";
import { proxyFor } from "./proxy.ts";
import { savedRemotes } from "./saved.ts";

export interface RemoteMachine {
  readonly env: Env;
  readonly info: ClientInfo;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onLine?: (state: LineState) => void;
  readonly onSignedOut?: (why: SysError) => void;
}

const TOKEN_HINT = "on that computer: gsv auth token create --label NAME";

/** `chosen` is the value of --remote. null: the home of this computer. */
export function remoteServer(env: Env, chosen: string | null): RemoteServer | null {
  const { GSV_SERVER: address = "", GSV_TOKEN: token = "", GSV_REMOTE: named = "" } = env;
  if (chosen !== null) return serverNamed(savedRemotes(remotesFile(env)), chosen);
  if (address !== "") {
    const url = originOf(address, "GSV_SERVER");
    if (token === "") throw new SysError("EAUTH", "GSV_SERVER needs a token in GSV_TOKEN", [TOKEN_HINT]);
    return { name: new URL(url).hostname, url, token: checkedToken(token, "GSV_TOKEN"), certificate: null };
  }
  const saved = savedRemotes(remotesFile(env));
  const name = named || saved.used();
  return name === null ? null : serverNamed(saved, name);
}

export function remoteSys(server: RemoteServer, { env, ...machine }: RemoteMachine): Sys {
  const classOf = async (name: string) => (await syscallNamed(name))?.class;
  return openRemoteSys({ ...machine, server, proxy: proxyFor(server.url, env), classOf });
}

function serverNamed(saved: SavedRemotes, name: string): RemoteServer | null {
  if (name === LOCAL) return null;
  const found = saved.list().find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new SysError("ENOENT", `no remote is named ${reveal(name.slice(0, 60))}`, [
    "gsv remote list shows them; gsv login URL adds one",
  ]);
}

function checkedToken(token: string, from: string): string {
  // As the header of a request it would fail without saying why.
  if (/^[\x21-\x7e]{1,256}$/.test(token)) return token;
  throw new SysError("EAUTH", `${from} is not a token: it has spaces or other characters`, [TOKEN_HINT]);
}

/** `from` names the text in errors. */
export function originOf(text: string, from: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.username !== "" || url.password !== ""))
    throw new SysError("ECONFIG", `${from} must not contain a name or a password`, [
      `for example: ${url.protocol}//${reveal(url.host)}`,
    ]);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
  if (!isOrigin || url.hash !== "")
    throw new SysError("ECONFIG", `${from} is not an address of a server: ${reveal(text.slice(0, 100))}`, [
      "for example: https://gsv.example:4870",
    ]);
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw new SysError("ECONFIG", `${from} ${reveal(text.slice(0, 100))} would send the token unencrypted`, [
      "use https, or a tunnel to a port of this computer: ssh -L 4870:127.0.0.1:4870 HOST",
    ]);
  return url.origin;
}
