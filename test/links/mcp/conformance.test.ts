// The official conformance suite of the Model Context Protocol, client side, in both protocols, against gsv's connections and calls. What it
// asks of signing in is tested where that is.

import { expect, test } from "bun:test";
import { REQUIRED, statusOf } from "../../support/mcp/conformance.ts";
import { drawn } from "../../support/soak.ts";

const OWN = REQUIRED.filter(([scenario]) => !scenario.startsWith("auth/"));

test("the suite asks for these scenarios besides those of signing in", () => {
  expect(OWN.map((each) => each.join(" "))).toEqual([
    ...["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"].map(
      (name) => `${name} 2025-11-25`,
    ),
    ...[
      "tools_call",
      "request-metadata",
      "sep-2322-client-request-state",
      "http-standard-headers",
      "http-custom-headers",
    ].map((name) => `${name} 2026-07-28`),
    ...["http-invalid-tool-headers", "json-schema-ref-no-deref"].map((name) => `${name} 2026-07-28`),
  ]);
});

test.each(drawn(2, OWN))(
  "scenario %s of %s passes",
  async (scenario, revision) => expect(await statusOf("mcp/conformance-client.ts", scenario, revision)).toBe(0),
  60_000,
);
