// Lists of gsv's MCP server that do not fit into one result.

import { expect, test } from "bun:test";
import { listText } from "../../../commands/links/mcp-server/pages.ts";

const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ createdAt: 1000 + at, id: `task:${at}`, line: "x".repeat(1000) }));

test("a cut page continues after its last row, and a whole one where the kernel says", () => {
  const cut = listText(rows(60), "the kernel's", "(none)");
  const shown = cut.match(/^x+$/gm)?.length ?? 0;
  expect(cut.length).toBeLessThanOrEqual(40_000);
  expect(cut).toEndWith(`(more: call again with cursor "${999 + shown}:task:${shown - 1}")`);
  expect(listText(rows(2), "the kernel's", "(none)")).toEndWith(`(more: call again with cursor "the kernel's")`);
  expect(listText([], null, "(none)")).toBe("(none)");
});
