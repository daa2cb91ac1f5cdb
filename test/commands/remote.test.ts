// `gsv login`, `logout` and `remote`: what they ask, print and store, with a server that a test answers for.

import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { RemoteEntry, SavedRemote } from "../../src/abi/remote.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

const URL_ = "https://gsv.example:4870";
const FINGERPRINT = `sha256:${"ab".repeat(32)}`;
const box: SavedRemote = {
  ...{ name: "box", url: "https://box.example", certificate: null, token: "gsv_user_secret" },
  ...{ account: "sam", tokenId: "t1", expiresAt: null },
};

let io: FakeIo;
let secrets: object[];
let ended: string[];
beforeEach(() => {
  io = new FakeIo();
  secrets = [];
  ended = [];
  io.fakeSys.answer("system.whoami", () => ({ username: "sam" }));
  io.remotes.way = way();
});

function way(more: Partial<RemoteEntry> = {}): RemoteEntry {
  return {
    urlOf: (text) => text,
    strangeCertificate: async () => null,
    check: async () => {},
    signIn: async (_at, secret) => {
      secrets.push(secret);
      return { token: "gsv_user_secret", id: "t2", expiresAt: null };
    },
    signOut: async ({ name }) => void ended.push(name),
    open: () => io.fakeSys,
    ...more,
  };
}

describe("gsv login", () => {
  test("on a terminal asks for account and password, and prints neither token nor password", async () => {
    io.terminal();
    io.answers.push("pat");
    io.hidden.push("hunter2");
    expect(await runs(io, "login", URL_)).toBe(0);
    expect(secrets).toEqual([{ kind: "password", user: "pat", password: "hunter2" }]);
    expect(io.remotes.kept).toMatchObject([{ name: "gsv", url: URL_, account: "sam", tokenId: "t2" }]);
    expect(io.stdout.text + io.stderr.text).not.toMatch(/hunter2|gsv_user_secret/);
    expect(io.stdout.text).toBe(`Signed in to gsv (${URL_}) as sam\n`);
  });

  test("without a terminal takes password, code or token from the first line of stdin", async () => {
    const from = (text: string) => {
      io.stdin = stdinOf("pipe", [text]);
    };
    from("hunter2\nmore\n");
    expect(await runs(io, "login", URL_, "--user", "pat")).toBe(0);
    from("ABCD-EFGH\n");
    expect(await runs(io, "login", URL_, "--code", "--json")).toBe(0);
    from("gsv_user_pasted\n");
    expect(await runs(io, "login", URL_, "--token", "--use")).toBe(0);
    expect(secrets).toEqual([
      { kind: "password", user: "pat", password: "hunter2" },
      { kind: "code", code: "ABCD-EFGH" },
    ]);
    expect(io.remotes.kept).toMatchObject([{ token: "gsv_user_pasted", tokenId: null }]);
    expect(io.remotes.usedName).toBe("gsv");
    expect(io.stdout.text).not.toContain("gsv_user");
  });

  test("an unknown certificate is accepted by a yes or by its fingerprint, and by nothing else", async () => {
    io.remotes.way = way({ strangeCertificate: async () => ({ pem: "PEM", fingerprint: FINGERPRINT }) });
    io.stdin = stdinOf("pipe", ["hunter2"]);
    expect(await runs(io, "login", URL_, "--user", "pat")).toBe(78);
    expect(io.stderr.text).toContain(`--fingerprint ${FINGERPRINT}`);
    expect(await runs(io, "login", URL_, "--user", "pat", "--fingerprint", `sha256:${"00".repeat(32)}`)).toBe(78);
    expect(await runs(io, "login", URL_, "--user", "pat", "--fingerprint", FINGERPRINT)).toBe(0);
    io.terminal();
    io.answers.push("no");
    expect(await runs(io, "login", URL_, "--user", "pat", "--name", "b")).toBe(130);
    io.answers.push("yes");
    io.hidden.push("hunter2");
    expect(await runs(io, "login", URL_, "--user", "pat", "--name", "b")).toBe(0);
    expect(io.remotes.kept.map(({ certificate }) => certificate)).toEqual(["PEM", "PEM"]);
  });

  test("a server of another version is refused before a secret is asked for", async () => {
    io.terminal();
    io.remotes.way = way({
      check: async () => Promise.reject(new SysError("ECONFIG", "gsv here is 1.0.0, on gsv it is 2.0.0")),
    });
    expect(await runs(io, "login", URL_)).toBe(78);
    expect([io.questions, io.remotes.kept]).toEqual([[], []]);
  });

  test("signing in again replaces the token and revokes the old one; another address needs another name", async () => {
    io.remotes.kept = [{ ...box, url: URL_ }];
    io.stdin = stdinOf("pipe", ["hunter2"]);
    expect(await runs(io, "login", URL_, "--user", "pat", "--name", "box")).toBe(0);
    expect(ended).toEqual(["box"]);
    expect(await runs(io, "login", "https://other.example", "--user", "pat", "--name", "box")).toBe(1);
    expect(io.stderr.text).toContain(`the remote box is ${URL_}`);
  });

  test.each([["local"], ["two words"], ["-x"], ["a/b"]])("%s is no name of a remote", async (name) => {
    expect(await runs(io, "login", URL_, `--name=${name}`)).toBe(2);
    expect(io.remotes.kept).toEqual([]);
  });

  test("without an address it lists what is possible on a terminal, and is wrong usage elsewhere", async () => {
    io.terminal();
    expect(await runs(io, "login")).toBe(2);
    expect(io.stderr.text).toContain("gsv auth setup");
    const piped = new FakeIo();
    expect(await runs(piped, "login")).toBe(2);
    expect(piped.stderr.text).toContain("give the address of a server");
  });
});

