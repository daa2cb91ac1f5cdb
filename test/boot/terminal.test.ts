// Questions at the terminal: keys make a hidden line, and an editor gets a private file and no secrets.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editText, lineFrom } from "../../src/machine/terminal.ts";
import { withHome } from "../support/home.ts";
import { UNTOLD } from "../support/io.ts";
import { gsvCommand } from "../support/program.ts";
import { rejection } from "../support/refusal.ts";

const directory = mkdtempSync(join(tmpdir(), "gsv-terminal-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function* keys(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("a hidden line of input", () => {
  test.each([
    [["secret\r"], "secret"],
    [["sec", "ret\n", "more"], "secret"],
    [["wrong\u0015right\r"], "right"],
    [["abc\u007f\bx\r"], "ax"],
    [["ü🙂\u007f\r"], "ü"],
  ])("%j is %j", async (chunks, line) => {
    expect(await lineFrom(keys(...chunks))).toBe(line);
  });

  test("ctrl-C cancels; ctrl-D and an end before the first key return no line", async () => {
    expect((await rejection(lineFrom(keys("abc\u0003")))).code).toBe("ECANCELED");
    expect((await rejection(lineFrom(keys("\u0004")))).code).toBe("EUSAGE");
    expect((await rejection(lineFrom(keys("abc")))).code).toBe("EUSAGE");
  });
});

