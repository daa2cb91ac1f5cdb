// Path rules resolve a path to the same file that the call would touch, whatever links it passes.

import { beforeEach, expect, test } from "bun:test";
import type { FileSystem } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import { pathLocator } from "../../src/kernel/files/file-paths.ts";
import { filesService } from "../../src/kernel/files/files.ts";
import { StoreUnavailable } from "../../src/store/open.ts";
import { agent, root, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";

let namespace: Namespace;
let locate: ReturnType<typeof pathLocator>;
const homeOf = async (_: unknown, username: string | null) =>
  username === null || username === "sam" ? "/home/sam" : null;

beforeEach(async () => {
  namespace = new Namespace([{ at: "/", fs: memoryMount(0o755) }]);
  await namespace.mkdir(root, "/home/sam", { parents: true });
  await namespace.setattr(root, "/home/sam", { uid: sam.uid, gid: sam.gid, mode: 0o2770 });
  await namespace.mkdir(sam, "/home/sam/context.d", { parents: true });
  await namespace.link(sam, "/home/sam/notes", "context.d");
  locate = pathLocator({ namespace, homeOf });
});

const THROUGH_A_LINK = [
  "notes/evil.md",
  "notes/sub/evil.md",
  "notes/sub/sub/../evil.md",
  "missing/../notes/sub/evil.md",
  "missing/deep/../../notes/sub/evil.md",
  "~/notes/sub/evil.md",
  "~sam/notes/./sub//evil.md",
];

test.each(THROUGH_A_LINK)("%p leads into context.d, although its directories do not exist yet", async (path) => {
  expect(await locate(agent, path)).toStartWith("/home/sam/context.d/");
});

test.each(THROUGH_A_LINK)("a write to %p lands where the rule looked", async (path) => {
  const place = await locate(agent, path);
  const files = filesService({ namespace, homeOf });
  const context = { caller: agent, requestId: "r", signal: new AbortController().signal };
  expect(await files.write(context, { path, content: "x" })).toEqual({ path: place, size: 1 });
  expect((await namespace.stat(sam, place)).kind).toBe("file");
});

test.each([
  ["~nosuch/x", "/home/sam/~nosuch/x"],
  ["~nosuch", "/home/sam/~nosuch"],
  ["a\u0000b", "/home/sam/a\u0000b"],
  [`d/${"n".repeat(300)}/../x`, "/home/sam/d/x"],
  ["loop/x", "/home/sam/loop/x"],
  ["file/x", "/home/sam/file/x"],
  ["../../../../etc/x", "/etc/x"],
])("%p cannot be resolved and is judged by its text, without an error", async (path, letters) => {
  await namespace.link(sam, "/home/sam/loop", "loop");
  await namespace.write(sam, "/home/sam/file", Buffer.from("x"), { at: "start" });
  expect(await locate(agent, path)).toBe(letters);
});

test("a path is not allowed by its text when the store cannot answer", async () => {
  const stat = async () => {
    throw new StoreUnavailable("busy", "not now");
  };
  const broken = pathLocator({
    namespace: new Namespace([{ at: "/", fs: { ...memoryMount(), stat } as unknown as FileSystem }]),
    homeOf,
  });
  expect(broken(agent, "notes/x")).rejects.toBeInstanceOf(StoreUnavailable);
});
