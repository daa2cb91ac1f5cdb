// `gsv lsof` and `gsv audit`: selected files, and their output.

import { expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";

const USE = {
  pid: "task:abc123",
  label: "docs",
  target: "gsv",
  path: "/home/sam/a.md",
  version: "v1",
  at: 0,
  run: "r1",
};
const WRITER = {
  ...{ at: 0, target: "gsv", path: "/home/sam/a.md", what: "wrote", account: "sam", pid: null, run: null, call: null },
  ...{ tool: null, commit: null, movedFrom: null },
};

test("lsof means gsv's files, or with host: files of this computer from the current directory", async () => {
  const io = new FakeIo();
  io.fakeSys.answer("fs.uses", () => ({ uses: [], more: false }));
  expect(await runs(io, "lsof", "~/a.md")).toBe(0);
  expect(await runs(io, "lsof", "host:src/main.ts", "--pid", "task:abc123")).toBe(0);
  expect(await runs(io, "lsof")).toBe(0);
  expect(io.fakeSys.asked("fs.uses")).toEqual([
    { limit: 200, target: "gsv", path: "~/a.md" },
    { limit: 200, target: "host", path: `${io.cwd}/src/main.ts`.replace("//", "/"), pid: "task:abc123" },
    { limit: 200 },
  ]);
  expect(io.stdout.text).toBe("");
});

test("a row has the process, its use, version, time and place; hostile names have no effect", async () => {
  const io = new FakeIo();
  const uses = [
    { ...USE, how: "read", isStale: true },
    { ...USE, how: "wrote", isStale: false, label: null },
    { ...USE, how: "wrote", isStale: null, target: "host", path: "/x/\u001b[2J" },
  ];
  io.fakeSys.answer("fs.uses", () => ({ uses, more: true }));
  expect(await runs(io, "lsof", "-n", "3")).toBe(0);
  const [, first, second, third] = io.stdout.lines.map((line) => line.split(/ {2,}/));
  expect(first).toEqual(["task:abc123", "docs", "read", "stale", "v1", "r1", "1970-01-01T00:00:00.000Z", USE.path]);
  expect([second?.[3], third?.[3], third?.at(-1)]).toEqual(["-", "?", "host:/x/␛[2J"]);
  expect(io.stderr.text).toContain("more entries");
});

test("audit of a file prints a line per change; without a file it prints the calls as before", async () => {
  const io = new FakeIo();
  const writers = [
    {
      ...WRITER,
      pid: "task:abc123",
      account: "friday",
      run: "r1",
      call: "c1",
      tool: "Edit",
      commit: "0123456789abcdef",
    },
    { ...WRITER, what: "moved here", movedFrom: "/tmp/b" },
    { ...WRITER, account: null },
  ];
  io.fakeSys.answer("fs.writers", () => ({ writers, more: false }));
  io.fakeSys.answer("audit.list", () => ({ entries: [] }));
  expect(await runs(io, "audit", "~/a.md", "--since", "7d")).toBe(0);
  expect(io.stdout.lines).toEqual([
    "1970-01-01T00:00:00.000Z task:abc123 as friday wrote (Edit, run r1, call c1, version 0123456789)",
    "1970-01-01T00:00:00.000Z sam moved here from /tmp/b",
    "1970-01-01T00:00:00.000Z outside gsv wrote",
  ]);
  expect(io.fakeSys.asked("fs.writers")).toEqual([{ limit: 100, since: "7d", target: "gsv", path: "~/a.md" }]);
  expect(await runs(io, "audit", "--denied", "--since", "2h")).toBe(0);
  expect(io.fakeSys.asked("audit.list")).toEqual([{ limit: 100, since: "2h", denied: true }]);
  expect(await runs(io, "audit", "~/a.md", "--denied")).toBe(2);
});
