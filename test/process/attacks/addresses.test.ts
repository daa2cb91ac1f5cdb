// Known faults of addresses, keys, names and terminals, by number. Every fault of the list has a test in this folder.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../../commands/run.ts";
import { sanitize } from "../../../src/lib/text/sanitize.ts";
import { editText } from "../../../src/machine/terminal.ts";
import { AttackGround, attack } from "../../support/attacks.ts";
import { FakeIo, UNTOLD } from "../../support/io.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";
import { rejection } from "../../support/refusal.ts";

const ground = new AttackGround();
const { scratch } = ground;
beforeAll(() => ground.begin());
afterAll(() => ground.end());

attack("CVE-2022-25912 CVE-2022-25860", "a repository's address is never a program or an option", async () => {
  const ran = join(scratch, "ran-by-git");
  for (const remote of [`ext::touch ${ran}`, `--upload-pack=touch ${ran}`, `-oProxyCommand=touch ${ran}`, "fd::7"])
    expect(`${remote} ${(await ground.desk.home.refusal("repo.import", { remote, repo: "copy" })).code}`).toBe(
      `${remote} EINVAL`,
    );
  await ground.desk.home.refusal("repo.import", { remote: `ssh://-oProxyCommand=touch${ran}/y`, repo: "copy" });
  expect(existsSync(ran)).toBe(false);
});

attack(
  "CVE-2025-68143 CVE-2025-68144 CVE-2025-68145 CVE-2026-27735",
  "a version, path or place of git is never an option and leads nowhere outside",
  async () => {
    const { home } = ground.desk;
    for (const ref of ["--output=/tmp/x", "-p", "--all"]) {
      expect((await home.refusal("repo.compare", { base: ref, head: "HEAD" })).code).toBe("EINVAL");
      expect((await home.refusal("repo.log", { ref })).code).toBe("EINVAL");
    }
    expect((await home.refusal("repo.read", { path: "../../kernel.db" })).code).toBe("EINVAL");
    expect((await home.refusal("repo.create", { repo: "../elsewhere" })).code).toBe("EINVAL");
  },
);

attack(
  "CVE-2025-6514",
  "an address is http or https: no file, program or option; only gsv itself opens it",
  async () => {
    const { home } = ground.desk;
    const inside = await home.insideOf(INIT, { approved: true });
    for (const url of [
      "file:///etc/passwd",
      "$(id)",
      "https://a b/'$(id)'",
      "-x",
      "javascript:alert(1)",
      "data:text/plain,x",
    ])
      expect(`${url} ${(await home.refusal("net.fetch", { url }, inside)).code}`).toMatch(/ E(?:INVAL|PERM)$/);
    const openers = ["src", "commands", "tui"]
      .flatMap(sourceFiles)
      .filter((file) => /xdg-open|\bopen -u\b/.test(readFileSync(file, "utf8")));
    expect(openers).toEqual(["src/machine/browser/open.ts"]);
  },
);

attack("CVE-2026-25253", "only a person sets where keys are sent: no agent, script or message changes it", async () => {
  const { home } = ground.desk;
  const inside = await home.insideOf(INIT);
  for (const key of ["ai.baseUrl", "ai.provider", "providers.openai.baseUrl"])
    expect((await home.refusal("config.set", { key, value: "http://127.0.0.1:9/v1" }, inside)).code).not.toBe("done");
  const told = await ground.desk.calls("Shell", {
    command: "config set ai.baseUrl http://127.0.0.1:9/v1; config get ai.baseUrl",
  });
  if (typeof told !== "string") await ground.desk.answers(told, "deny");
  expect(JSON.stringify(await home.sys.call("config.get", { key: "ai.baseUrl" }))).not.toContain("127.0.0.1:9");
});

