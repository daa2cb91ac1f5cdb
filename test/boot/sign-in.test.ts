// Acting as another account, as a person does it: gsv in a real terminal, with a password from a descriptor, and with a token.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

const ROOT_PASSWORD = "root's own words";
const DEADLINE_MS = 20_000;

/** Runs gsv on a terminal of its own and types an answer at each prompt; returns the screen. */
async function onTerminal(
  home: TestHome,
  args: readonly string[],
  answers: string[],
): Promise<{ status: number; screen: string }> {
  let screen = "";
  const child = Bun.spawn([...gsvCommand(), ...args], {
    env: {
      HOME: home.beside("."),
      USER: "sam",
      PATH: process.env.PATH ?? "",
      GSV_HOME: home.directory,
      GSV_KERNEL_LOCK_CHECK_MS: "200",
    },
    terminal: {
      cols: 100,
      rows: 30,
      data(terminal, bytes) {
        screen += new TextDecoder().decode(bytes);
        const answer = screen.endsWith(": ") ? answers.shift() : undefined;
        if (answer !== undefined) terminal.write(`${answer}\n`);
      },
    },
  });
  const late = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const status = await child.exited;
  clearTimeout(late);
  return { status, screen };
}

async function typesRootPassword(home: TestHome): Promise<void> {
  const { status, screen } = await onTerminal(home, ["passwd", "root"], [ROOT_PASSWORD, ROOT_PASSWORD]);
  expect([status, screen.includes("password of root changed")]).toEqual([0, true]);
  expect(screen).not.toContain(ROOT_PASSWORD);
}

const byDescriptor = (home: TestHome, password: string, ...args: string[]) =>
  home.gsv(args, { env: { GSV_PASSWORD_FD: "0" }, stdin: `${password}\n` });

test("root is locked until its password was typed on a terminal; then gsv user add bob works for root, and for no one else", async () => {
  await withHome(async (home) => {
    const early = await byDescriptor(home, "anything at all", "user", "add", "bob", "--user", "root");
    expect([early.status, early.stderr]).toEqual([4, expect.stringContaining("root is locked")]);
    const piped = await home.gsv(["passwd", "root"], { stdin: "some password\n" });
    expect([piped.status, piped.stderr]).toEqual([1, expect.stringContaining("typed on a terminal")]);
    await typesRootPassword(home);
    const plain = await home.gsv(["user", "add", "bob"]);
    expect([plain.status, plain.stderr]).toEqual([1, expect.stringContaining("only root may add humans")]);
    const added = await byDescriptor(home, ROOT_PASSWORD, "user", "add", "bob", "--user", "root");
    expect([added.status, added.stdout]).toEqual([0, expect.stringContaining("added bob")]);
    const wrong = await byDescriptor(home, "wrong words", "ps", "--user", "root");
    expect([wrong.status, wrong.stdout]).toEqual([4, ""]);
    const nobody = await home.gsv(["ps", "--user", "root"]);
    expect([nobody.status, nobody.stderr]).toEqual([4, expect.stringContaining("GSV_PASSWORD_FD")]);
  });
}, 60_000);

test("a login is stored for its owner alone, works without a prompt, and ends with logout", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["ps"])).status).toBe(0);
    await typesRootPassword(home);
    expect((await byDescriptor(home, ROOT_PASSWORD, "auth", "login", "root")).status).toBe(0);
    const file = join(home.paths.runDir, "login-root.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token } = JSON.parse(readFileSync(file, "utf8")) as { token: string };
    const who = await home.gsv(["system", "whoami", "--user", "root"]);
    expect([who.status, who.stdout]).toEqual([0, expect.stringContaining("root (uid 0")]);
    const wrong = await byDescriptor(home, "wrong words", "system", "whoami", "--user", "root");
    expect([wrong.status, wrong.stdout]).toEqual([4, ""]);
    expect((await home.gsv(["auth", "logout", "root"])).status).toBe(0);
    expect(existsSync(file)).toBe(false);
    const after = await home.gsv(["ps"], { env: { GSV_TOKEN: token } });
    expect([after.status, after.stderr]).toEqual([4, "gsv: this token was revoked\n"]);
  });
}, 60_000);

test("GSV_TOKEN acts as its account, never as another, and also if each command is its own kernel", async () => {
  await withHome(async (home) => {
    const { stdout } = await home.gsv(["auth", "token", "create", "--label", "script"]);
    const env = { GSV_TOKEN: stdout.trim() };
    expect((await home.gsv(["system", "whoami"], { env })).stdout).toContain("sam (uid 1000");
    expect((await home.gsv(["ps", "--user", "root"], { env })).status).toBe(4);
    await home.stop();
    const alone = { ...env, GSV_KERNEL: "in-process" };
    expect((await home.gsv(["system", "whoami"], { env: alone })).status).toBe(0);
    expect((await home.gsv(["ps"], { env: { ...alone, GSV_TOKEN: "gsv_user_wrong" } })).status).toBe(4);
    expect((await home.gsv(["ps"], { env: { GSV_TOKEN: "gsv_user_wrong" } })).stdout).toBe("");
  });
}, 60_000);
