// The text of a message, pulled in pieces: an answer of the kernel has a bounded size, a message of a model has none that a reader knows.

import type { Sys } from "../../src/abi/sys.ts";
import type { MessageText } from "../../src/syscalls/services.ts";

export interface Wanted {
  readonly pid?: string;
  /** The newest answer when left out. */
  readonly seq?: number;
}

/** All pieces, of the message the first one was of: a newer answer may come meanwhile. */
export async function* piecesOf(sys: Sys, request: Wanted) {
  let wanted: Wanted = request;
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: MessageText = await sys.call("proc.message", { ...wanted, offset });
    yield piece;
    wanted = { pid: piece.pid, seq: piece.seq };
    offset = piece.next;
  }
}

export async function wholeMessage(
  sys: Sys,
  request: Wanted,
): Promise<{ readonly pid: string; readonly seq: number; readonly text: string }> {
  const pieces = await Array.fromAsync(piecesOf(sys, request));
  const { pid, seq } = pieces[0]!;
  return { pid, seq, text: pieces.map(({ text }) => text).join("") };
}
