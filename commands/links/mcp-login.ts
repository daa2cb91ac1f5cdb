// `gsv mcp login` and `logout`: the tokens of servers that want a sign-in.

import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { printResult } from "../print.ts";
import { serverName } from "./mcp-call.ts";
import { SIGN_IN_FIELDS, signedIn } from "./sign-in.ts";

/** Of `gsv oauth start`, too. */
const LOGIN_FIELDS: readonly string[] = ["clientId", "scope", "issuer", "authorize", "token", "param"];

export async function mcpLogin() {
  const { input } = await declared("sys.oauth.start");
  const shared = Object.fromEntries(Object.entries(input).filter(([key]) => LOGIN_FIELDS.includes(key)));
  return command(
    {
      name: "mcp login",
      summary: "Sign in to a server",
      input: { name: serverName, ...SIGN_IN_FIELDS, ...shared },
      examples: [
        "gsv mcp login notes",
        "gsv mcp login notes --client-id gsv --port 4999",
        "gsv mcp login notes --device",
      ],
    },
    async ({ args, json }, io) => {
      await signedIn(io, { ...args, name: String(args.name), kind: "mcp-server" }, json);
      // Connects with the new token, and shows the tools that wait to be accepted.
      const { cli } = await declared("sys.mcp.refresh");
      await printResult(io, cli.print, await io.sys().call("sys.mcp.refresh", { name: args.name }), json);
      return 0;
    },
  );
}

export async function mcpLogout() {
  const { cli } = await declared("sys.oauth.forget");
  return command(
    {
      name: "mcp logout",
      summary: "Delete the tokens of a server",
      input: { name: serverName },
      examples: ["gsv mcp logout notes"],
    },
    async ({ args: { name }, json }, io) => {
      const result = await io.sys().call("sys.oauth.forget", { name, kind: "mcp-server" });
      await printResult(io, cli.print, result, json);
      return 0;
    },
  );
}
