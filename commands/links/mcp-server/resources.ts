// The messages of processes as resources: `gsv://proc/PID/messages`.

import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { SysError } from "../../../src/abi/errno.ts";
import { grants } from "../../../src/abi/identity.ts";
import { isPid } from "../../../src/abi/ids.ts";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import { sanitize } from "../../../src/lib/text/sanitize.ts";
import type { ProcessPage } from "../../../src/syscalls/services.ts";
import { historyOf } from "./process-tools.ts";
import type { ServerPorts } from "./tool.ts";

const PAGE = 200;
const TYPE = "text/plain";
const URI = /^gsv:\/\/proc\/([^/]+)\/messages$/;

export function uriOf(pid: string): string {
  return `gsv://proc/${pid}/messages`;
}

/** Returns what the client subscribed to, in the protocol with a handshake. */
export function offerResources(server: Server, ports: ServerPorts): ReadonlySet<string> {
  const subscribed = new Set<string>();
  const { sys, account } = ports;
  const mayRead = ["proc.history", "proc.list", "proc.get"].every((each) => grants(account.capabilities, each));
  server.setRequestHandler("resources/list", async ({ params }) => {
    if (!mayRead) return { resources: [] };
    const after = params?.cursor;
    const asked = { limit: PAGE, ...(after !== undefined && { after }) };
    const { processes, next } = await sys.call<ProcessPage>("proc.list", asked);
    return { resources: processes.map(resourceOf), ...(next !== null && { nextCursor: next }) };
  });
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: mayRead ? [TEMPLATE] : [],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await historyOf(sys, await readable(uri)).catch((error) => absent(uri, error));
    return { contents: [{ uri, mimeType: TYPE, text }] };
  });
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    await readable(uri);
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });

  async function readable(uri: string): Promise<string> {
    const pid = URI.exec(uri)?.[1] ?? "";
    if (!mayRead || !isPid(pid)) throw new ResourceNotFoundError(uri);
    await sys.call("proc.get", { pid }).catch((error) => absent(uri, error));
    return pid;
  }

  return subscribed;
}

const TEMPLATE = {
  uriTemplate: uriOf("{pid}"),
  name: "messages",
  title: "Messages of a process",
  description: "The newest messages of an agent",
  mimeType: TYPE,
};

function resourceOf({ pid, label }: ProcessInfo) {
  return { uri: uriOf(pid), name: pid, title: sanitize(label ?? pid), mimeType: TYPE };
}

function absent(uri: string, error: unknown): never {
  throw error instanceof SysError && error.code === "ESRCH" ? new ResourceNotFoundError(uri) : error;
}
