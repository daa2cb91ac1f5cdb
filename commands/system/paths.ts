// `gsv paths`: the paths of a home, existing or not.

import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { aligned } from "../man/help-text.ts";
import { printText } from "../print.ts";

const spec = {
  name: "paths",
  summary: "Print the paths of the home",
  input: {},
  examples: ["gsv paths", "gsv paths --json"],
};

export const paths = command(spec, async ({ json }, io) => {
  const places = await io.machine.places();
  if (json) await io.stdout.write(jsonLine(Object.fromEntries(places.map(({ name, path }) => [name, path]))));
  else await printText(io.stdout, aligned(places.map(({ name, path }) => [name, path ?? "-"])).join("\n"));
  return 0;
});
