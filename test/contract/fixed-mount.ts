// The contract of every mount without creation, renaming and removal: reads are as usual, every other verb is refused with
// one of three codes, for root too, and changes nothing.

import { describe, expect, test } from "bun:test";
import type { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { root } from "../support/caller.ts";
import { codeOf } from "../support/refusal.ts";

export interface FixedMount {
  readonly at: string;
  /** A file in it that this caller may read; none in an empty one. */
  readonly file?: string;
  readonly caller: Caller;
}

const REFUSALS = ["EROFS", "EPERM", "EACCES", "EBUSY"];

export function fixedMountContract(mount: FixedMount, filesOf: () => Namespace): void {
  const { at, file, caller } = mount;
  const path = file === undefined ? at : `${at}${file}`;

  describe(`${at}, a mount without new files`, () => {
    test("is listed with a stat for each name, the same as by its path", async () => {
      const files = filesOf();
      const stat = await files.stat(caller, at);
      if (stat.kind !== "directory") return expect(await codeOf(files.list(caller, at))).toBe("ENOTDIR");
      for (const entry of await files.list(caller, at)) {
        const { kind, mode, uid, gid } = await files.lstat(caller, `${at}/${entry.name}`);
        expect([entry.name, { kind, mode, uid, gid }]).toEqual([
          entry.name,
          expect.objectContaining(statOf(entry.stat)),
        ]);
      }
      expect(await codeOf(files.stat(caller, `${at}/no such thing`))).toBe("ENOENT");
    });

    if (file !== undefined)
      test("is read in ranges that agree with the whole", async () => {
        const files = filesOf();
        const { bytes, eof, version } = await files.read(caller, path, { bytesMax: 1 << 20 });
        const middle = Math.floor(bytes.length / 2);
        const first = await files.read(caller, path, { bytesMax: middle });
        const second = await files.read(caller, path, { offset: middle, bytesMax: 1 << 20 });
        expect([eof, second.eof, first.version, second.version]).toEqual([true, true, version, version]);
        expect(Buffer.concat([first.bytes, second.bytes])).toEqual(Buffer.from(bytes));
        expect(await codeOf(files.stat(caller, `${path}/x`))).toBe("ENOTDIR");
        expect(await codeOf(files.write(caller, `${path}/x`, bytes, { at: "start" }))).toBe("ENOTDIR");
      });

    test("refuses every verb that would change it, with the path in the error", async () => {
      const files = filesOf();
      const isFile = (await files.stat(caller, at)).kind === "file";
      const allowed = isFile ? [...REFUSALS, "ENOTDIR"] : REFUSALS;
      for (const who of [caller, root]) {
        const tried = {
          make: () => files.write(who, `${at}/new`, new Uint8Array(1), { at: "start" }),
          mkdir: () => files.mkdir(who, `${at}/new`, { parents: false }),
          link: () => files.link(who, `${at}/new`, "/etc"),
          chmod: () => files.setattr(who, path, { mode: 0o777 }),
          chown: () => files.setattr(who, path, { uid: 1 }),
          remove: () => files.remove(who, path, { recursive: true }),
          moveAway: () => files.rename(who, path, `${at}/moved`),
        };
        for (const [what, work] of Object.entries(tried)) {
          const code = await codeOf(work());
          expect([what, allowed.includes(code) ? "refused" : code]).toEqual([what, "refused"]);
        }
      }
    });
  });
}

function statOf({ kind, mode, uid, gid }: { kind: string; mode: number; uid: number; gid: number }) {
  return { kind, mode, uid, gid };
}