attack(
  "CVE-2026-25593 CVE-2026-28472 GHSA-rqpp-rjj8-7wv8",
  "an unknown caller writes no settings, a token must be valid, and extra fields give no rights or guesses",
  async () => {
    await using home = await TestKernel.boot();
    const password = "correct horse battery";
    await home.person(0).call("account.create", { username: "bob" });
    await home
      .person(0)
      .call("account.password", { username: "bob", password })
      .catch(() => {});
    const refusal = (credentials: object) =>
      home.login(credentials as never, "peer").then(
        () => "in",
        (error: Error) => error.message,
      );
    for (const credentials of [{ token: "" }, { token: "x" }, { user: "bob", token: "gsv_user_" }, { user: "sam" }])
      expect(await refusal(credentials)).not.toBe("in");
    const inside = await home.insideOf(INIT);
    expect(
      (
        await home.refusal(
          "config.set",
          { key: "ai.baseUrl", value: "http://x", caps: ["*"], approved: true, uid: 0 },
          inside,
        )
      ).code,
    ).not.toBe("done");
    for (let guess = 0; guess < 10; guess++)
      expect(await refusal({ user: "bob", password: `guess ${guess}`, deviceToken: "x" })).not.toBe("in");
    expect(await refusal({ user: "bob", password, deviceToken: "y" })).toContain("too many");
  },
);

attack("CVE-2020-27347", "no foreign text moves, renames or programs a terminal", () => {
  const said =
    "\x1b]0;title\x07\x1b]52;c;eA==\x07\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\\x1bPq\x1b\\\x1b[2J\x1b[31mred\x9b31m\rover\b\u202eevil";
  expect(sanitize(said)).not.toMatch(/[\x1b\x9b\x07\x08\r\u202e]/);
  expect(sanitize(sanitize(said))).toBe(sanitize(said));
});

attack("flags in a text (2.1.118)", "a message to an agent is never read as a flag", async () => {
  const text = "--settings={} --model=evil --mode yolo";
  for (const words of [["--", text], [`hi ${text}`]]) {
    const io = new FakeIo();
    io.sys().answer("proc.send", () => ({ runId: "r", queued: false }));
    await runCommandLine(["proc", "send", ...words], io);
    const [sent] = io.sys().asked("proc.send");
    expect(String(sent?.message)).toContain(text);
    expect(sent?.model).toBeUndefined();
  }
});

attack(
  "CVE-2019-14287 CVE-2023-22809 CVE-2021-3156",
  "no odd number is root, an editor opens one file, and a trailing backslash stays a backslash",
  async () => {
    for (const uid of [-1, 4294967296, "0x0", "\uff10", "-1", 0.5])
      expect(`${uid} ${(await ground.desk.home.refusal("proc.list", { uid })).code}`).toBe(`${uid} EINVAL`);
    const asked = { text: "", name: "a.txt", onDraft: async () => {} };
    const places = { home: scratch, directory: scratch, cwd: "/" };
    const editing = (EDITOR: string) =>
      editText({ ...UNTOLD, env: { PATH: "/bin:/usr/bin", EDITOR }, ...places }, asked);
    expect((await rejection(editing("vim -- /etc/passwd"))).code).toBe("ECONFIG");
    expect(await ground.desk.calls("Shell", { command: "echo 'a\\' && printf %s 'b\\'" })).toBe(
      "a\\\nb\\\n(exit status 0)",
    );
  },
);

const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));

test("every fault of the list has its test", () => {
  const known = `54794 54795 58764 66032 64755 59536 21852 52882 25725 54135 25724 39861 88968 34452 46406 59532 59944 54136 6514 49596
    66414 66416 11624 53109 53110 68143 68144 68145 27735 25253 25593 28472 34346 24765 32002 48384 25912 25860 27347 14287 22809 3156`;
  const tests = sourceFiles(import.meta.dir).map((file) => readFileSync(file, "utf8"));
  const titled = tests.flatMap((text) => text.match(/CVE-\d{4}-\d+/g) ?? []);
  expect(known.split(/\s+/).filter((number) => !titled.some((title) => title.endsWith(`-${number}`)))).toEqual([]);
});
