// Files that are not backups, or hostile ones: each is refused in one line with the reason, and nothing is written to the home.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { SysError } from "../../src/abi/errno.ts";
import { END } from "../../src/backup/tar.ts";
import { consistent, keepingOf, type Part, partsOf, tarOf, treeOf, withManifest } from "../support/keeping.ts";
import { TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";
import { rejection } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { samples } from "../support/soak.ts";

const directory = scratchDirectory("hostile");
const good = join(directory, "good.tar");
let parts: Part[] = [];

beforeAll(async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  await home.sys.call("fs.write", { path: "~/a.md", content: "a file" });
  await home.sys.call("proc.reset", {});
  await home.say("again");
  await keepingOf(home.directory, home.clock).backup(good, { force: false });
  parts = partsOf(good);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The error of a restore of these bytes into an empty home, which must be empty afterwards. */
async function refusal(bytes: Uint8Array): Promise<SysError> {
  const file = join(directory, "hostile.tar");
  const home = join(directory, "home");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(file, bytes);
  const error = await rejection(keepingOf(home).restore(file, { force: false }));
  const left = treeOf(home).filter((line) => !line.startsWith("run/"));
  expect(left).toEqual([]);
  expect(treeOf(directory).filter((line) => /^(?:home|good|hostile)/.test(line) === false)).toEqual([]);
  return error;
}

const text = (content: string) => Buffer.from(content);
const typed = (type: string) => (block: Buffer) => void block.write(type, 156);
const extra = (name: string, spoil?: Part["spoil"]) =>
  tarOf([...parts, { name, bytes: text("x"), ...(spoil && { spoil }) }]);

/** The parts with kernel.db changed by a script, and a manifest that agrees. */
function withDatabase(name: string, change: (db: Database) => void): Buffer {
  const path = join(directory, "good-changed.db");
  const part = parts.find((each) => each.name.startsWith(name));
  writeFileSync(path, part?.bytes ?? "");
  const db = new Database(path);
  change(db);
  db.close();
  const bytes = readFileSync(path);
  return tarOf(consistent(parts.map((each) => (each === part ? { ...each, bytes } : each))));
}

const HOSTILE: { readonly [what: string]: readonly [make: () => Uint8Array, says: RegExp] } = {
  "an empty file": [() => text(""), /ends too soon/],
  "a text file": [() => text("hello\n".repeat(1000)), /is no tar file/],
  "only an end": [() => Buffer.from(END), /it is empty/],
  "another tar": [() => tarOf([{ name: "a.txt", bytes: text("a") }]), /not a backup of gsv/],
  "an absolute path": [() => extra("/etc/passwd"), /"\/etc\/passwd" is not in its manifest/],
  "a path that leads out": [() => extra("../../outside"), /"..\/..\/outside" is not in its manifest/],
  "a hidden path that leads out": [() => extra("proc/../../outside.db"), /is not in its manifest/],
  "a symbolic link": [() => extra("proc/link", typed("2")), /a symbolic link/],
  "a hard link": [() => extra("kernel.db", typed("1")), /a hard link/],
  "a device": [() => extra("objects/dev", typed("3")), /a device/],
  "a pipe": [() => extra("objects/pipe", typed("6")), /a pipe/],
  "a directory": [() => extra("objects/", typed("5")), /a directory/],
  "a long name": [() => extra("././@LongLink", typed("L")), /not a plain file/],
  "a name in two pieces": [() => extra("kernel.db", (block) => void block.write("../..", 345)), /long or second name/],
  "a member twice": [() => tarOf([...parts, ...parts.slice(1, 2)]), /or twice/],
  "a member that is not listed": [() => extra("objects/more"), /not in its manifest/],
  "a missing member": [() => tarOf(parts.slice(0, -1)), /is missing/],
  "different bytes of the same length": [
    () => tarOf(parts.map((part, at) => (at === 1 ? { ...part, bytes: part.bytes.map((byte) => byte ^ 1) } : part))),
    /checksum of kernel.db/,
  ],
  "a wrong length": [() => extra("x", (block) => void block.write("99999999999\0", 124)), /no number/],
  "a negative length": [() => extra("x", (block) => void block.write("-0000000001\0", 124)), /no number/],
  "data after the end": [() => Buffer.concat([tarOf(parts), text("more")]), /something follows/],
  "no end": [() => tarOf(parts, new Uint8Array()), /ends too soon/],
  "a manifest with invalid JSON": [() => tarOf([{ name: "manifest.json", bytes: text("{") }]), /manifest is damaged/],
  "a manifest of null": [() => tarOf([{ name: "manifest.json", bytes: text("null") }]), /manifest is damaged/],
  "a manifest that names a path outside": [
    () => tarOf(withManifest(parts, ({ members }) => void Object.assign(members[0]!, { name: "../kernel.db" }))),
    /it names "..\/kernel.db"/,
  ],
  "a manifest that names a member twice": [
    () => tarOf(withManifest(parts, ({ members }) => void members.push(members[0]!))),
    /names kernel.db twice/,
  ],
  "a manifest beyond its size limit": [
    () => tarOf(withManifest(parts, ({ members }) => void Object.assign(members[0]!, { size: 2 ** 50 }))),
    /unpacks to more than/,
  ],
  "a file outside of the objects": [
    () =>
      withDatabase("kernel.db", (db) =>
        db.run("UPDATE objects SET key = '../../../outside' WHERE key = 'home/sam/a.md'"),
      ),
    /"\.\.\/\.\.\/\.\.\/outside" has an empty, \. or \.\. part/,
  ],
  "a file at an absolute path": [
    () => withDatabase("kernel.db", (db) => db.run("UPDATE objects SET key = '/outside' WHERE key = 'home/sam/a.md'")),
    /part/,
  ],
  "a process in place of another": [
    () => withDatabase("proc/", (db) => db.run(`UPDATE process_kv SET value = '"task:aaaaaa"' WHERE key = 'pid'`)),
    /is not the database of init:1000/,
  ],
  "a foreign database": [
    () => withDatabase("kernel.db", (db) => db.run("PRAGMA application_id = 7")),
    /is not a kernel database of gsv/,
  ],
  "a process database without tables": [
    () => withDatabase("proc/", (db) => db.run("DROP TABLE outbox")),
    /no such table: outbox/,
  ],
  "a database of a newer gsv": [
    () => withDatabase("kernel.db", (db) => db.run("PRAGMA user_version = 99")),
    /written by a newer gsv/,
  ],
  "a backup of a newer gsv": [
    () => tarOf(withManifest(parts, (manifest) => void Object.assign(manifest, { version: 2 }))),
    /a newer gsv .* made this backup/,
  ],
  "a damaged database": [
    () => {
      const spoiled = parts.map((part) =>
        part.name.startsWith("proc/") ? { ...part, bytes: Buffer.from(part.bytes).fill(0xa5, 4096, 12_288) } : part,
      );
      return tarOf(consistent(spoiled));
    },
    /damaged|malformed|corrupt/,
  ],
  "a process that is not registered": [
    () => tarOf(consistent([...parts, { ...(parts[2] as Part), name: "proc/task:zzzzzz.db" }])),
    /task:zzzzzz.db belongs to no process/,
  ],
  "half of a compressed one": [() => gzipSync(tarOf(parts)).subarray(0, 4000), /not restored/],
  "a compressed one with a wrong checksum": [
    () => {
      const packed = gzipSync(tarOf(parts));
      packed[packed.length - 6]! ^= 1;
      return packed;
    },
    /not restored/,
  ],
};

for (const [what, [make, says]] of Object.entries(HOSTILE)) {
  test(`${what} is refused, and nothing is written`, async () => {
    const error = await refusal(make());
    expect(error.message).toMatch(says);
    expect(error.message).not.toContain("\n");
    expect(["EINVAL", "ECONFIG"]).toContain(error.code);
  });
}

test("extracting a file a thousand times larger than in the manifest stops at the manifest's size", async () => {
  for (const filler of [0, 1]) {
    const bomb = gzipSync(Buffer.concat([tarOf(parts), Buffer.alloc(64 * 1024 * 1024, filler)]));
    expect((await refusal(bomb)).message).toMatch(/something follows its end/);
  }
  const first = tarOf([{ name: "manifest.json", bytes: new Uint8Array() }]).subarray(0, 512);
  first.write("77777777777\0", 124);
  first.write("        ", 148);
  first.write(
    `${first
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  expect((await refusal(first)).message).toMatch(/manifest is too long/);
});

test("a backup cut or changed at any place is refused, or is the same backup", async () => {
  const whole = readFileSync(good);
  const random = seeded(20_261_120);
  const dice = (below: number) => Number(Buffer.from(random.bytes(4)).readUInt32LE()) % below;
  for (let n = 0; n < samples(15, 500); n++) {
    const cut = dice(whole.length - END.length);
    expect({ cut, code: (await refusal(whole.subarray(0, cut))).code }).toEqual({ cut, code: "EINVAL" });
    const at = dice(whole.length);
    const changed = Buffer.from(whole);
    changed[at]! ^= 1 << dice(8);
    const home = join(directory, "home-flipped");
    rmSync(home, { recursive: true, force: true });
    writeFileSync(join(directory, "hostile.tar"), changed);
    const outcome = await keepingOf(home)
      .restore(join(directory, "hostile.tar"), { force: false })
      .then(
        () => "restored",
        (error: SysError) => error.code,
      );
    // Padding, times and owner names in a header do not affect the restored data.
    expect({ at, outcome: ["restored", "EINVAL", "ECONFIG"].includes(outcome) }).toEqual({ at, outcome: true });
    expect(existsSync(join(home, "kernel.db"))).toBe(outcome === "restored");
    rmSync(home, { recursive: true, force: true });
  }
});

test("a missing file, and a directory, are reported as such", async () => {
  const keeping = keepingOf(join(directory, "home"));
  expect(await rejection(keeping.restore(join(directory, "nope.tar"), { force: false }))).toMatchObject({
    code: "ENOENT",
  });
  expect(await rejection(keeping.restore(directory, { force: false }))).toMatchObject({ code: "EINVAL" });
});
