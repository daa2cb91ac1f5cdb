// gsv and the kernel with a crash plan as the tests run them: the binary if it is newer than every source, which is four times as fast,
// else from the sources. `npm test` has both built; `bun test/support/program.ts` builds the kernel.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const FOLDERS = ["src", "commands", "fs", "tui"];

interface Program {
  readonly binary: string;
  readonly source: string;
  /** Its sources. */
  readonly folders: readonly string[];
}

const PROGRAM: Program = { binary: join(ROOT, "dist/gsv"), source: join(ROOT, "src/main.ts"), folders: FOLDERS };
const CRASH_KERNEL: Program = {
  binary: join(ROOT, "dist/crash-kernel"),
  source: join(import.meta.dir, "crash-kernel.ts"),
  folders: [...FOLDERS, "test/support"],
};

const commands = new Map<Program, readonly string[]>();

function commandOf(program: Program): readonly string[] {
  const known = commands.get(program);
  if (known !== undefined) return known;
  const command = isFresh(program) ? [program.binary] : fromSource(program);
  commands.set(program, command);
  return command;
}

// With the flags of `npm start`: a hostile working directory changes nothing.
function fromSource({ source }: Program): readonly string[] {
  const own = [`--config=${join(ROOT, "bunfig.toml")}`, `--tsconfig-override=${join(ROOT, "tsconfig.json")}`];
  return [process.execPath, "--no-env-file", ...own, source];
}

export function gsvCommand(): readonly string[] {
  return commandOf(PROGRAM);
}

export function gsvFromSource(): readonly string[] {
  return fromSource(PROGRAM);
}

export function crashKernelCommand(): readonly string[] {
  return commandOf(CRASH_KERNEL);
}

export function isCompiled(): boolean {
  return gsvCommand()[0] === PROGRAM.binary;
}

function isFresh({ binary, folders }: Program): boolean {
  const built = statSync(binary, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return sources.every((path) => statSync(path).mtimeMs <= built);
}

if (import.meta.main && !isFresh(CRASH_KERNEL)) {
  const { build, GSV } = await import("../../src/build.ts");
  const { source, binary } = CRASH_KERNEL;
  await build({ entry: source, workers: GSV.workers, outfile: binary, commit: "source" });
}
