// Opens and closes the network listener of a kernel. Its address is stored in the settings, so that the next kernel listens there again.

import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { SettingName } from "../abi/config/config.ts";
import { storedKey } from "../abi/config/config-key.ts";
import { errnoText, messageOf, SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { LeaveReason } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { quoted } from "../lib/text/quote.ts";
import type { ConfigRows } from "../store/kernel/config.ts";
import type { ServeStatus, Serving } from "../syscalls/system/serve.ts";
import { LISTEN_DEFAULT, listenAddress } from "./listen-address.ts";
import type { Listener, ListenOptions } from "./listener.ts";
import { networksIn } from "./networks.ts";

type ListenChoice = Pick<ListenOptions, "address" | "hosts" | "tls" | "proxies"> & {
  /** Serve the objects under `public/`. */
  readonly isPublic: boolean;
};
export type Listen = (options: ListenChoice) => Promise<Listener>;

export interface ServingPorts {
  readonly rows: ConfigRows;
  readonly clock: Clock;
  readonly isPersonOfHome: (uid: number) => Promise<boolean>;
  readonly settings: () => Promise<{ readonly [name: string]: string }>;
  /** Null in a kernel that serves one command only. */
  readonly listen: () => Listen | null;
  readonly onFault: (error: unknown) => void;
}

export interface ServingParts {
  readonly service: Serving;
  readonly isOn: boolean;
  /** Where a browser reaches it; null while nothing listens. */
  readonly pageUrl: string | null;
  readonly clients: number;
  /** Listens again where the last kernel did. */
  begin(): Promise<void>;
  bye(why: LeaveReason): void;
  close(): Promise<void>;
}

/** The last kernel may still hold the port. */
const RETRY_MS = 100;
const RETRIES = 30;

export function servingParts(ports: ServingPorts): ServingParts {
  let open: Listener | null = null;
  let listen: string | null = null;
  let fault: string | null = null;
  let isPublic = false;
  let fingerprint: string | null = null;
  let leaving: Promise<void> = Promise.resolve();

  const status = async (): Promise<ServeStatus> => ({
    url: open?.url ?? null,
    clients: open?.clients ?? 0,
    listen,
    fault,
    public: open !== null && isPublic,
    fingerprint: open === null ? null : fingerprint,
  });

  async function opened(text: string, options: ListenChoice): Promise<Listener> {
    try {
      const listener = await listenerOf(ports)(options);
      fingerprint = options.tls === null ? null : await fingerprintOf(options.tls.cert);
      return listener;
    } catch (error) {
      throw notOpened(text, error);
    }
  }

  /** Not awaited: the call that closes it may have come through it, and is answered first. */
  function leave(before: Listener): void {
    leaving = before.close().catch(ports.onFault);
  }

  async function mayChange(caller: Caller): Promise<void> {
    listenerOf(ports);
    if (!(await ports.isPersonOfHome(caller.uid)))
      throw new SysError("EPERM", "only the person of this home and root open or close the listener");
  }

  async function keep(values: { readonly [K in SettingName]?: string }, uid: number): Promise<void> {
    const changes = Object.entries(values).map(([name, value]) => ({
      key: storedKey(name as SettingName, "system"),
      value: value === "" ? null : value,
    }));
    await ports.rows.change(changes, { uid, now: ports.clock.now() });
  }

  return {
    service: {
      status,
      async start({ caller }, asked) {
        await mayChange(caller);
        const stored = await ports.settings();
        const text = asked.listen ?? stored["serve.listen"] ?? LISTEN_DEFAULT;
        const tls = asked.tls ?? stored["serve.tls"] ?? "";
        const proxy = asked.proxy ?? stored["serve.proxy"] ?? "";
        const wantsPublic = asked.public ?? stored["serve.public"] === "true";
        const options = {
          ...(await optionsFrom(text, { ...stored, "serve.tls": tls, "serve.proxy": proxy })),
          isPublic: wantsPublic,
        };
        const before = open;
        // The same port cannot be bound twice.
        if (before !== null && listen === text) {
          await before.close();
          open = null;
        }
        try {
          open = await opened(text, options);
        } catch (error) {
          if (open === null) fault = messageOf(error);
          throw error;
        }
        if (before !== null && listen !== text) leave(before);
        // The next kernel listens on the same port, also if this one chose it.
        [listen, fault] = [text.replace(/:0+$/, `:${new URL(open.url).port}`), null];
        isPublic = wantsPublic;
        const kept = { "serve.listen": listen, "serve.tls": tls, "serve.proxy": proxy };
        await keep({ ...kept, "serve.public": isPublic ? "true" : "" }, caller.uid);
        return await status();
      },
      async stop({ caller }) {
        await mayChange(caller);
        await keep({ "serve.listen": "", "serve.tls": "", "serve.proxy": "", "serve.public": "" }, caller.uid);
        const before = open;
        [open, listen, fault] = [null, null, null];
        before?.bye("stop");
        if (before !== null) leave(before);
        return await status();
      },
    },
    get isOn() {
      return open !== null;
    },
    get pageUrl() {
      return open?.pageUrl ?? null;
    },
    get clients() {
      return open?.clients ?? 0;
    },
    async begin() {
      const stored = await ports.settings();
      const text = stored["serve.listen"] ?? "";
      if (text === "" || ports.listen() === null) return;
      listen = text;
      for (let tries = 0; open === null && listen === text; tries++) {
        try {
          const options = await optionsFrom(text, stored);
          open = await opened(text, options);
          [fault, isPublic] = [null, options.isPublic];
        } catch (error) {
          fault = messageOf(error);
          if (!(error instanceof SysError) || error.code !== "EBUSY" || tries >= RETRIES) return ports.onFault(error);
          await ports.clock.sleep(RETRY_MS);
        }
      }
    },
    bye: (why) => open?.bye(why),
    async close() {
      listen = null;
      await Promise.all([leaving, open?.close()]);
      open = null;
    },
  };
}

function listenerOf({ listen }: ServingPorts): Listen {
  const found = listen();
  if (found === null) throw new SysError("ECONFIG", "this kernel serves one command only", ["unset GSV_KERNEL"]);
  return found;
}

/** Without a kernel nothing listens. */
export function servingAtRest(settings: ServingPorts["settings"]): Pick<Serving, "status"> {
  return {
    status: async () => ({
      url: null,
      clients: 0,
      listen: (await settings())["serve.listen"] || null,
      fault: null,
      public: false,
      fingerprint: null,
    }),
  };
}

async function optionsFrom(text: string, stored: { readonly [name: string]: string }) {
  const tls = stored["serve.tls"] ?? "";
  const proxies = networksIn(stored["serve.proxy"] ?? "");
  const certificate = tls === "" ? null : await certificateIn(tls);
  const names = (stored["serve.hosts"] ?? "").split(",").map((name) => name.trim());
  const address = listenAddress(text, certificate !== null || proxies.length > 0);
  return {
    address,
    proxies,
    hosts: names.filter(Boolean),
    tls: certificate,
    isPublic: stored["serve.public"] === "true",
  };
}

async function certificateIn(tls: string): Promise<{ readonly cert: string; readonly key: string }> {
  const paths = tls.split(",").map((path) => path.trim());
  const [cert = "", key = ""] = paths;
  if (paths.length !== 2 || !paths.every(isAbsolute))
    throw new SysError("EINVAL", "--tls takes two files: the certificate and its key", [
      "for example: --tls cert.pem,key.pem",
    ]);
  const texts = { cert: textOf(cert), key: textOf(key) };
  const { createPrivateKey, X509Certificate } = await import("node:crypto");
  const certificate = parsed(() => new X509Certificate(texts.cert), `not a PEM certificate: ${quoted(cert)}`);
  const secret = parsed(() => createPrivateKey(texts.key), `not a PEM key without passphrase: ${quoted(key)}`);
  if (!certificate.checkPrivateKey(secret))
    throw new SysError("EINVAL", `${quoted(key)} is not the key of the certificate ${quoted(cert)}`);
  return texts;
}

/** A client without an authority for the certificate compares this. */
async function fingerprintOf(pem: string): Promise<string> {
  const { X509Certificate } = await import("node:crypto");
  return `sha256:${sha256Hex(new X509Certificate(pem).raw)}`;
}

function parsed<Part>(parse: () => Part, fault: string): Part {
  try {
    return parse();
  } catch {
    throw new SysError("EINVAL", fault, ["for example: --tls cert.pem,key.pem"]);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new SysError("ENOENT", `cannot read ${quoted(path)}: ${errnoText(error)}`);
  }
}

/** EAGAIN: the name has no address. */
const NOT_HERE = new Set(["EADDRNOTAVAIL", "EAGAIN", "ENOTFOUND"]);

function notOpened(address: string, error: unknown): SysError {
  const { code } = error as { code?: unknown };
  if (code === "EADDRINUSE")
    return new SysError("EBUSY", `another program listens on ${address}`, [
      "choose another port: gsv serve --listen HOST:PORT",
    ]);
  if (code === "EACCES")
    return new SysError("EACCES", `${address}: this account may not listen there; ports below 1024 need root`);
  if (NOT_HERE.has(String(code))) return new SysError("EINVAL", `not an address of this computer: ${address}`);
  return new SysError("EINVAL", `cannot listen on ${address}: ${messageOf(error)}`);
}
