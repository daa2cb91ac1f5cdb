// gsv's MCP server on stdin and stdout. It works with a token made for it, which allows what its tools need and is revoked at the end: the
// program that started it is not the person.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { SysError } from "../../../src/abi/errno.ts";
import { grants } from "../../../src/abi/identity.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Io } from "../../command.ts";
import { gsvServer } from "./server.ts";
import { LineTransport } from "./stdio.ts";
import type { ServerPorts } from "./tool.ts";
import { capabilitiesFor } from "./tools.ts";
import { KEY_BYTES, type Who } from "./who.ts";

/** A server that is killed cannot revoke its token. */
const TOKEN_LIFE = "30d";

export async function serveLines(io: Io, allow: readonly string[] | null): Promise<number> {
  const own = io.sys();
  const person = await own.call<Who>("system.whoami", {});
  const login = await limitedLogin(io, person, allow);
  try {
    const transport = new LineTransport(io);
    const ended = Promise.withResolvers<void>();
    const stop = io.onEnding(() => ended.resolve());
    const ports = await portsOf(io, { person, sys: login.sys });
    const server = serveStdio(({ era }) => gsvServer(ports, { era, pushes: true }), {
      transport,
      onerror: (error) => void io.stderr.write(`gsv: ${error.message.split("\n")[0]}\n`),
    });
    await Promise.race([transport.ended, ended.promise]).finally(stop);
    await server.close();
    return 0;
  } finally {
    await login.end();
  }
}

async function portsOf(io: Io, { person, sys }: { readonly person: Who; readonly sys: Sys }): Promise<ServerPorts> {
  const isPerson = person.kind === "person" && grants(person.capabilities, "hil.answer");
  const { version } = await sys.call<{ version: string }>("sys.version", {});
  const attach = async () => (await io.sys().call<{ id: string }>("workspace.attach", { what: io.cwd })).id;
  const isHere = isPerson && (await io.remotes.current()) === null;
  return {
    sys,
    person: isPerson ? async () => io.sys() : null,
    clock: io.clock,
    version,
    account: await sys.call<Who>("system.whoami", {}),
    key: io.random(KEY_BYTES),
    here: isHere ? attach : null,
  };
}

/** A program with a limited token of its own, as GSV_TOKEN may name, makes no other. */
async function limitedLogin(io: Io, { kind }: Who, allow: readonly string[] | null) {
  if (kind !== "person") {
    if (allow === null) return { sys: io.sys(), end: async () => {} };
    throw new SysError("EPERM", "this token is limited already", ["leave out --allow"]);
  }
  const { id, token } = await io.sys().call<{ id: string; token: string }>("sys.token.create", {
    ...{ label: "gsv mcp serve", expires: TOKEN_LIFE, allow: capabilitiesFor(allow).join(",") },
  });
  const sys = io.sysWith(token);
  return {
    sys,
    async end() {
      await sys.close();
      await io
        .sys()
        .call("sys.token.revoke", { id, reason: "gsv mcp serve ended" })
        .catch(() => {});
    },
  };
}
