// Read, Write, Edit, Delete and Search on the host: reads in an attached directory are free, everything else asks first, and no path leads
// out of it.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import { Desk, why } from "../support/desk.ts";
import { INIT } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";

const scratch = scratchDirectory("host-files");
const work = join(scratch, "work");
const host = { target: "host" } as const;
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  put("work/src/main.ts", "export const port = 80;\n");
  put("work/.gitignore", "dist/\n*.log\n");
  put("work/dist/out.js", "const port = 80;\n");
  put("work/debug.log", "port 80\n");
  put("work/.git/config", "port\n");
  put("work-secret/key", "port canary\n");
  symlinkSync(join(scratch, "work-secret/key"), join(work, "link"));
});

function put(path: string, content: string): void {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), content);
}

function diffOf(asked: string | Approval): string | null {
  return typeof asked === "string" ? null : (asked.about?.diff ?? null);
}

/** A desk with the current directory attached. */
async function attachedDesk(options: { readonly noRipgrep?: boolean } = {}): Promise<Desk> {
  const desk = await Desk.at({ cwd: work, ...options });
  await desk.home.sys.call("workspace.attach", { what: work, pid: INIT });
  return desk;
}

test("the first read attaches the directory with an approval; later reads in it are free", async () => {
  await using desk = await Desk.at({ cwd: work });
  const asked = await desk.calls("Read", { path: "src/main.ts", ...host });
  expect(why(asked)).toBe(`attach ${work} and read ${work}/src/main.ts on this computer`);
  expect(await desk.answers(asked)).toContain("export const port = 80;");
  expect(await desk.calls("Read", { path: `${work}/src`, ...host })).toBe("main.ts");
});

test("an impossible edit asks for no approval where the agent may read", async () => {
  await using desk = await attachedDesk();
  const wrong = { path: "src/main.ts", oldString: "port = 90", newString: "port = 91", ...host };
  expect(await desk.calls("Edit", wrong)).toContain("the old text was not found");
  // Where it may not read, it learns nothing before an approval.
  const guess = { path: "../work-secret/key", oldString: "no such line", newString: "x", ...host };
  const asked = await desk.calls("Edit", guess);
  expect(why(asked)).toContain("outside the workspace");
  await desk.answers(asked, "deny");
});

test("a change asks, names the real file, and is made once approved", async () => {
  await using desk = await attachedDesk();
  await desk.calls("Read", { path: "src/main.ts", ...host });
  const edit = { path: "src/main.ts", oldString: "80", newString: "8080", ...host };
  const asked = await desk.calls("Edit", edit);
  expect(why(asked)).toBe(`edit ${work}/src/main.ts on this computer`);
  expect(diffOf(asked)).toContain("\n-export const port = 80;\n+export const port = 8080;\n");
  expect(await desk.answers(asked)).toBe(`replaced 1 in ${work}/src/main.ts, at line 1`);
  expect(readFileSync(join(work, "src/main.ts"), "utf8")).toBe("export const port = 8080;\n");
  const made = await desk.calls("Write", { path: "docs/new/a.md", content: "hi", ...host });
  expect(await desk.answers(made)).toBe(`wrote 2 bytes to ${work}/docs/new/a.md`);
  const gone = await desk.calls("Delete", { path: "docs/new/a.md", ...host });
  expect(await desk.answers(gone, "deny")).toContain("denied");
  expect(existsSync(join(work, "docs/new/a.md"))).toBe(true);
});

test("every path or link out of the attached directory asks", async () => {
  await using desk = await attachedDesk();
  for (const path of ["link", "../work-secret/key", `${work}-secret/key`, `${work}/src/../../work-secret/key`]) {
    const asked = await desk.calls("Read", { path, ...host });
    expect(why(asked)).toBe(`read ${work}-secret/key on this computer, outside the workspace`);
    await desk.answers(asked, "deny");
  }
  const asked = await desk.calls("Search", { query: "canary", path: "../work-secret", ...host });
  expect(why(asked)).toContain(`search ${work}-secret on this computer, outside`);
  expect(await desk.answers(asked)).toBe(`${work}-secret/key:1:port canary`);
  // The request for approval shows nothing of files that the agent may not read.
  const written = await desk.calls("Write", { path: "../work-secret/key", content: "x", ...host });
  expect([why(written), diffOf(written)]).toEqual([expect.stringContaining("outside the workspace"), null]);
  await desk.answers(written, "deny");
});

