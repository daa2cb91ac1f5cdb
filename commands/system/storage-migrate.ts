// `gsv storage migrate`: moves all data to another driver. While the call runs, stderr shows the progress: one rewritten line on a
// terminal, else a line every 10 seconds.

import type { MoveProgress } from "../../src/abi/signal.ts";
import { sizeOfText } from "../../src/lib/text/size.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { type Migrated, storageCalls } from "../../src/syscalls/system/storage.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { note } from "../io/status.ts";
import { printResult } from "../print.ts";

const LINE_MS = 10_000;
const { name: call, summary, input, cli } = storageCalls[4];

export const migrate: Command = {
  ...command({ name: "storage migrate", summary, input, examples: cli.examples }, async ({ args, json }, io) => {
    const stop = json || io.isQuiet ? async () => {} : followed(io);
    const moved = await io.sys().call<Migrated>(call, args).finally(stop);
    await printResult(io, cli.print, moved, json);
    return 0;
  }),
  call,
};

/** Shows the progress until the returned function is called, which also clears the rewritten line. */
function followed(io: Io): () => Promise<void> {
  const { stderr, clock } = io;
  let isOpen = false;
  let shownAt = clock.mono();
  const deaf = io.sys().on({ names: ["storage.progress"] }, (signal) => {
    if (signal.name !== "storage.progress") return;
    if (stderr.isTTY) {
      isOpen = true;
      void stderr.write(`\r\x1b[K${cutWidth(progressText(signal), stderr.columns - 1)}`);
    } else if (clock.mono() - shownAt >= LINE_MS) {
      shownAt = clock.mono();
      void note(io, progressText(signal));
    }
  });
  return async () => {
    deaf();
    if (isOpen) await stderr.write("\r\x1b[K");
  };
}

function progressText({ files, filesTotal, bytes, bytesTotal }: MoveProgress): string {
  const [done, total] = [files, filesTotal].map((count) => count.toLocaleString("en-US"));
  return `storage: ${done} of ${total} ${filesTotal === 1 ? "file" : "files"}, ${sizeOfText(bytes, bytesTotal)}`;
}
