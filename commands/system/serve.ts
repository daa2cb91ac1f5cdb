// `gsv serve [code|status|stop]`: the kernel's listener on the network.

import { resolve } from "node:path";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { EntryCode } from "../../src/syscalls/account/login.ts";
import { field } from "../../src/syscalls/define.ts";
import { type ServeStatus, serveText } from "../../src/syscalls/system/serve.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { agreesToFiles, type FileFlags } from "../io/planned-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";
import { leave } from "./kernel.ts";

const WHAT = ["start", "code", "status", "stop", "install", "uninstall"] as const;

const spec = {
  name: "serve",
  summary: "Let programs use this kernel over the network",
  input: {
    what: field.withDefault(
      field.choice("start (default), code, status, stop, install or uninstall", WHAT, {
        positional: true,
        meta: "code|status|stop|install|uninstall",
      }),
      "start",
    ),
    listen: field.optional(
      field.text("address and port (default: 127.0.0.1:4870)", { longest: 300, meta: "HOST:PORT" }),
    ),
    tls: field.optional(field.text("files of the certificate and its key", { longest: 4096, meta: "CERT,KEY" })),
    behindProxy: field.optional(
      field.text("networks of the proxies before it, which say who the client is", { longest: 1000, meta: "CIDR" }),
    ),
    public: field.flag("serve everything under /public without a token"),
    yes: field.flag("do not ask before writing files", { letter: "y" }),
  },
  examples: [
    "gsv serve",
    "gsv serve --listen 127.0.0.1:8080",
    "gsv serve --public",
    "gsv serve code",
    "gsv serve status",
    "gsv serve stop",
    "gsv serve install",
  ],
  notes: [
    "The kernel keeps listening, also after a restart, until gsv serve stop. Every request needs a token of an\naccount: gsv auth token create. gsv man serve shows the calls.",
  ],
};

export const serve = command(
  spec,
  async ({ args: { what, listen, tls, behindProxy, public: isPublic, yes = false }, json }, io) => {
    const sys = io.sys();
    if (what === "code") return await printCode(io, json);
    if (what === "uninstall") return await uninstall(io, json);
    if (tls !== undefined) await io.remotes.onlyHere("certificates of this computer");
    const files = tls
      ?.split(",")
      .map((path) => resolve(io.cwd, path.trim()))
      .join(",");
    const asked = {
      ...(listen !== undefined && { listen }),
      ...(files !== undefined && { tls: files }),
      ...(behindProxy !== undefined && { proxy: behindProxy }),
      ...(isPublic && { public: true }),
    };
    if (what === "install") return await install(io, asked, { yes, json });
    const status =
      what === "start"
        ? await sys.call<ServeStatus>("serve.start", asked)
        : await sys.call<ServeStatus>(`serve.${what}`, {});
    if (json) await io.stdout.write(jsonLine(status));
    else await printText(io.stdout, serveText(status));
    if (what === "start" && !json) await doors(io);
    return status.fault === null ? 0 : 1;
  },
);

/** The service runs the kernel from now on, so the one that runs now stops. */
async function install(io: Io, asked: object, flags: FileFlags): Promise<number> {
  const service = await io.machine.serveService();
  if (!(await agreesToFiles(io, service.plan(null), { ...flags, again: "the same command with --yes" }))) return 1;
  const { listen } = await io.sys().call<ServeStatus>("serve.start", asked);
  await leave(io, "stop");
  try {
    await service.on(null);
  } catch (error) {
    await io.kernel.start().catch(() => {});
    throw error;
  }
  const { kind, files } = await service.status();
  if (flags.json) await io.stdout.write(jsonLine({ kind, files, listen }));
  else await printText(io.stdout, `The ${kind} serves ${reveal(listen ?? "")}: ${files.map(reveal).join(", ")}`);
  if (!flags.json && kind.startsWith("systemd"))
    await note(io, "to serve also while you are not logged in: loginctl enable-linger");
  return 0;
}

async function uninstall(io: Io, json: boolean): Promise<number> {
  const removed = await (await io.machine.serveService()).off();
  if (json) await io.stdout.write(jsonLine({ removed }));
  else if (removed.length === 0) await note(io, "gsv: no service is installed");
  else await note(io, `gsv: removed ${removed.map(reveal).join(", ")}; to stop listening too: gsv serve stop`);
  return 0;
}

async function printCode(io: Io, json: boolean): Promise<number> {
  const made = await io.sys().call<EntryCode>("sys.login.code", {});
  await printText(io.stdout, json ? jsonLine(made).trimEnd() : made.url);
  if (!json) await note(io, "the link works once, within ten minutes");
  return 0;
}

/** How to enter. A code is printed only where a person reads it. */
async function doors(io: Io): Promise<void> {
  if (io.stdout.isTTY) {
    const { url } = await io.sys().call<EntryCode>("sys.login.code", {});
    await printText(io.stdout, `open in a browser, once and within ten minutes: ${url}`);
  } else await note(io, "for a browser: gsv serve code");
  await note(io, "for a program, create a token: gsv auth token create --label NAME");
}
