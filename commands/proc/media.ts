// `gsv media list|put|get|rm PID …`: pictures, sound and documents of a process. Bytes come from a file of this computer or stdin, and go
// to stdout unchanged; a terminal gets only text.

import { SysError } from "../../src/abi/errno.ts";
import { uuidv7 } from "../../src/abi/ids.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import { field } from "../../src/syscalls/define.ts";
import { mediaCalls } from "../../src/syscalls/proc/media.ts";
import type { MediaInfo, MediaTaken } from "../../src/syscalls/system/storage.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { evenly } from "../files/copy/gsv-side.ts";
import { printPieces } from "../io/foreign-output.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

const [, putCall, getCall] = mediaCalls;

export function media(): Promise<Command> {
  return noun("media", "List and save media of a process", { list: "proc.media.list", put, get, rm: "proc.media.rm" });
}

const put: Command = command(
  {
    name: "media put",
    summary: putCall.summary,
    input: {
      pid: putCall.input.pid,
      file: field.optional(field.text("file on this computer (default stdin)", { positional: true, meta: "FILE" })),
    },
    examples: putCall.cli.examples,
    notes: ["The type is detected from the contents, not the name."],
  },
  async ({ args, json }, io) => {
    const taken = await mediaSent(io, args.pid, await sourceOf(io, args));
    if (json) await io.stdout.write(jsonLine(taken));
    else {
      await printText(io.stdout, taken.id);
      await note(io, `${taken.type}, ${sizeText(taken.bytes)}: ${taken.path}`);
    }
    return 0;
  },
);

async function sourceOf(io: Io, { pid, file = "-" }: { readonly pid: string; readonly file?: string }) {
  if (file !== "-") return (await io.host()).read(file);
  if (io.stdin.isTTY || io.stdin.kind === "none")
    throw new SysError("EUSAGE", "no file given and nothing on stdin", [`gsv media put ${pid} FILE`]);
  return io.stdin.bytes();
}

/** Uploads a file; its type comes from its bytes. */
export async function mediaSent(io: Io, pid: string, source: AsyncIterable<Uint8Array>): Promise<MediaInfo> {
  const id = uuidv7(io.clock.now(), io.random);
  let [held, offset] = [new Uint8Array(), 0];
  const send = async (piece: Uint8Array, more: boolean) => {
    const data = Buffer.from(piece).toString("base64");
    const taken = await io.sys().call<MediaTaken>("proc.media.put", { pid, id, offset, data, more });
    offset += piece.byteLength;
    return taken.media;
  };
  // The last piece is marked, so each piece waits for the next.
  for await (const piece of evenly(source)) {
    if (held.byteLength > 0) await send(held, true);
    held = new Uint8Array(piece);
  }
  const whole = await send(held, false);
  if (whole === null) throw new SysError("EPROTO", "the kernel expects more of it");
  return whole;
}

const get: Command = command(
  {
    name: "media get",
    summary: getCall.summary,
    input: { pid: getCall.input.pid, id: getCall.input.id },
    examples: getCall.cli.examples,
    notes: ["A terminal gets text only. Files and pipes get the bytes unchanged."],
  },
  async ({ args: { pid, id }, json }, io) => {
    const first: Page = await io.sys().call<Page>("proc.media.get", { pid, id });
    const pages = pagesFrom(io, first);
    if (json) for await (const page of pages) await io.stdout.write(jsonLine(page));
    else await printPieces(io, first.media.path, bytesIn(pages));
    return 0;
  },
);

async function* pagesFrom(io: Io, first: Page): AsyncGenerator<Page> {
  const { pid, id } = first.media;
  for (let page = first; ; ) {
    yield page;
    if (page.next === null) return;
    page = await io.sys().call<Page>("proc.media.get", { pid, id, offset: page.next });
  }
}

async function* bytesIn(pages: AsyncIterable<Page>): AsyncGenerator<Uint8Array> {
  for await (const { data } of pages) yield Buffer.from(data, "base64");
}

interface Page {
  readonly media: MediaInfo;
  readonly data: string;
  readonly next: number | null;
}
