// The list of models goes out with the version and the key of a chat, in the same headers.

import { expect, test } from "bun:test";
import { WIRES } from "../support/wire-bytes.ts";
import { accessOf } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";
import { eventsOf, requestOf } from "./requests.ts";

const OF_CLIENTS = /^(?:authorization|x-api-key|anthropic-version)$/;

for (const [name, wire] of Object.entries(WIRES))
  for (const key of ["key-of-the-tests-0123456789", null])
    test(`${name}, ${key === null ? "without" : "with"} a key`, async () => {
      using server = new WireServer(({ method, path }) =>
        method === "GET" || path.startsWith("/api/")
          ? { type: "application/json", body: '{"data":[],"models":[]}' }
          : { type: wire.type, body: wire.body({ text: ["fine"] }) },
      );
      const provider = wire.provider(accessOf(server.url, { apiKey: key }));
      await provider.models?.(new AbortController().signal);
      await eventsOf(provider, requestOf([{ user: "hi" }], wire.model));
      const [list, chat] = [server.requests[0], server.requests.at(-1)].map((request) =>
        Object.fromEntries(Object.entries(request?.headers ?? {}).filter(([header]) => OF_CLIENTS.test(header))),
      );
      expect(list).toEqual(chat!);
    });
