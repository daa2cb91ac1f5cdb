// The filesystem contract, over every kind of writable mount.

import { describe, expect, test } from "bun:test";
import { memoryObjects, separateStores } from "../../fs/memory.ts";
import { Namespace } from "../../fs/namespace.ts";
import { objectsFs } from "../../fs/objects.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { codeOf, filesystemContract } from "../contract/filesystem.ts";
import { agent, bob, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { newDisk } from "../support/objects.ts";

const root = { uid: 0, gid: 0, mode: 0o755 };

filesystemContract("objects on disk", async () => {
  const disk = await newDisk();
  return { fs: objectsFs({ storeOf: () => disk.store, clock: new FakeClock(), root }), dispose: disk.dispose };
});

filesystemContract("objects in memory", async () => {
  const store = memoryObjects(64 * 1024 * 1024);
  return { fs: objectsFs({ storeOf: () => store, clock: new FakeClock(), root }), dispose: async () => undefined };
});

describe("/tmp", () => {
  const mib = 1024 * 1024;
  function tmp(bytesMax: number): Namespace {
    const storeOf = separateStores((caller: Caller) => caller.ownerUid, bytesMax);
    return new Namespace([
      { at: "/", fs: objectsFs({ storeOf, clock: new FakeClock(), root: { ...root, mode: 0o1777 } }) },
    ]);
  }
  const write = (files: Namespace, caller: Caller, path: string, size: number) =>
    files.write(caller, path, new Uint8Array(size).fill(97), { at: "start", mode: 0o666 });

  test("a human and the agent share one, and nobody else sees it", async () => {
    const files = tmp(mib);
    await write(files, sam, "/a", 3);
    expect((await files.list(agent, "/")).map((entry) => entry.name)).toEqual(["a"]);
    expect(await files.list(bob, "/")).toEqual([]);
  });

  test("what does not fit is ENOSPC and changes nothing; what is removed makes room again", async () => {
    const files = tmp(mib);
    await write(files, sam, "/a", mib / 2);
    expect(await codeOf(write(files, sam, "/b", mib / 2))).toBe("ENOSPC");
    expect(await codeOf(write(files, sam, "/a", mib))).toBe("ENOSPC");
    expect((await files.stat(sam, "/a")).size).toBe(mib / 2);
    await write(files, sam, "/a", mib / 2 + 100);
    await files.remove(sam, "/a", { recursive: false });
    expect(await codeOf(write(files, sam, "/b", mib / 2))).toBe("done");
    expect(await codeOf(write(files, bob, "/his", mib / 2))).toBe("done");
  });

  test("even empty files come to an end", async () => {
    const files = tmp(64 * 1024);
    let made = 0;
    while (made < 1000 && (await codeOf(write(files, sam, `/${made}`, 0))) === "done") made++;
    expect(made).toBe(128);
  });
});
