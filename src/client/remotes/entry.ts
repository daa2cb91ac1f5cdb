// Signs in to a kernel on another computer: checks what answers there, accepts its certificate, and exchanges a password or a code for a token.

import { isCode, SysError } from "../../abi/errno.ts";
import type { RemoteEntry, RemoteLogin, RemoteSecret } from "../../abi/remote.ts";
import { protocolIn } from "../../rpc/protocol.ts";
import { protocolFault } from "../../rpc/remote.ts";
import { wrongServer } from "../../rpc/websocket-link.ts";
import { isLoopbackHost } from "../../serve/listen-address.ts";
import { certificateAt, type HttpAnswer, requestAt } from "./http.ts";
import { originOf, type RemoteMachine, remoteSys } from "./server.ts";

export function remoteEntry(machine: RemoteMachine): RemoteEntry {
  const { info } = machine;
  return {
    urlOf(text) {
      const whole = /^[a-z]+:\/\//i.test(text) ? text : `${isLoopbackHost(hostIn(text)) ? "http" : "https"}://${text}`;
      return originOf(whole, "the URL");
    },
    async strangeCertificate(url) {
      return url.startsWith("https:") ? await certificateAt(url, machine) : null;
    },
    async check(at) {
      const { status, value } = await requestAt(at, machine, { path: "/healthz" });
      if (value.ok !== true) throw wrongServer(at.url, status);
      const { version, protocol } = value;
      if (typeof version !== "string") throw wrongServer(at.url, status);
      const fault = protocolFault(info, { version, protocol: protocolIn(protocol) }, new URL(at.url).hostname);
      if (fault !== null) throw fault;
    },
    async signIn(at, secret) {
      const { status, value } = await requestAt(at, machine, {
        path: "/api/login",
        body: { ...fieldsOf(secret), label: "gsv login" },
      });
      const { token, id, expiresAt } = value;
      if (typeof token === "string" && typeof id === "string")
        return { token, id, expiresAt: typeof expiresAt === "number" ? expiresAt : null } satisfies RemoteLogin;
      throw refusal(at.url, { status, value });
    },
    // Over HTTP, because the end of a login closes its websockets, sometimes before an answer.
    async signOut({ token, ...at }) {
      const { status, value } = await requestAt(at, machine, { path: "/api/logout", body: {}, token });
      if (status !== 200 && status !== 401) throw refusal(at.url, { status, value });
    },
    open: (server) => remoteSys(server, machine),
  };
}

function refusal(url: string, { status, value: { code, detail, hints } }: HttpAnswer): SysError {
  return new SysError(
    isCode(code) ? code : status === 429 ? "EAGAIN" : "EAUTH",
    typeof detail === "string" ? detail : `${url} refused the request (HTTP ${status})`,
    Array.isArray(hints) ? hints.filter((hint) => typeof hint === "string") : [],
  );
}

function fieldsOf(secret: RemoteSecret): object {
  return secret.kind === "code" ? { code: secret.code } : { user: secret.user, password: secret.password };
}

function hostIn(text: string): string {
  return URL.parse(`http://${text}`)?.hostname ?? "";
}
