// `curl …/install.sh | sh` in real shells, against a real listener, with a stand-in for the binary.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { separateStores } from "../../fs/memory.ts";
import type { NewObject, ObjectStore } from "../../src/objects/objects.ts";
import { mirror } from "../../src/serve/bootstrap.ts";
import installSh from "../../src/serve/install/install.sh" with { type: "text" };
import type { Listener } from "../../src/serve/listener.ts";
import type { PublicObjects } from "../../src/serve/route.ts";
import { sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";
import { scratchDirectory } from "../support/scratch.ts";

const CLI = "public/gsv/downloads/cli";
const GOOD = '#!/bin/sh\n[ "$1" = --version ] && echo "gsv 1.2.3"\n';
const ASSETS = ["gsv-linux-x64", "gsv-linux-arm64", "gsv-linux-x64-musl", "gsv-darwin-arm64", "gsv-darwin-x64"];

const missing = ["curl", "dash", "bash"].filter((name) => Bun.which(name) === null);
if (missing.length > 0) console.warn(`install.sh is not tried: no ${missing.join(", ")} here`);
const inShells = test.skipIf(missing.length > 0);

const scratch = scratchDirectory("install");
const objects: ObjectStore = separateStores(() => 0, 16 * 1024 * 1024)(null);
let listener: Listener;
const asked: string[] = [];

beforeAll(async () => {
  const from = join(scratch, "from");
  mkdirSync(from);
  for (const name of ASSETS) writeFileSync(join(from, name), GOOD);
  const ports = {
    objects,
    clock: new FakeClock(),
    isPersonOfHome: async () => true,
    binary: null,
    temporary: () => scratch,
  };
  await mirror(ports, sam, { from, makeDefault: false });
  const publicObjects: PublicObjects = {
    head(key) {
      asked.push(key);
      return objects.head(key);
    },
    heads: (keys) => objects.heads(keys),
    read: (key, range) => objects.read(key, range),
  };
  listener = listening(new FakeDoor(), { publicObjects });
});
afterAll(async () => {
  await listener.close();
  rmSync(scratch, { recursive: true });
});

const own: Omit<NewObject, "key"> = {
  ...{ uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null },
};

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly home: string;
}

