// Hostile archives, truncated ones, and those with long names.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { archiveOf, type Member } from "../../src/shell/programs/files/tar-format.ts";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());

beforeEach(() => scripts.reset(["/tmp", "/home", HOME, `${HOME}/out`]));

const run = (script: string) => scripts.run(script);

function member(name: string, given: Partial<Member> = {}): Member {
  return {
    ...{ name, kind: "file", mode: 0o644, mtimeMs: 0, owner: "x", group: "x", uid: 0, gid: 0, target: "" },
    ...{ bytes: Buffer.from("evil\n"), ...given },
  };
}

async function archive(...members: readonly Member[]): Promise<void> {
  await scripts.files.write(`${HOME}/a.tar`, archiveOf(members), "start");
}

test("no file of an archive is extracted outside of the target directory", async () => {
  const link = (name: string, target: string) => member(name, { kind: "symlink", target, bytes: new Uint8Array() });
  const none = async (path: string) => expect(scripts.files.stat(path, "keep")).rejects.toThrow();

  await archive(member("../up"), member("a/../../up"), member("/tmp/abs"), member("fine"));
  const dots = await run("tar xf a.tar -C out; echo $?; ls -R out");
  expect(dots.stdout).toBe("2\nout:\nfine\ntmp\n\nout/tmp:\nabs\n");
  expect(dots.stderr).toContain("tar: ../up: Member name contains '..'\n");
  for (const path of [`${HOME}/up`, "/home/up", "/tmp/abs"]) await none(path);

  await archive(link("door", "/tmp"), member("door/in"), link("up", ".."), member("up/in"));
  await run("cd out && tar xf ../a.tar");
  for (const path of ["/tmp/in", `${HOME}/in`]) await none(path);

  await scripts.files.write("/tmp/kept", Buffer.from("kept\n"), "start");
  await scripts.files.link(`${HOME}/out/over`, "/tmp/kept");
  await archive(member("over"));
  expect((await run("tar xf a.tar -C out; cat /tmp/kept out/over")).stdout).toBe("kept\nevil\n");
});

test("a truncated archive, and one with too much content, are refused", async () => {
  await scripts.files.write(`${HOME}/bomb.tgz`, gzipSync(new Uint8Array(80 * 1024 * 1024)), "start");
  const bomb = await run("tar xzf bomb.tgz -C out; echo $?; ls out");
  expect(bomb).toMatchObject({ stdout: "2\n", stderr: expect.stringContaining("more than 64.0 MiB") });
  await archive(member("whole"), member("half", { bytes: new Uint8Array(100_000) }));
  const cut = await run("head -c 2000 a.tar > b.tar; tar tf b.tar; echo $?");
  expect(cut).toMatchObject({ stdout: "2\n", stderr: expect.stringContaining("Unexpected EOF in archive") });
});

test("names longer than a header block pack and unpack", async () => {
  const long = `${"d".repeat(60)}/${"ü".repeat(60)}`;
  await scripts.files.mkdir(`${HOME}/${"d".repeat(60)}`, false);
  await scripts.files.write(`${HOME}/${long}`, Buffer.from("long\n"), "start");
  expect((await run(`tar cf l.tar ${long} && tar xf l.tar -C out && cat out/${long}`)).stdout).toBe("long\n");
});
