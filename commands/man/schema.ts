// `gsv schema`: JSON Schemas of gsv's output.

import { field } from "../../src/syscalls/define.ts";
import { command } from "../define.ts";
import { eventSchema, resultSchema } from "../events.ts";
import { printText } from "../print.ts";

const spec = {
  name: "schema",
  summary: "Print the JSON Schema of what gsv prints",
  input: {
    of: field.choice(
      "events: a line of gsv chat --output jsonl; result: the one object of --output json",
      ["events", "result"],
      {
        positional: true,
        meta: "WHAT",
      },
    ),
  },
  examples: ["gsv schema events > events.schema.json", "gsv schema result"],
  notes: [
    "A version only grows: what is required stays, and keys and types may come. Arguments of syscalls: gsv man syscalls.",
  ],
} as const;

export const schema = command(spec, async ({ args, json }, io) => {
  const schema = args.of === "events" ? eventSchema() : resultSchema();
  await printText(io.stdout, json ? JSON.stringify(schema) : JSON.stringify(schema, null, 2));
  return 0;
});
