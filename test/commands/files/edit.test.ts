// `gsv edit` with real editors: the edited file is written back, or kept in a named draft.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EditRequest, Io } from "../../../commands/command.ts";
import { SysError } from "../../../src/abi/errno.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import { editText } from "../../../src/machine/terminal.ts";
import { stdinOf, UNTOLD } from "../../support/io.ts";
import { TestKernel } from "../../support/kernel.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import { begin, finish, type Typed } from "../../support/shell.ts";

let home: TestKernel;
let scratch: string;
beforeEach(async () => {
  home = await TestKernel.boot();
  scratch = scratchDirectory("editors");
  mkdirSync(join(scratch, "drafts"));
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

/** The editor is a script; `meanwhile` happens while it has the terminal. */
async function edit(
  path: string,
  script: string,
  { meanwhile = async () => {}, ...more }: Partial<Io> & { readonly meanwhile?: () => Promise<void> } = {},
): Promise<Typed> {
  const editor = join(scratch, "editor");
  writeFileSync(editor, `#!/bin/sh\n${script}\n`);
  chmodSync(editor, 0o755);
  const env = { PATH: "/usr/bin:/bin", EDITOR: editor };
  const person = {
    answersHere: () => false,
    ask: async () => "",
    askHidden: async () => "",
    edit: async (request: EditRequest) => {
      const edited = await editText(
        { ...UNTOLD, env, home: scratch, directory: join(scratch, "drafts"), cwd: "/" },
        request,
      );
      await meanwhile();
      return edited;
    },
  };
  return await finish(home, await begin(home, ["edit", path], stdinOf("none"), { person, ...more }));
}

async function put(path: string, text: string | Uint8Array): Promise<void> {
  await home.sys.call("fs.put", { path, data: Buffer.from(text).toString("base64") });
}

async function content(path: string): Promise<string> {
  const { data } = await home.sys.call<{ data: string }>("fs.get", { path });
  return Buffer.from(data, "base64").toString();
}

const drafts = () => readdirSync(join(scratch, "drafts"));
const draftOf = ({ stderr }: Typed) => readFileSync(/your text is saved in (.*)$/m.exec(stderr)?.[1] ?? "", "utf8");

test("the edited text becomes the file, which keeps its mode; no draft is left", async () => {
  await put("~/a", "# Me\n");
  await home.sys.call("fs.setattr", { path: "~/a", mode: "0640" });
  expect(await edit("~/a", 'sed -i s/Me/You/ "$1"')).toEqual({ status: 0, stdout: "", stderr: "wrote ~/a\n" });
  expect(await content("~/a")).toBe("# You\n");
  expect((await home.sys.call<{ mode: string }>("fs.stat", { path: "~/a" })).mode).toBe("0640");
  expect(drafts()).toEqual([]);
});

test("an unchanged file is not written, and a message says so", async () => {
  await put("~/a", "x");
  const before = await home.sys.call("fs.stat", { path: "~/a" });
  await home.clock.advance(1000);
  expect(await edit("~/a", "exit 0")).toMatchObject({ status: 0, stderr: "no changes to ~/a\n" });
  expect(await home.sys.call<object>("fs.stat", { path: "~/a" })).toEqual(before as object);
});

test("a new file is created, unless nothing was written", async () => {
  expect((await edit("~/new", 'echo first > "$1"')).status).toBe(0);
  expect(await content("~/new")).toBe("first\n");
  expect((await edit("~/none", "exit 0")).status).toBe(0);
  expect(await home.refusal("fs.stat", { path: "~/none" })).toMatchObject({ code: "ENOENT" });
});

test("a failed editor cancels, and keeps the draft", async () => {
  await put("~/a", "x");
  const typed = await edit("~/a", 'echo mine > "$1"; exit 1');
  expect(draftOf(typed)).toBe("mine\n");
  expect([typed.status, typed.stderr.split("\n")[0]]).toEqual([
    2,
    "gsv: the editor ended with status 1: nothing was changed",
  ]);
  expect(await content("~/a")).toBe("x");
  // The next edit opens the draft.
  expect((await edit("~/a", 'cat "$1" > "$1.x"; mv "$1.x" "$1"')).stderr).toContain("continuing your draft");
  expect(await content("~/a")).toBe("mine\n");
  expect(drafts()).toEqual([]);
});

test.each([
  ["~/a", "theirs"],
  ["~/new", "made meanwhile"],
])("a file changed by others meanwhile stays, and so does the draft: %s", async (path, theirs) => {
  await put("~/a", "x");
  const typed = await edit(path, 'echo mine > "$1"', { meanwhile: () => put(path, theirs) });
  expect(typed.status).toBe(1);
  expect(typed.stderr).toContain("changed meanwhile and was not overwritten");
  expect(draftOf(typed)).toBe("mine\n");
  expect(await content(path)).toBe(theirs);
  // The draft has another base: the next edit starts with the current content.
  expect((await edit(path, 'echo more >> "$1"')).stderr).toBe(`wrote ${path}\n`);
  expect(await content(path)).toBe(`${theirs}more\n`);
});

test("an unwritable file, and a missing kernel, lose no draft", async () => {
  await home.person(0).call("fs.put", { path: "/etc/notes", data: "" });
  const refused = await edit("/etc/notes", 'echo mine > "$1"');
  expect(draftOf(refused)).toBe("mine\n");
  expect([refused.status, refused.stderr.split("\n")[0]]).toEqual([1, "gsv: edit: /etc/notes: Permission denied"]);
  const sys = await home.client();
  const call: Sys["call"] = async (name, args) => {
    if (name === "fs.put") throw new SysError("EAGAIN", "no kernel answers");
    return sys.call(name, args);
  };
  await put("~/a", "x");
  const alone = await edit("~/a", 'echo mine > "$1"', { sys: () => ({ ...sys, call }) });
  expect([draftOf(alone), alone.status]).toEqual(["mine\n", 75]);
});

test("binary content, and anything but a file, is refused before an editor starts", async () => {
  await put("~/bin", new Uint8Array([1, 0, 2]));
  await put("~/latin", new Uint8Array([0xe9, 0x20]));
  for (const path of ["~/bin", "~/latin", "~"]) expect((await edit(path, 'echo x > "$1"')).status).not.toBe(0);
  expect(drafts()).toEqual([]);
});