/** Runs a line of a shell in an empty home. */
async function run(shell: string, line: string, env: { readonly [name: string]: string } = {}): Promise<Ran> {
  const home = mkdtempSync(join(scratch, "home-"));
  const temporary = mkdtempSync(join(scratch, "tmp-"));
  const child = Bun.spawn([shell, "-c", line], {
    env: { HOME: home, PATH: process.env.PATH ?? "", TMPDIR: temporary, ...env },
    cwd: home,
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  const [stdout, stderr] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
  const status = await child.exited;
  expect(readdirSync(temporary)).toEqual([]);
  return { status, stdout, stderr, home };
}

const script = () => `${listener.url}/${CLI}/install.sh`;
const piped = (shell: string) => `curl -fsSL ${script()} | ${shell}`;
const everythingIn = (directory: string) => readdirSync(directory, { recursive: true }).map(String).sort();

inShells.each(["dash", "bash"])(
  "%s installs it from the server of the script, without root, and names the login",
  async (shell) => {
    const { status, stdout, stderr, home } = await run(shell, piped(shell));
    expect([status, stderr]).toEqual([0, expect.stringContaining(`from ${listener.url}`)]);
    expect(stdout).toBe(
      [
        `Installed ${home}/.local/bin/gsv (gsv 1.2.3)`,
        `Not in PATH. Add it: export PATH="${home}/.local/bin:$PATH"`,
        `To use the gsv of this server from here: gsv login ${listener.url}`,
        "",
      ].join("\n"),
    );
    expect(everythingIn(home)).toEqual([".local", ".local/bin", ".local/bin/gsv"]);
    expect(statSync(join(home, ".local/bin/gsv")).mode & 0o777).toBe(0o755);
  },
);

inShells("the directory, the channel and the server can be chosen; an older gsv is replaced", async () => {
  const directory = join(scratch, "chosen");
  mkdirSync(directory);
  writeFileSync(join(directory, "gsv"), "old");
  const env = { GSV_INSTALL_DIR: directory, GSV_CHANNEL: "stable", PATH: `${process.env.PATH}:${directory}` };
  const { status, stdout } = await run("dash", `curl -fsSL ${script()} | sh -s -- ${listener.url}/`, env);
  expect([status, stdout]).toEqual([0, expect.not.stringContaining("Not in PATH")]);
  expect([await Bun.file(join(directory, "gsv")).text(), readdirSync(directory)]).toEqual([GOOD, ["gsv"]]);
});

inShells.each([
  ["a wrong checksum", GOOD, `${"0".repeat(64)}  gsv\n`, "checksum"],
  ["an empty checksum", GOOD, "", "checksum"],
  ["a cut download", GOOD.slice(0, 20), null, "checksum"],
  ["a binary that does not run here", "#!/bin/sh\nexit 1\n", "right", "does not run"],
])("%s installs nothing", async (what, binary, sum, why) => {
  const channel = what.replaceAll(" ", "-");
  const right = new Bun.CryptoHasher("sha256").update(sum === "right" ? binary : GOOD).digest("hex");
  for (const name of ASSETS) {
    await objects.put({ key: `${CLI}/${channel}/${name}`, ...own }, Buffer.from(binary));
    const text = sum === null || sum === "right" ? `${right}  ${name}\n` : sum;
    await objects.put({ key: `${CLI}/${channel}/${name}.sha256`, ...own }, Buffer.from(text));
  }
  const { status, stdout, stderr, home } = await run("dash", piped("sh"), { GSV_CHANNEL: channel });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(why);
  expect(everythingIn(home).filter((path) => path.includes("gsv"))).toEqual([]);
  if (why === "checksum") expect(everythingIn(home)).toEqual([]);
});

inShells("cut at any place, it asks for nothing and changes nothing", async () => {
  const places = Array.from({ length: 30 }, (_, at) => Math.floor((installSh.length * at) / 30));
  const ends = [...installSh.matchAll(/\n/g)].map(({ index }) => index).slice(-3);
  const last = installSh.trimEnd().length;
  asked.length = 0;
  for (const [at, place] of [...places, ...ends, last - 1, last - 3, last - 6].entries()) {
    const path = join(scratch, `cut-${at}`);
    writeFileSync(path, installSh.slice(0, Math.min(place, last - 1)));
    const { home } = await run(at % 2 === 0 ? "dash" : "bash", `sh <${path}`, { GSV_BASE_URL: listener.url });
    expect([place, everythingIn(home)]).toEqual([place, []]);
  }
  expect(asked).toEqual([]);
  writeFileSync(join(scratch, "whole"), installSh.slice(0, last));
  expect((await run("dash", `sh <${scratch}/whole`, { GSV_BASE_URL: listener.url })).status).toBe(0);
});

/** A PATH with only these programs, and some that answer as another computer would. */
function programs(names: readonly string[], fakes: { readonly [name: string]: string } = {}): string {
  const directory = mkdtempSync(join(scratch, "bin-"));
  for (const name of names) symlinkSync(Bun.which(name) ?? `/nothing/${name}`, join(directory, name));
  for (const [name, text] of Object.entries(fakes)) {
    rmSync(join(directory, name), { force: true });
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return directory;
}

const BASE = ["sh", "uname", "mktemp", "rm", "mkdir", "cp", "chmod", "mv", "cat", "grep"];

inShells.each([
  ["wget and openssl", ["wget", "openssl"], 0, ""],
  ["curl and shasum", ["curl", "shasum"], 0, ""],
  ["neither curl nor wget", ["sha256sum"], 1, "curl or wget is needed"],
  ["nothing to check with", ["curl"], 1, "sha256sum, shasum or openssl is needed"],
])("a computer with %s", async (_what, tools, expected, error) => {
  const missing = tools.filter((name) => Bun.which(name) === null);
  if (missing.length > 0) return console.warn(`not tried: no ${missing.join(", ")} here`);
  const path = join(scratch, "install.sh");
  writeFileSync(path, installSh);
  // shasum is a Perl script.
  const PATH = programs([...BASE, ...tools, ...(tools.includes("shasum") ? ["perl"] : [])]);
  const { status, stderr } = await run("/bin/sh", `sh ${path}`, { PATH, GSV_BASE_URL: listener.url });
  expect([status, stderr]).toEqual([expected, expect.stringContaining(error)]);
});

const KERNEL = (name: string, machine: string) => `[ "$1" = -m ] && echo ${machine} || echo ${name}`;

inShells.each([
  ["gsv-linux-arm64", { uname: KERNEL("Linux", "aarch64"), ldd: "echo 'ldd (GNU libc) 2.36'" }],
  ["gsv-linux-x64-musl", { uname: KERNEL("Linux", "x86_64"), ldd: "echo 'musl libc (x86_64)' >&2; exit 1" }],
  ["gsv-darwin-x64", { uname: KERNEL("Darwin", "x86_64"), sysctl: "exit 1" }],
  ["gsv-darwin-arm64", { uname: KERNEL("Darwin", "x86_64"), sysctl: "echo 1" }],
  ["gsv-darwin-arm64", { uname: KERNEL("Darwin", "arm64") }],
])("%s is what such a computer gets", async (asset, fakes) => {
  const PATH = `${programs([], fakes)}:${process.env.PATH}`;
  const { status, stderr } = await run("dash", piped("sh"), { PATH });
  expect([status, stderr]).toEqual([0, expect.stringContaining(`Downloading ${asset} (stable)`)]);
});

inShells.each([
  ["FreeBSD", "amd64", "no gsv for FreeBSD"],
  ["Linux", "mips", "no gsv for the processor mips"],
])("there is none for %s on %s", async (name, machine, error) => {
  const PATH = `${programs([], { uname: KERNEL(name, machine) })}:${process.env.PATH}`;
  const { status, stderr, home } = await run("dash", piped("sh"), { PATH });
  expect([status, stderr, existsSync(join(home, ".local"))]).toEqual([1, expect.stringContaining(error), false]);
});

inShells("without a server it says how to name one", async () => {
  const path = join(scratch, "plain.sh");
  writeFileSync(path, installSh);
  const { status, stderr } = await run("dash", `sh ${path}`);
  expect([status, stderr]).toEqual([1, expect.stringContaining("GSV_BASE_URL")]);
});
