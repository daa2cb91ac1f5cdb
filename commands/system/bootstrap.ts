// `gsv bootstrap`: fills the downloads that this kernel serves under /public.

import { resolve } from "node:path";
import { field } from "../../src/syscalls/define.ts";
import { type BootstrapAnswer, bootstrapText } from "../../src/syscalls/system/bootstrap.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

const spec = {
  name: "bootstrap",
  summary: "Offer gsv to other computers for download",
  input: {
    from: field.optional(
      field.text("directory or address with binaries (default: only this one)", { longest: 4096, meta: "DIR|URL" }),
    ),
    channel: field.optional(field.text("channel of the binaries (default: stable)", { longest: 64, meta: "NAME" })),
    default: field.flag("make it the channel that installers use"),
  },
  examples: [
    "gsv bootstrap",
    "gsv bootstrap --from ./dist --channel dev",
    "gsv bootstrap --from https://gsv.example:4870/public/gsv/downloads/cli/stable",
    "gsv serve --public",
  ],
  notes: [
    "Stores the binaries, their checksums and the installers below /public/gsv. Files in DIR are named like\ngsv-linux-x64; a file gsv-linux-x64.sha256 is checked. DIR/tts holds the assets of speech.\nAt a URL, each binary needs its checksum.",
    "gsv serve --public serves everything below /public to everybody, read-only and without a token.",
  ],
};

export const bootstrap = command(spec, async ({ args, json }, io) => {
  const { from, channel, default: makeDefault } = args;
  if (from !== undefined) await io.remotes.onlyHere("files of this computer");
  const answer = await io.sys().call<BootstrapAnswer>("sys.bootstrap", {
    downloads: true,
    ...(from !== undefined && { from: /^https?:\/\//.test(from) ? from : resolve(io.cwd, from) }),
    ...(channel !== undefined && { channel }),
    ...(makeDefault && { makeDefault }),
  });
  if (json) await io.stdout.write(jsonLine(answer));
  // Skills that were there already are no news here.
  else await printText(io.stdout, bootstrapText({ ...answer, kept: [] }));
  const changed = (answer.cli?.assets ?? []).filter((asset) => asset.changed).length;
  if (!json) await note(io, changed === 0 ? "everything is up to date" : "to serve them: gsv serve --public");
  return 0;
});
