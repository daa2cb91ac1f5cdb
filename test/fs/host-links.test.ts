// Symlinks in an attached directory: they are followed within it, by real path, and lead to nothing else, gsv's own paths included.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFs } from "../../fs/disk/disk.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import { sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { TestKernel } from "../support/kernel.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { seeded } from "../support/random.ts";
import { codeOf } from "../support/refusal.ts";

let host: string;
let shared: string;

beforeEach(() => {
  host = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "gsv-links-")));
  shared = join(host, "shared");
  fs.mkdirSync(join(shared, "d"), { recursive: true });
  fs.mkdirSync(join(host, "outside"));
  fs.writeFileSync(join(host, "outside/secret"), "secret");
  fs.writeFileSync(join(shared, "f"), "hello");
  fs.symlinkSync(shared, join(host, "alias"));
});
afterEach(() => fs.rmSync(host, { recursive: true, force: true }));

function mounted(): Namespace {
  const owner = async () => ({ uid: sam.uid, gid: sam.gid });
  const random = seeded(1).bytes;
  const disk = diskFs({ directory: shared, owner, hidden: [], clock: new FakeClock(), random });
  return new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/mnt/host", fs: disk },
  ]);
}

describe.if(process.platform === "linux")("a symlink of an attached directory", () => {
  test("is followed inside, however it is written, and refused if it leads out, even to a path of gsv", async () => {
    const links = {
      ...{ "d/up": "../f", "d/whole": join(shared, "f"), "d/alias": join(host, "alias/f"), top: join(host, "alias") },
      ...{ out: "../outside", "wholly-out": join(host, "outside/secret"), gsvs: "/notes", climbing: "../../notes" },
      ...{ "d/shallow": "..", hop: "d/shallow/..", chain: "gsvs", tops: "top/../../notes" },
    };
    for (const [path, target] of Object.entries(links)) fs.symlinkSync(target, join(shared, path));
    const files = mounted();
    const get = async (path: string) => Buffer.from((await files.read(sam, path, { bytesMax: 99 })).bytes).toString();
    const put = (path: string) => files.write(sam, path, Buffer.from("x"), { at: "start" });
    await files.write(sam, "/notes", Buffer.from("gsv's own"), { at: "start" });
    for (const path of ["d/up", "d/whole", "d/alias", "top/f", "d/shallow/f"])
      expect([path, await get(`/mnt/host/${path}`)]).toEqual([path, "hello"]);
    for (const path of ["../outside/secret", "d/../../outside/secret"])
      expect([path, await codeOf(get(`/mnt/host/${path}`))]).toEqual([path, "ENOENT"]);
    for (const path of ["out/secret", "wholly-out", "gsvs", "climbing", "hop/notes", "chain", "tops"]) {
      const at = `/mnt/host/${path}`;
      expect([path, await codeOf(get(at))]).toEqual([path, "EACCES"]);
      expect([path, await codeOf(put(at))]).toEqual([path, "EACCES"]);
      expect([path, await codeOf(files.destination(sam, at))]).toEqual([path, "EACCES"]);
    }
    expect(await get("/notes")).toBe("gsv's own");
    // The path itself may climb: only the link must not.
    expect(await get("/mnt/host/d/shallow/../../notes")).toBe("gsv's own");
    expect(get("/mnt/host/d/../gsvs")).rejects.toThrow("/mnt/host/gsvs: the link leads out of /mnt/host");
  });

  test("is created only if it stays inside", async () => {
    const files = mounted();
    for (const target of ["/etc/passwd", "../outside", "d/../../outside", ".."])
      expect([target, await codeOf(files.link(sam, "/mnt/host/l", target))]).toEqual([target, "EPERM"]);
    await files.link(sam, "/mnt/host/d/l", "../f");
    expect(fs.readlinkSync(join(shared, "d/l"))).toBe("../f");
  });

  test("errors of tools name real paths of attached directories", async () => {
    await using home = await TestKernel.boot();
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: shared });
    const { pid } = await home.spawn({ workspace: id });
    home.model.will(
      pid,
      { calls: [{ name: "Read", args: { path: "none" } }] },
      { calls: [{ name: "Edit", args: { path: "f", oldString: "nothing like it", newString: "x" } }] },
      { calls: [{ name: "Search", args: { query: "x", path: "none/deep" } }] },
      { calls: [{ name: "Shell", args: { command: "cat none/x; cd none; ls none; echo x > d", target: "gsv" } }] },
      { text: "hm" },
    );
    await home.say("try", { pid });
    const results = (await home.messages(pid))
      .filter(({ role }) => role === "toolResult")
      .map((each) => JSON.stringify(each));
    expect(results).toHaveLength(4);
    for (const result of results) expect(result).not.toContain(id);
    expect(results[0]).toContain(`cannot read ${shared}/none: no such file or directory`);
  });

  test("never takes an agent's write out of the workspace", async () => {
    await using home = await TestKernel.boot();
    const { id } = await home.sys.call<WorkspaceInfo>("workspace.attach", { what: shared });
    fs.symlinkSync("/tmp/trap", join(shared, "trap"));
    const { pid } = await home.spawn({ workspace: id });
    home.model.will(pid, { calls: [{ name: "Write", args: { path: "trap", content: "x" } }] }, { text: "hm" });
    await home.say("write it", { pid });
    expect(await home.outline(pid)).toContain("Write: failed");
    expect(JSON.stringify(await home.messages(pid))).toContain("the link leads out of the workspace");
    const inside = await home.insideOf(pid);
    expect((await home.refusal("fs.read", { path: "/tmp/trap" }, inside)).code).toBe("ENOENT");
    const script = { command: "echo x > trap; cat < trap; cp f trap", target: "gsv" };
    expect(JSON.stringify(await inside.call("shell.exec", script))).toContain("Permission denied: the link leads out");
    expect((await home.refusal("fs.read", { path: "/tmp/trap" }, inside)).code).toBe("ENOENT");
  });
});
