// `npm run build`: one file, dist/gsv, split and with bytecode, so that a command loads only its own part. The binary never reads .env,
// bunfig.toml, tsconfig.json or package.json of the current directory. The file is renamed into place, so a running kernel is not disturbed.

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hotChunk } from "./bundle/hot-chunk.ts";
import { latePackages } from "./bundle/late-packages.ts";
import { leanSdks } from "./bundle/lean-sdks.ts";
import { leanShell } from "./bundle/lean-shell.ts";
import { readyMade } from "./bundle/ready-made.ts";
import { smallYoga } from "./bundle/small-yoga.ts";
import { COMMIT, VERSION } from "./version.ts";

const ROOT = dirname(import.meta.dir);
/** The entries of gsv. Nothing imports the entries of the Workers. */
export const GSV = {
  entry: join(import.meta.dir, "main.ts"),
  workers: ["shell", "code", "search"].map((name) => join(import.meta.dir, `workers/${name}-worker.ts`)),
  replaced: {
    "ready-made": 18,
    "without-devtools": 1,
    "lean-commander": 2,
    "lean-sdks": 53,
    "lean-shell": 1,
    "late-packages": 11,
    "small-yoga": 2,
  },
};

/** The dynamic imports of `gsv proc list`, which most commands share. */
const HOT = [
  "src/machine/io.ts",
  "commands/run.ts",
  "src/client/first-run.ts",
  "src/client/lazy.ts",
  "src/client/lazy-sign-in.ts",
  "src/client/remotes/here.ts",
  "src/lib/clock.ts",
  "src/abi/config/environment.ts",
  "commands/derive.ts",
  "commands/verbs.ts",
  "src/syscalls/proc/proc-list.ts",
  "src/paths.ts",
  "src/client/start/home-place.ts",
  "src/client/start/start-kernel.ts",
  "src/client/client.ts",
  "src/client/read.ts",
  "src/abi/errno.ts",
];

/** Starts a kernel before the hot modules are loaded. */
const EARLY = ["src/client/start/early-kernel.ts"];

export interface BuildOptions {
  readonly entry: string;
  readonly workers?: readonly string[];
  readonly outfile: string;
  readonly commit: string;
  /** The number of modules that each plugin must replace. */
  readonly replaced?: { readonly [plugin: string]: number };
}

/** Throws the errors of the bundler. */
export async function build({ entry, workers = [], outfile, commit, replaced }: BuildOptions): Promise<void> {
  mkdirSync(dirname(outfile), { recursive: true });
  const unfinished = `${outfile}.${process.pid}.new`;
  const counts: { [plugin: string]: number } = {};
  const counted = (plugin: Bun.BunPlugin) => counting(plugin, counts);
  const others = [withoutDevtools, leanCommander, leanSdks, leanShell, latePackages, smallYoga].map(counted);
  try {
    await Bun.build({
      entrypoints: [entry, ...workers],
      target: "bun",
      format: "esm",
      splitting: true,
      // In the binary all modules are in one directory, so the URL of a Worker must name a file beside its module.
      naming: "[name].[ext]",
      minify: true,
      bytecode: true,
      define: { GSV_BUILD_COMMIT: JSON.stringify(commit), "process.env.NODE_ENV": '"production"' },
      // Modules computed at build time come first: the hot chunk takes every other source.
      plugins: [counted(readyMade), hotChunk({ root: ROOT, modules: HOT, before: EARLY }), ...others],
      compile: {
        // With an option of its own, Bun starts in a deleted directory; without one, it fails before the first line of gsv.
        execArgv: ["--no-env-file"],
        outfile: unfinished,
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
    if (replaced !== undefined && !Bun.deepEquals(counts, replaced))
      throw new Error(
        `replaced modules: ${JSON.stringify(counts)}, expected: ${JSON.stringify(replaced)}. Has a dependency changed?`,
      );
    renameSync(unfinished, outfile);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** The plugin, with a count of the modules that it replaces: a release of a dependency must not change the binary silently. */
function counting(plugin: Bun.BunPlugin, counts: { [plugin: string]: number }): Bun.BunPlugin {
  const setup: Bun.BunPlugin["setup"] = (builder) => {
    const onLoad: typeof builder.onLoad = (filter, load) =>
      builder.onLoad(filter, async (module) => {
        const contents = await load(module);
        if (contents !== undefined) counts[plugin.name] = (counts[plugin.name] ?? 0) + 1;
        return contents;
      });
    return plugin.setup({ ...builder, onLoad, onResolve: (...asked) => builder.onResolve(...asked) });
  };
  return { ...plugin, setup };
}

// Commander imports node:child_process, for sub-commands that gsv does not use, and one function of node:util. Loading both costs commands
// with flags up to 2 ms, and 5 MiB. The bundler resolves modules of node before plugins, so the imports are removed from the source.
const leanCommander: Bun.BunPlugin = {
  name: "lean-commander",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]commander[\\/]lib[\\/]\w+\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text
        .replace("import childProcess from 'node:child_process';", "const childProcess = {};")
        .replace(
          "import { stripVTControlCharacters } from 'node:util';",
          "const stripVTControlCharacters = Bun.stripANSI;",
        );
      if (/node:(?:child_process|util)/.test(contents))
        throw new Error(`${path} imports otherwise than build.ts knows`);
      return contents === text ? undefined : { contents, loader: "js" };
    });
  },
};

// Ink imports this optional package for debugging. A binary with the open import does not start.
const withoutDevtools: Bun.BunPlugin = {
  name: "without-devtools",
  setup(builder) {
    builder.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: "react-devtools-core", namespace: "empty" }));
    builder.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "export default {};", loader: "js" }));
  },
};

function git(...args: string[]): string | null {
  const answer = Bun.spawnSync(["git", ...args], { cwd: ROOT, env: { PATH: process.env.PATH }, stderr: "ignore" });
  return answer.success ? answer.stdout.toString().trim() : null;
}

/** The commit, with a mark if the sources differ from it. */
function sourceCommit(): string {
  const commit = git("rev-parse", "--short=12", "HEAD");
  if (commit === null) return COMMIT;
  return git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit}+changes`;
}

if (import.meta.main) {
  const outfile = join(ROOT, "dist", "gsv");
  const commit = sourceCommit();
  await build({ ...GSV, outfile, commit });
  process.stdout.write(`dist/gsv: gsv ${VERSION} (${commit}), ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB\n`);
}
