// The scenarios about signing in of the official conformance suite of the Model Context Protocol, in both protocols.

import { expect, test } from "bun:test";
import { REQUIRED, statusOf } from "../../support/mcp/conformance.ts";
import { drawn } from "../../support/soak.ts";

const SIGN_INS = REQUIRED.filter(([scenario]) => scenario.startsWith("auth/"));

test("the suite asks for these numbers of scenarios", () => {
  const count = (asked: string) => SIGN_INS.filter(([, revision]) => revision === asked).length;
  expect([count("2025-11-25"), count("2026-07-28")]).toEqual([14, 25]);
});

test.each(drawn(1, SIGN_INS))(
  "scenario %s of %s passes",
  async (scenario, revision) => expect(await statusOf("oauth/conformance-client.ts", scenario, revision)).toBe(0),
  60_000,
);
