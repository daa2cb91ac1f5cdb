// `gsv mcp serve`: gsv as an MCP server, over stdin and stdout. SIGINT, SIGTERM and the end of the input end it alike.

import { field } from "../../../src/syscalls/define.ts";
import { usageError } from "../../args.ts";
import { command } from "../../define.ts";

const spec = {
  name: "mcp serve",
  summary: "Serve gsv to programs with MCP",
  input: {
    allow: field.optional(
      field.text("capabilities it may use, such as proc.list,fs.* (default: those of all its tools)", {
        longest: 2000,
        meta: "CAPS",
      }),
    ),
  },
  examples: [
    "claude mcp add agents -- gsv mcp serve",
    "gsv mcp serve --allow proc.list,proc.get,proc.history < /dev/null",
  ],
  notes: ["A program starts it and talks to it over stdin and stdout. gsv man mcp shows how to add it."],
};

export const mcpServe = command(spec, async ({ args: { allow } }, io) => {
  if (io.stdin.isTTY || io.isScript)
    throw usageError(spec, "an MCP client starts it and talks to it over stdin and stdout");
  await io.kernel.start();
  const { serveLines } = await import("./over-stdio.ts");
  const words = allow?.split(",").map((each) => each.trim());
  return await serveLines(io, words?.filter((each) => each !== "") ?? null);
});
