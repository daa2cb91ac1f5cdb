// `npm run man`: the manual as files for `man`, in dist/man: gsv(1), a page for each command (1) and syscall (2), and the pages that ship
// (7). They are made of the declarations and texts that gsv itself shows, and installed nowhere: `man -l dist/man/man1/gsv.1` reads one.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { manualFiles } from "../commands/man/man-files.ts";
import { COMMANDS } from "../commands/table.ts";
import { MANUAL } from "./prompts/manual.ts";
import { VERSION } from "./version.ts";

const OUT = join(dirname(import.meta.dir), "dist", "man");

const files = await manualFiles(MANUAL, VERSION, COMMANDS);
rmSync(OUT, { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  writeFileSync(join(OUT, path), text);
}
process.stdout.write(`dist/man: ${files.size} pages; man -l dist/man/man1/gsv.1\n`);
