// `gsv serve [status|stop]`: the kernel's listener on the network.

import { resolve } from "node:path";
import { field } from "../../src/syscalls/define.ts";
import { type ServeStatus, serveText } from "../../src/syscalls/system/serve.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

const spec = {
  name: "serve",
  summary: "Let programs use this kernel over the network",
  input: {
    what: field.withDefault(
      field.choice("start (default), status or stop", ["start", "status", "stop"], {
        positional: true,
        meta: "status|stop",
      }),
      "start",
    ),
    listen: field.optional(
      field.text("address and port (default: 127.0.0.1:4870)", { longest: 300, meta: "HOST:PORT" }),
    ),
    tls: field.optional(field.text("files of the certificate and its key", { longest: 4096, meta: "CERT,KEY" })),
    public: field.flag("serve everything under /public without a token"),
  },
  examples: [
    "gsv serve",
    "gsv serve --listen 127.0.0.1:8080",
    "gsv serve --public",
    "gsv serve status",
    "gsv serve stop",
  ],
  notes: [
    "The kernel keeps listening, also after a restart, until gsv serve stop. Every request needs a token of an\naccount: gsv auth token create. gsv man serve shows the calls.",
  ],
};

export const serve = command(spec, async ({ args: { what, listen, tls, public: isPublic }, json }, io) => {
  const sys = io.sys();
  const files = tls
    ?.split(",")
    .map((path) => resolve(io.cwd, path.trim()))
    .join(",");
  const asked = {
    ...(listen !== undefined && { listen }),
    ...(files !== undefined && { tls: files }),
    ...(isPublic && { public: true }),
  };
  const status =
    what === "start"
      ? await sys.call<ServeStatus>("serve.start", asked)
      : await sys.call<ServeStatus>(`serve.${what}`, {});
  if (json) await io.stdout.write(jsonLine(status));
  else await printText(io.stdout, serveText(status));
  if (what === "start" && !json) await note(io, "for a client, create a token: gsv auth token create --label NAME");
  return status.fault === null ? 0 : 1;
});