test.each([
  [
    ["login", "nas"],
    2,
    "gsv: not an address of a server: nas\n  write gsv login https://nas:4870, or: gsv login list, gsv login revoke ID\n",
  ],
  [["login", URL_, "--token"], 4, "gsv: no token on stdin\n"],
])("%j exits with %d and says what is missing", async (line, status, message) => {
  io.stdin = stdinOf("pipe", [""]);
  expect(await runs(io, ...line)).toBe(status);
  expect(io.stderr.text).toStartWith(message);
});

describe("gsv logout and remote rm", () => {
  test("revoke the token there, and forget the remote here even if the server does not answer", async () => {
    io.remotes.kept = [box, { ...box, name: "far" }];
    expect(await runs(io, "logout", "box")).toBe(0);
    expect(ended).toEqual(["box"]);
    io.remotes.way = way({ signOut: async () => Promise.reject(new SysError("EAGAIN", "far does not answer")) });
    expect(await runs(io, "remote", "rm", "far")).toBe(0);
    expect(io.stderr.text).toContain("its token is still valid there: far does not answer");
    expect(io.remotes.kept).toEqual([]);
  });

  test("without a name the remote in use is meant", async () => {
    expect(await runs(io, "logout")).toBe(2);
    io.remotes.kept = [box];
    io.remotes.server = box;
    expect(await runs(io, "logout")).toBe(0);
    expect(io.remotes.kept).toEqual([]);
  });
});

describe("gsv remote", () => {
  test("lists and shows without tokens", async () => {
    io.remotes.kept = [box];
    io.remotes.usedName = "box";
    expect(await runs(io, "remote", "list")).toBe(0);
    expect(io.stdout.text).toContain("box");
    expect(await runs(io, "remote", "list", "--json")).toBe(0);
    expect(JSON.parse(io.stdout.lines.at(-1) ?? "")).toEqual({
      ...{ name: "box", url: box.url, account: "sam", expiresAt: null, isUsed: true },
    });
    expect(await runs(io, "remote", "show", "box")).toBe(0);
    expect(io.stdout.text).not.toContain(box.token);
  });

  test("use selects a remote, local and --none this computer", async () => {
    io.remotes.kept = [box];
    expect(await runs(io, "remote", "use", "box")).toBe(0);
    expect(io.remotes.usedName).toBe("box");
    expect(await runs(io, "remote", "use", "local")).toBe(0);
    expect(io.remotes.usedName).toBe(null);
    expect(await runs(io, "remote", "use", "nope")).toBe(3);
    expect(await runs(io, "remote", "use", "box", "--none")).toBe(2);
  });

  test("--remote chooses for one command, before or after it", async () => {
    await runs(io, "--remote", "box", "ps");
    expect(io.remotes.chosen).toBe("box");
    await runs(io, "ps", "--remote=far");
    expect(io.remotes.chosen).toBe("far");
    expect(await runs(io, "ps", "--remote")).toBe(2);
  });

  test("names are completed, and names of processes are those of that kernel", async () => {
    io.remotes.kept = [box];
    await runs(io, "__complete", "2", "gsv", "--remote", "");
    await runs(io, "__complete", "1", "--remote", "b");
    expect(io.stdout.text).toContain("box\tsam at https://box.example\n");
    await runs(io, "__complete", "4", "--remote", "box", "attach", "");
    expect(io.remotes.chosen).toBe("box");
  });
});
