import { describe, expect, test } from "bun:test";
import { base, join, normalise, parent, split, tilde } from "../../fs/path.ts";
import { isInside } from "../../src/lib/inside.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";

describe("paths", () => {
  test.each([
    ["/", "/"],
    ["", "/"],
    ["//a///b//", "/a/b"],
    ["/a/./b/.", "/a/b"],
    ["/a/b/../c", "/a/c"],
    ["/../../etc/passwd", "/etc/passwd"],
    ["/a/../../..", "/"],
    ["/...", "/..."],
    ["/a/..b/ ", "/a/..b/ "],
  ])("%j normalises to %j", (path, normal) => {
    expect(normalise(path)).toBe(normal);
  });

  test("a normalised path has no dots, no empty names, never climbs, and stays the same when normalised again", () => {
    const random = seeded(Date.now() % 100_000);
    for (let n = 0; n < samples(2000, 20_000); n++) {
      const path = Array.from({ length: random.int(9) }, () =>
        random.pick(["/", "..", ".", "a", "é", "", "//", "..."]),
      ).join(random.pick(["/", ""]));
      const normal = normalise(path);
      const names = split(normal);
      expect(
        names.some((name) => name === "" || name === "." || name === ".."),
        `seed ${random.seed}: ${path}`,
      ).toBe(false);
      expect(normalise(normal)).toBe(normal);
    }
  });

  test("a relative path starts at the directory, an absolute one does not, and .. stays for the walk", () => {
    expect(join("/home/sam", "a/../b")).toBe("/home/sam/a/../b");
    expect(join("/", "a")).toBe("/a");
    expect(join("/home/sam", "/etc")).toBe("/etc");
  });

  test("parent and base split a path", () => {
    expect([parent("/a/b"), base("/a/b"), parent("/a"), parent("/"), base("/")]).toEqual(["/a", "b", "/", "/", ""]);
  });

  test("within compares whole names", () => {
    expect(isInside("/home/sam", "/home/sam")).toBe(true);
    expect(isInside("/home/sam/a", "/home/sam")).toBe(true);
    expect(isInside("/home/samantha", "/home/sam")).toBe(false);
    expect(isInside("/x", "/")).toBe(true);
    expect(isInside("/a/b", "/a/")).toBe(true);
    expect(isInside("/a", "/a/")).toBe(true);
  });

  test("a tilde only counts at the start", () => {
    expect(tilde("~")).toEqual({ username: null, rest: "" });
    expect(tilde("~/a")).toEqual({ username: null, rest: "/a" });
    expect(tilde("~bob/a~b")).toEqual({ username: "bob", rest: "/a~b" });
    expect(tilde("/a/~")).toBeNull();
    expect(tilde("a~")).toBeNull();
  });
});
