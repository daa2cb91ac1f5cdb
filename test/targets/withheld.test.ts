// What a failed command missed in the sandbox, by its output: withheld.txt has a row for each.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { missedBy } from "../../src/targets/withheld.ts";

const rows = readFileSync(join(import.meta.dir, "withheld.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

test.each(rows)("%s", (row) => {
  const at = row.lastIndexOf(" |");
  const { network, ssh, gpg, paths } = missedBy(row.slice(0, at).replaceAll("\\n", "\n"));
  const found = [...(network ? ["net"] : []), ...(ssh ? ["ssh"] : []), ...(gpg ? ["gpg"] : []), ...paths];
  expect(found.join(" ")).toBe(row.slice(at + 2).trim());
});

test("of a long output the end counts, and each path once", () => {
  const line = (path: string) => `EROFS: read-only file system, open '${path}'\n`;
  expect(missedBy(`${line("/a/old")}${line("/a/b").repeat(1000)}`).paths).toEqual(["/a/b"]);
});
