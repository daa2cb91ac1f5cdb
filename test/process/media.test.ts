// Media of a process: identified by their bytes, for the owner and the owner's agents, limited in size and number, and deleted by reset and
// kill, even if interrupted.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Closed } from "../../src/syscalls/services.ts";
import type { MediaInfo, MediaTaken } from "../../src/syscalls/system/storage.ts";
import { stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { begin, finish, type } from "../support/shell.ts";
import { works } from "../support/worker.ts";

const PNG = "\x89PNG\r\n\x1a\n";

async function give(home: TestKernel, pid: string, data = "aGk="): Promise<MediaInfo> {
  const { media } = await home.sys.call<MediaTaken>("proc.media.put", { pid, data });
  if (media === null) throw new Error("not taken whole");
  return media;
}

async function had(home: TestKernel, pid: string): Promise<readonly MediaInfo[]> {
  return (await home.sys.call<{ media: readonly MediaInfo[] }>("proc.media.list", { pid })).media;
}

test("a picture is uploaded from stdin in pieces and downloaded to stdout unchanged", async () => {
  await using home = await TestKernel.boot();
  const picture = Buffer.concat([Buffer.from(PNG, "latin1"), seeded(4).bytes(1_300_000)]);
  const putting = await begin(home, ["media", "put", INIT], stdinOf("pipe", [picture]));
  const { status, stdout, stderr } = await finish(home, putting);
  expect([status, stderr]).toEqual([0, expect.stringContaining("image/png")]);
  const id = stdout.trim();
  const [media] = await had(home, INIT);
  expect(media).toMatchObject({
    id,
    type: "image/png",
    bytes: picture.length,
    path: `/var/media/1000/${INIT}/${id}.png`,
  });
  expect((await type(home, "media", "list", INIT)).stdout).toContain(id);
  const getting = await begin(home, ["media", "get", INIT, id]);
  await finish(home, getting);
  expect(Buffer.concat(getting.stdout.pieces).equals(picture)).toBe(true);
  expect((await type(home, "media", "rm", INIT, id)).stdout).toBe(`removed ${media?.path}\n`);
  expect(await had(home, INIT)).toEqual([]);
  expect((await type(home, "media", "get", INIT, id)).status).toBe(3);
});

test("a document is uploaded from a host file, and a terminal prints only text", async () => {
  await using home = await TestKernel.boot();
  const machine = scratchDirectory("media");
  writeFileSync(join(machine, "letter"), "dear all");
  const { status, stdout } = await type(home, "media", "put", INIT, join(machine, "letter"));
  rmSync(machine, { recursive: true });
  expect(status).toBe(0);
  expect((await type(home, "media", "get", INIT, stdout.trim())).stdout).toBe("dear all");
  expect(await type(home, "media", "put", INIT, join(machine, "letter"))).toMatchObject({ status: 3 });
  expect(await type(home, "media", "put", INIT)).toMatchObject({ status: 2 });
  const [picture] = [await give(home, INIT, btoa(`${PNG}\0`))];
  const shown = await begin(home, ["media", "get", INIT, picture.id]);
  shown.stdout.isTTY = true;
  const refused = await finish(home, shown);
  expect([refused.status, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain(`gsv cp ${picture.path}`);
});

test.each([
  ["\xff\xd8\xff\xe0 whatever", "image/jpeg", "jpg"],
  ["RIFF0000WEBPVP8 ", "image/webp", "webp"],
  ["RIFF0000WAVEfmt ", "audio/wav", "wav"],
  ["%PDF-1.7", "application/pdf", "pdf"],
  ["\0\0\0\x18ftypmp42", "video/mp4", "mp4"],
  ["<svg onload=alert(1)>", "text/plain", "txt"],
  ["\0\x01\x02", "application/octet-stream", "bin"],
])("%j is recognized by its bytes as %s", async (bytes, kind, extension) => {
  await using home = await TestKernel.boot();
  const media = await give(home, INIT, Buffer.from(bytes, "latin1").toString("base64"));
  expect([media.type, media.path.split(".").at(-1) ?? ""]).toEqual([kind, extension]);
});

test("media are files of their owner; other accounts reach them neither as files nor by the call", async () => {
  await using home = await TestKernel.boot();
  const { path, id } = await give(home, INIT);
  expect(await home.sys.call<{ content: string }>("fs.read", { path })).toMatchObject({ content: "hi" });
  const { uid } = await home.person(0).call<{ uid: number }>("account.create", { username: "bob" });
  const bob = home.person(uid);
  expect(await home.refusal("fs.read", { path }, bob)).toMatchObject({ code: "EACCES" });
  expect(await home.refusal("fs.read", { path: "/var/media/1000" }, bob)).toMatchObject({ code: "EACCES" });
  for (const call of ["list", "put", "get", "rm"]) {
    const args = { pid: INIT, id, data: "aGk=" };
    expect(await home.refusal(`proc.media.${call}`, args, bob)).toMatchObject({ code: "ESRCH" });
  }
});

test("a repeated piece changes nothing; pieces out of order and invalid base64 are refused", async () => {
  await using home = await TestKernel.boot();
  const id = "0190a1b2-c3d4-7000-8000-000000000001";
  const put = (offset: number, text: string, more: boolean) =>
    home.sys.call<MediaTaken>("proc.media.put", { pid: INIT, id, offset, data: btoa(text), more });
  await put(0, "one ", true);
  await put(0, "one ", true);
  const gap = { pid: INIT, id, offset: 9, data: btoa("x"), more: true };
  expect(await home.refusal("proc.media.put", gap)).toMatchObject({ code: "EINVAL" });
  await put(4, "two", false);
  expect((await put(4, "two", false)).media).toMatchObject({ bytes: 7 });
  expect(await had(home, INIT)).toHaveLength(1);
  expect(await home.refusal("proc.media.put", { pid: INIT, data: "not base64!" })).toMatchObject({ code: "EINVAL" });
  expect(await home.refusal("proc.media.put", { pid: INIT, data: "" })).toMatchObject({ code: "EINVAL" });
});

test("an agent of the owner can read media, also in a home of an older version", async () => {
  await using home = await TestKernel.boot();
  const own = { uid: 1000, gid: 1000, mtimeMs: 1, symlink: null };
  const before = { key: "var/media/1000/.dir", mode: 0o700, type: "application/x-directory", dirmarker: true };
  await home.stores.objects.put({ ...own, ...before }, new Uint8Array());
  const { path } = await give(home, INIT);
  const modes = [path, "/var/media/1000"].map((each) => home.sys.call<{ mode: string }>("fs.stat", { path: each }));
  expect((await Promise.all(modes)).map(({ mode }) => mode)).toEqual(["0640", "0750"]);
  await works(home, INIT, { name: "Read", args: { path } });
  const results = (await home.messages(INIT)).filter(({ role }) => role === "toolResult");
  expect(results).toMatchObject([{ content: { isError: false, output: expect.stringContaining("hi") } }]);
});

test("a medium that is too large, or one too many, is refused and leaves nothing", async () => {
  await using home = await TestKernel.boot();
  const large = Buffer.alloc(LIMITS.mediaBytesMax + 1, "x");
  const putting = await begin(home, ["media", "put", INIT], stdinOf("pipe", [large]));
  expect(await finish(home, putting)).toMatchObject({ status: 6, stderr: expect.stringContaining("25 MiB") });
  expect(await had(home, INIT)).toEqual([]);
  const own = { uid: 1000, gid: 1000, mode: 0o600, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
  const put = (n: number) => home.stores.objects.put({ ...own, key: `var/media/1000/${INIT}/${n}` }, Buffer.from("x"));
  await Promise.all(Array.from({ length: LIMITS.mediaPerProcessMax }, (_, n) => put(n)));
  expect(await home.refusal("proc.media.put", { pid: INIT, data: "aGk=" })).toMatchObject({
    code: "ELIMIT",
    hints: [expect.stringContaining("gsv media rm")],
  });
});

test("a reset and a kill delete the media of that process alone", async () => {
  await using home = await TestKernel.boot();
  const [one, other] = [await home.task(), await home.task()];
  for (const pid of [INIT, one, other]) await give(home, pid);
  await home.say("hello");
  await home.sys.call("proc.reset", {});
  await home.sys.call("proc.kill", { pid: one });
  expect([await had(home, INIT), (await had(home, other)).length]).toEqual([[], 1]);
  const left = await home.stores.objects.page("var/media/", null, 9);
  expect(left.map(({ key }) => key.split("/")[3]).filter((pid) => pid !== ".dir")).toEqual([other]);
});

test("an upload that a reset overtakes is dropped, and the sender is asked to start over", async () => {
  await using home = await TestKernel.boot();
  const id = "0190a1b2-c3d4-7000-8000-000000000002";
  await home.sys.call("proc.media.put", { pid: INIT, id, data: btoa("one "), more: true });
  await home.say("hello");
  await home.sys.call("proc.reset", {});
  const rest = { pid: INIT, id, offset: 4, data: btoa("two") };
  expect(await home.refusal("proc.media.put", rest)).toMatchObject({ code: "EAGAIN" });
  expect(await had(home, INIT)).toEqual([]);
});

test("the next kernel finishes a reset that failed to delete media", async () => {
  let failing = true;
  await using home = await TestKernel.boot({
    ports: (ports) => ({
      ...ports,
      objects: new Proxy(ports.objects, {
        get: (target, name) => {
          if (name === "remove" && failing) return async () => Promise.reject(new Error("the disk is gone"));
          const value = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
    }),
  });
  for (let n = 0; n < 3; n++) await give(home, INIT);
  await home.say("hello");
  await home.refusal("proc.reset", {});
  failing = false;
  await home.restart();
  await home.until("the media are gone", async () => (await had(home, INIT).catch(() => [null])).length === 0);
  const { archives } = await home.sys.call<{ archives: readonly Closed[] }>("archive.list", {});
  expect(archives).toHaveLength(1);
});
