// sys.bootstrap: installs the shipped skills where they are missing, and on request fills the downloads under /public.

import { reveal } from "../../lib/text/sanitize.ts";
import { sizeText } from "../../lib/text/size.ts";
import { type CallContext, field, syscall, value } from "../define.ts";
import type { Bootstrapped } from "../repo/repo-service.ts";

export interface MirrorRequest {
  /** A directory of this computer with binaries, their checksums, and the assets of speech in tts; or the address of binaries. */
  readonly from?: string;
  readonly channel?: string;
  readonly makeDefault: boolean;
}

export interface MirroredFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** False: it was there with this content. */
  readonly changed: boolean;
}

export interface Mirrored {
  readonly defaultChannel: string;
  readonly mirroredChannels: readonly string[];
  readonly assets: readonly MirroredFile[];
}

export interface BootstrapAnswer extends Bootstrapped {
  /** Null if downloads were not asked for. */
  readonly cli: Mirrored | null;
}

export interface Bootstrapping {
  skills(context: CallContext): Promise<Bootstrapped>;
  mirror(context: CallContext, request: MirrorRequest): Promise<Mirrored>;
}

export function bootstrapText({ copied, kept, cli }: BootstrapAnswer): string {
  return [
    ...copied.map((path) => `new   ${path}`),
    ...kept.map((path) => `kept  ${path}`),
    ...(cli?.assets ?? []).map(
      ({ path, size, changed }) => `${changed ? "new " : "kept"}  ${reveal(path)}  ${sizeText(size)}`,
    ),
  ].join("\n");
}

export const bootstrapCall = syscall({
  name: "sys.bootstrap",
  summary: "Install missing shipped skills",
  class: "keyed",
  by: "person",
  input: {
    downloads: field.flag("also fill the downloads under /public", { hide: "cli" }),
    from: field.optional(
      field.text("directory of this computer, or address, with binaries", { longest: 4096, hide: "cli" }),
    ),
    channel: field.optional(field.text("channel of the binaries (default: stable)", { longest: 64, hide: "cli" })),
    makeDefault: field.flag("make it the channel that installers use", { hide: "cli" }),
  },
  cli: { hidden: true, examples: ["gsv skills update"], print: value(bootstrapText) },
  async run({ bootstrapping }: { bootstrapping: Bootstrapping }, args, context): Promise<BootstrapAnswer> {
    const { downloads, makeDefault = false, ...rest } = args;
    const cli = downloads ? await bootstrapping.mirror(context, { ...rest, makeDefault }) : null;
    return { ...(await bootstrapping.skills(context)), cli };
  },
});