test("a link that changes between approval and call does not redirect the call", async () => {
  await using desk = await attachedDesk();
  symlinkSync(join(work, "src/main.ts"), join(work, "way"));
  const asked = await desk.calls("Write", { path: "way", content: "mine", ...host });
  rmSync(join(work, "way"));
  symlinkSync(join(scratch, "work-secret/key"), join(work, "way"));
  expect(await desk.answers(asked)).toMatch(/^EPERM: sam approved something else \(write .*main\.ts/);
  expect(readFileSync(join(scratch, "work-secret/key"), "utf8")).toBe("port canary\n");
});

test("gsv's home, process information of the system and git's own files are out of reach, even with approval", async () => {
  await using desk = await attachedDesk();
  const kernelDb = join(desk.home.directory, "kernel.db");
  for (const path of [kernelDb, "/proc/self/environ"]) {
    const told = await desk.calls("Read", { path, ...host });
    const said = typeof told === "string" ? told : await desk.answers(told);
    expect(said).toMatch(/no such file or directory/);
  }
  const asked = await desk.calls("Write", { path: ".git/hooks/pre-commit", content: "#!/bin/sh\n", ...host });
  expect(await desk.answers(asked)).toContain("this name is reserved by git");
});

test("a process cannot bypass its tools: direct calls without approval are refused", async () => {
  await using desk = await attachedDesk();
  const inside = await desk.home.insideOf(INIT);
  for (const [call, args] of Object.entries({
    "fs.write": { path: `${work}/x`, content: "x" },
    "fs.delete": { path: `${work}/src/main.ts` },
    "fs.read": { path: `${work}-secret/key` },
  }))
    expect((await desk.home.refusal(call, { ...args, ...host }, inside)).code).toBe("EPERM");
  expect(existsSync(join(work, "x"))).toBe(false);
});

for (const [what, options] of [
  ["with ripgrep", {}],
  ["without ripgrep", { noRipgrep: true }],
] as const) {
  test(`a search of the host finds the same ${what}: no ignored file, no .git, nothing through a link`, async () => {
    if (what === "with ripgrep" && Bun.which("rg") === null) return;
    await using desk = await attachedDesk(options);
    put("work/.env", "port=80\n");
    put("work/src/long.min.js", `${"x".repeat(5000)}port${"y".repeat(400_000)}\nport\n`);
    const found = await desk.calls("Search", { query: "port", ...host });
    expect(
      String(found)
        .replaceAll(/…?x+port.*…/g, "…port…")
        .split("\n"),
    ).toEqual([
      `${work}/.env:1:port=80`,
      `${work}/src/long.min.js:1:…port…`,
      `${work}/src/long.min.js:2:port`,
      `${work}/src/main.ts:1:export const port = 80;`,
    ]);
    expect(await desk.calls("Search", { query: "port", include: "*.ts", ...host })).toBe(
      `${work}/src/main.ts:1:export const port = 80;`,
    );
    // A text, not a flag.
    expect(await desk.calls("Search", { query: "--pre=sh", ...host })).toBe("(no matches)");
  });
}

test("other calls are answered while a search without ripgrep reads thousands of files, and it ends when cancelled", async () => {
  for (let n = 0; n < 3000; n++) put(`work/many/${n % 30}/${n}.ts`, "export const port = 80;\n");
  await using desk = await attachedDesk({ noRipgrep: true });
  const { sys } = desk.home;
  const request = { path: work, query: "no such text", target: "host" };
  let isOver = false;
  const search = sys.call("fs.search", request).finally(() => {
    isOver = true;
  });
  let answered = 0;
  for (; !isOver; answered++) {
    await new Promise((resolve) => setImmediate(resolve));
    await desk.home.get(INIT);
  }
  expect(await search).toMatchObject({ count: 0, truncated: false });
  // On average each waits for less than a tenth of the search.
  expect(answered).toBeGreaterThan(10);
  // The thread of that search finds what the kernel finds, and refuses what the kernel refuses.
  expect(await desk.calls("Search", { query: "port", include: "*{main,out,config}*", ...host })).toBe(
    `${work}/src/main.ts:1:export const port = 80;`,
  );
  const outside = { path: `${work}-secret`, query: "port", target: "host" };
  const refused = await desk.home.refusal("fs.search", outside, await desk.home.insideOf(INIT));
  expect([refused.code, refused.message]).toEqual(["EPERM", expect.stringContaining("cannot search")]);
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  const { code } = await rejection(sys.call("fs.search", request, { signal: stop.signal }));
  expect(code).toBe("ECANCELED");
});
