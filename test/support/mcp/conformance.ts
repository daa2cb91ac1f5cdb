// One scenario of the official conformance suite of the Model Context Protocol, client side.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../scratch.ts";

const ROOT = join(import.meta.dir, "../../..");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance");

/** Names and revisions of the required scenarios. */
export const REQUIRED = ["2025-11-25", "2026-07-28"].flatMap((revision) => {
  const { client } = Bun.YAML.parse(readFileSync(join(SUITE, `requirements/${revision}.yaml`), "utf8")) as {
    readonly client: readonly string[];
  };
  return client.map((scenario) => [scenario, revision] as const);
});

/** Its exit status. `client`: a file below test/support. */
export async function statusOf(client: string, scenario: string, revision: string): Promise<number> {
  const command = `${process.execPath} --no-env-file ${join(ROOT, "test/support", client)}`;
  const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", revision];
  const child = Bun.spawn([process.execPath, "--bun", join(SUITE, "dist/index.js"), ...args], {
    cwd: scratchDirectory("conformance"),
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) console.error(output.slice(-6000), errors.slice(-2000));
  return status;
}
