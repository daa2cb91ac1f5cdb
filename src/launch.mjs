// The only file that runs under Node: the start of `npm start`, `npm test` and the other scripts on a computer with only Node and npm.
// Installs missing packages, then runs the project's own Bun with the same streams, signals and exit status. Prints nothing on stdout,
// and one line on stderr before an installation.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, "node_modules");
const BUN = join(MODULES, ".bin", "bun");
const STAMP = join(MODULES, ".installed-for");
const BUN_VERSION = "1.4.5";
const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ConnectionRefused|FailedToOpenSocket/;

// Bun reads .env files, bunfig.toml and tsconfig.json from the current directory; gsv must not load them. A tsconfig.json there can put
// its own modules in place of any import.
const TRUSTED = [
  "--no-env-file",
  `--config=${join(ROOT, "bunfig.toml")}`,
  `--tsconfig-override=${join(ROOT, "tsconfig.json")}`,
];

const SCRIPTS = {
  start: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "src", "main.ts"), ...args], cwd: personsDirectory() }),
  test: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "test", "run.ts"), ...args], cwd: ROOT }),
  "test:tmux": (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "test", "tmux.ts"), ...args], cwd: ROOT }),
  soak: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "test", "soak.ts"), ...args], cwd: ROOT }),
  build: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "src", "build.ts"), ...args], cwd: ROOT }),
  man: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "src", "man.ts"), ...args], cwd: ROOT }),
  bench: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "test", "bench", "run.ts"), ...args], cwd: ROOT }),
  shots: (args) => ({ argv: [BUN, ...TRUSTED, join(ROOT, "test", "shots.ts"), ...args], cwd: ROOT }),
  format: (args) => ({
    argv: [join(MODULES, ".bin", "biome"), "check", "--write", ...(args.length > 0 ? args : ["."])],
    cwd: ROOT,
  }),
};

main(process.argv[2] ?? "start", process.argv.slice(3));

function main(script, args) {
  if (!Object.hasOwn(SCRIPTS, script)) fail(`no script "${script}" (known: ${Object.keys(SCRIPTS).join(", ")})`, 2);
  if (Number.parseInt(process.versions.node, 10) < 20)
    fail(`Node ${process.version} is too old; install Node 20 or newer`, 78);
  install();
  handOver(SCRIPTS[script](args));
}

// npm changes to the project's directory first; INIT_CWD is the directory of the person.
function personsDirectory() {
  const from = process.env.INIT_CWD;
  if (from === undefined || !isAbsolute(from)) return process.cwd();
  return statSync(from, { throwIfNoEntry: false })?.isDirectory() ? from : process.cwd();
}

function install() {
  const wanted = fingerprint();
  if (existsSync(BUN) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return;
  process.stderr.write("gsv: installing missing packages ...\n");
  const answer = runInstaller();
  if (answer.status !== 0) {
    const output = `${answer.stdout ?? ""}${answer.stderr ?? ""}`.trim();
    if (answer.error) fail(`cannot run npx: ${answer.error.message}; is npm on PATH?`, 75);
    if (OFFLINE.test(output)) fail("cannot install packages: the registry does not answer; try again online", 75);
    process.stderr.write(`${output}\n`);
    fail("the installation failed: see the output above", 1);
  }
  // Bun is a placeholder until its install script runs, which npm's ignore-scripts setting prevents.
  if (!bunWorks()) run(process.execPath, [join(MODULES, "bun", "install.js")], ROOT);
  if (!bunWorks()) fail(`${BUN} does not run; remove node_modules and try again`, 1);
  writeFileSync(STAMP, wanted);
}

// Changes if the installed packages no longer fit.
function fingerprint() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${BUN_VERSION}\n`);
  for (const name of ["bun.lock", "package.json"]) hash.update(readFileSync(join(ROOT, name)));
  return `${hash.digest("hex")}\n`;
}

function runInstaller() {
  const command = ["install", "--frozen-lockfile", "--no-progress", `--cwd=${ROOT}`];
  if (bunWorks()) return run(BUN, command, ROOT);
  // Outside the project, because npx would take a half-installed Bun from its node_modules.
  const elsewhere = mkdtempSync(join(tmpdir(), "gsv-install-"));
  try {
    const answer = run(npx(), ["-y", `bun@${BUN_VERSION}`, ...command], elsewhere);
    if (!`${answer.stderr}`.includes("postinstall")) return answer;
    // An npx cache that was filled with ignore-scripts holds a Bun that does not start.
    return run(npx(), ["-y", `bun@${BUN_VERSION}`, ...command], elsewhere, {
      npm_config_cache: join(elsewhere, "cache"),
    });
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

function bunWorks() {
  const answer = spawnSync(BUN, ["--version"], { encoding: "utf8", env: installEnvironment() });
  return answer.status === 0 && answer.stdout.trim() === BUN_VERSION;
}

// The npx of this Node, not the first one on PATH.
function npx() {
  const beside = join(dirname(process.execPath), "npx");
  return existsSync(beside) ? beside : "npx";
}

function run(command, args, cwd, more = {}) {
  const env = { ...installEnvironment(), npm_config_ignore_scripts: "false", ...more };
  return spawnSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

// An installation needs the network settings (proxy, certificates, registry, caches), but neither the variables of the npm that runs this
// file nor options that load code.
function installEnvironment() {
  const kept = /^(?:NODE_EXTRA_CA_CERTS|BUN_INSTALL_CACHE_DIR|BUN_CONFIG_)/;
  const dropped =
    /^(?:BUN_|NODE_|npm_lifecycle_|npm_package_|npm_config_local_prefix$|npm_config_loglevel$|npm_command$|INIT_CWD$)/;
  return environment((name) => kept.test(name) || !dropped.test(name));
}

function environment(keep) {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => keep(name)));
}

function handOver({ argv: [command, ...args], cwd }) {
  const env = environment((name) => !/^(?:BUN_|NODE_|npm_|INIT_CWD$)/.test(name));
  let child;
  // A terminal sends ctrl-c to the whole group, so the child already has it. A second one would end it at once.
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (!atTerminal || signal === "SIGTERM" || signal === "SIGHUP") child.kill(signal);
    });
  }
  // After the handlers: a signal that comes at once must not end this process and leave the child behind.
  child = spawn(command, args, { cwd, env, stdio: "inherit" });
  child.on("error", (error) => fail(`cannot start ${command}: ${error.message}`, 1));
  child.on("exit", (status, signal) => process.exit(signal === null ? (status ?? 1) : 128 + constants.signals[signal]));
}

function fail(message, status) {
  process.stderr.write(`gsv: ${message}\n`);
  process.exit(status);
}