/** An editor that records its arguments and follows a script. */
function editor(script: string): string {
  const path = join(directory, `editor-${readdirSync(directory).length}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("an editor", () => {
  const drafts: string[] = [];
  const onDraft = async (path: string) => void drafts.push(path);
  const request = { text: "before\n", name: "settings.conf", onDraft };
  const base = {
    PATH: "/usr/bin:/bin",
    HOME: directory,
    ANTHROPIC_API_KEY: "sk-canary-0123456789",
    GSV_HOME: "relative",
  };
  const places = { home: "/home/of/gsv", directory, cwd: "/" };

  test("gets a file that only its owner can read, its own arguments, this home, and an environment without secrets", async () => {
    const seen = join(directory, "seen");
    const VISUAL = `${editor(`ls -l "$2" > ${seen}; echo "$1" >> ${seen}; env >> ${seen}; echo after > "$2"`)} -w`;
    const edited = await editText({ ...UNTOLD, env: { ...base, VISUAL, EDITOR: "false" }, ...places }, request);
    expect(edited.text).toBe("after\n");
    const noted = readFileSync(seen, "utf8");
    expect(noted).toMatch(/^-rw-------/);
    expect(noted).toContain("\n-w\n");
    expect(noted).toContain("\nGSV_HOME=/home/of/gsv\n");
    expect(noted).not.toContain("canary");
    edited.done();
    expect(readdirSync(directory).filter((name) => name.startsWith("edit-"))).toEqual([]);
  });

  test("opens a saved draft until it is accepted; then nothing is left", async () => {
    const draft = join(directory, "draft-settings.conf");
    const edit = (EDITOR: string) => editText({ ...UNTOLD, env: { ...base, EDITOR }, ...places }, request);
    const left = () => readdirSync(directory).filter((name) => /^(?:edit|draft)-/.test(name));
    expect((await edit(editor('echo one >> "$1"'))).keep()).toBe(draft);
    expect(left()).toEqual(["draft-settings.conf"]);
    expect(statSync(draft).mode & 0o777).toBe(0o600);
    drafts.length = 0;
    const again = await edit(editor('echo two >> "$1"'));
    expect(drafts).toEqual([draft]);
    expect(again.text).toBe("before\none\ntwo\n");
    again.done();
    expect(left()).toEqual([]);
    // The text of an editor that fails is not lost either.
    const failed = await rejection(edit(editor('echo three >> "$1"; exit 3')));
    expect(failed.hints).toEqual([`your text is saved in ${draft}`]);
    expect(readFileSync(draft, "utf8")).toBe("before\nthree\n");
    (await edit(editor("true"))).done();
    expect(left()).toEqual([]);
  });

  test("that fails, that does not exist, or that would open other files changes nothing and leaves no file", async () => {
    for (const [EDITOR, code] of [
      [editor("exit 3"), "EUSAGE"],
      [join(directory, "nowhere"), "ECONFIG"],
      ["vim -- /etc/passwd", "ECONFIG"],
    ] as const) {
      const refused = await rejection(editText({ ...UNTOLD, env: { ...base, EDITOR }, ...places }, request));
      expect(refused.code).toBe(code);
    }
    expect(readdirSync(directory).filter((name) => name.startsWith("edit-"))).toEqual([]);
  });
});

test.each([
  ["a pipe", 'rm "$1"; mkfifo "$1"'],
  ["a link", 'rm "$1"; ln -s /etc/hostname "$1"'],
  ["a directory", 'rm "$1"; mkdir "$1"'],
])(
  "%s as an editor's result is neither waited for nor followed, but saved, and reported also with the next draft",
  async (what, script) => {
    const draftName = what.replace(" ", "-");
    const request = { text: "before\n", name: "notes.md", draftName, onDraft: async () => {} };
    const draft = join(directory, `draft-${draftName}`);
    const edit = (EDITOR: string) =>
      rejection(
        editText({ ...UNTOLD, env: { PATH: "/usr/bin:/bin", EDITOR }, home: directory, directory, cwd: "/" }, request),
      );
    const refused = await edit(editor(script));
    expect([refused.code, refused.hints]).toEqual(["EINVAL", [`your text is saved in ${draft}`]]);
    expect(lstatSync(draft).isFile()).toBe(false);
    const again = await edit(editor('echo late > "$1"'));
    expect(again.message).toBe(`${draft} is not a readable file: nothing was changed`);
    expect(lstatSync(draft).isFile()).toBe(false);
    expect(readdirSync(directory).filter((name) => name.startsWith("edit-"))).toEqual([]);
  },
);

test("a result of an editor that is not text is saved, and its path is shown", async () => {
  const env = { PATH: "/usr/bin:/bin", EDITOR: editor("printf '\\377' > \"$1\"") };
  const request = { text: "before\n", name: "notes.md", draftName: "other", onDraft: async () => {} };
  const refused = await rejection(editText({ ...UNTOLD, env, home: directory, directory, cwd: "/" }, request));
  expect([refused.code, refused.hints]).toEqual([
    "EINVAL",
    [`your text is saved in ${join(directory, "draft-other")}`],
  ]);
  expect(readFileSync(join(directory, "draft-other"))).toEqual(Buffer.from([0xff]));
});

test("gsv config set ai.apiKey on a real terminal asks, hides the input, and stores it", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["config", "list"])).status).toBe(0);
    let screen = "";
    let asked = () => {};
    const prompt = new Promise<void>((resolve) => (asked = resolve));
    const child = Bun.spawn([...gsvCommand(), "config", "set", "ai.apiKey"], {
      cwd: "/",
      env: {
        HOME: home.directory,
        PATH: process.env.PATH ?? "",
        GSV_HOME: home.directory,
        GSV_SECRETS: "file",
        TERM: "xterm",
      },
      terminal: {
        cols: 80,
        rows: 24,
        data(_terminal, bytes) {
          screen += Buffer.from(bytes).toString();
          if (screen.includes("ai.apiKey: ")) asked();
        },
      },
    });
    const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await prompt;
    child.terminal?.write("sk-canary-0123456789\r");
    expect(await child.exited).toBe(0);
    clearTimeout(late);
    child.terminal?.close();
    expect(screen).toContain("set (sha256:");
    expect(screen).not.toContain("canary");
    const { stdout } = await home.gsv(["config", "get", "ai.apiKey"]);
    expect(stdout).toMatch(/^set \(sha256:[0-9a-f]{4}…\)\n$/);
  });
}, 30_000);
