// The official conformance suite of the Model Context Protocol, client side, in both protocols, against gsv's connections and calls. What it
// asks of signing in is tested where that is.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../support/scratch.ts";
import { drawn } from "../../support/soak.ts";

const ROOT = join(import.meta.dir, "../../..");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance");
const CLIENT = `${process.execPath} --no-env-file ${join(ROOT, "test/support/mcp/conformance-client.ts")}`;

const REQUIRED = ["2025-11-25", "2026-07-28"].flatMap((revision) => {
  const { client } = Bun.YAML.parse(readFileSync(join(SUITE, `requirements/${revision}.yaml`), "utf8")) as {
    readonly client: readonly string[];
  };
  return client.map((scenario) => [scenario, revision] as const);
});
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
  async (scenario, revision) => {
    const args = ["client", "--command", CLIENT, "--scenario", scenario, "--spec-version", revision];
    const child = Bun.spawn([process.execPath, "--bun", join(SUITE, "dist/index.js"), ...args], {
      cwd: scratchDirectory("conformance"),
      env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (status !== 0) console.error(output.slice(-6000), errors.slice(-2000));
    expect(status).toBe(0);
  },
  60_000,
);
