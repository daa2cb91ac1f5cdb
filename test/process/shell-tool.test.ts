// The tool Shell: commands that an agent may run on gsv and on the host, approvals, and closed escape routes.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import type { PlannedCall } from "../support/answers.ts";
import { Desk, why } from "../support/desk.ts";
import { WAYS } from "../support/host.ts";
import { INIT } from "../support/kernel.ts";
import { standInSandbox } from "../support/sandbox.ts";
import { scratchDirectory } from "../support/scratch.ts";

const scratch = scratchDirectory("shell-tool");
const work = join(scratch, "work");
mkdirSync(join(work, "src"), { recursive: true });
writeFileSync(join(work, "notes"), "call the bank\n");
writeFileSync(join(scratch, "secret"), "canary\n");
symlinkSync(join(scratch, "secret"), join(work, "link"));
// From here `..` leads to an unexpected place.
mkdirSync(join(work, "src/down"));
symlinkSync(work, join(work, "src/down/up"));
const sandbox = standInSandbox(scratch);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A scan of words does not find these. */
const SLY = "a=r; $a'm' ~/kept; config set ai.model offline; echo $?";

test("on gsv a command runs without approval, and returns its output and exit status", async () => {
  await using desk = await Desk.at({ cwd: work });
  expect(await desk.calls("Shell", { command: "echo one; ls -d /proc; exit 3" })).toBe("one\n/proc\n(exit status 3)");
  expect(await desk.calls("Shell", { command: "echo note > ~/kept; cat ~/kept", description: "keep a note" })).toBe(
    "note\n(exit status 0)",
  );
  // The same file under the same name for every tool.
  expect(await desk.calls("Read", { path: "~/kept" })).toContain("note");
  expect(await desk.calls("Shell", { command: "echo ~; cd; pwd" })).toBe("/home/sam\n/home/sam\n(exit status 0)");
});

test("input for a missing command causes no request for approval", async () => {
  await using desk = await Desk.at({ cwd: work });
  expect(await desk.calls("Shell", { input: "rm -rf build", target: "host" })).toBe(
    "EINVAL: command or id is missing\nto run a command, use command; input is for a running command",
  );
  const id = "0190a1b2-0000-7000-8000-000000000001";
  expect(await desk.calls("Shell", { id, input: "ls" })).toBe(`ENOENT: no such script, or it ended long ago: ${id}`);
});

test("the approver sees when a command in gsv may reach host files", async () => {
  await using desk = await Desk.at({ cwd: work });
  await desk.home.sys.call("workspace.attach", { what: work, pid: "init:1000" });
  const asked = await desk.calls("Shell", { command: "rm -rf nothing" });
  const { cwd } = await desk.home.get("init:1000");
  expect(cwd).toStartWith("/workspaces/dir_");
  expect(why(asked)).toBe("run in gsv, on files of this computer: rm -rf nothing");
  await desk.answers(asked, "deny");
  const elsewhere = await desk.calls("Shell", { command: "rm -rf ~/nothing", cwd: "/home/sam" });
  expect(why(elsewhere)).toBe("run in gsv: rm -rf ~/nothing");
  await desk.answers(elsewhere, "deny");
  const named = await desk.calls("Shell", { command: `rm -rf ${cwd}/nothing`, cwd: "/home/sam" });
  expect(why(named)).toStartWith("run in gsv, on files of this computer: ");
});

test("a command that deletes or uses the network asks with its full text, and runs once approved", async () => {
  await using desk = await Desk.at({ cwd: work });
  await desk.calls("Shell", { command: "echo note > ~/kept" });
  const asked = await desk.calls("Shell", { command: "rm ~/kept && echo gone" });
  expect(why(asked)).toBe("run in gsv: rm ~/kept && echo gone");
  expect(await desk.answers(asked)).toBe("gone\n(exit status 0)");
  const again = await desk.calls("Shell", { command: "curl https://example.org" });
  expect(why(again)).toBe("run in gsv: curl https://example.org");
  expect(await desk.answers(again, "deny")).toContain("denied");
});

test("a hidden delete or network access is refused when it happens", async () => {
  await using desk = await Desk.at({ cwd: work });
  const pid = await desk.home.task();
  await desk.calls("Shell", { command: "echo note > ~/kept; echo x > ~/other" });
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: bash takes them
  const sly = [
    "a=r; ${a}m ~/kept",
    "$(printf 'r%s' m) ~/kept",
    "a=m; ${a}v ~/other ~/kept",
    `a=kil; \${a}l -KILL ${pid}`,
    `a=kil; proc \${a}l ${pid}`,
    "a=delet; fs ${a}e ~/kept",
    "a=context; mkdir -p ~/$a.d; echo x > ~/$a.d/10.md",
    "a=context; fs write ~/$a.d/10.md x",
    "a=hos; gsv sh --${a}t -c id",
    "config set ai.model script:/x",
  ];
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: bash takes them
  for (const command of sly) {
    const told = await desk.calls("Shell", { command });
    expect(`${command}: ${why(told)}`).toMatch(
      /needs? the user's approval|is for people|EPERM|may not|no such directory on this computer/,
    );
  }
  expect(await desk.calls("Shell", { command: "cat ~/kept; cd; ls kept other context.d" })).toMatch(
    /^note\nkept\nother\n(?!.*10\.md)/s,
  );
  expect((await desk.home.get(pid)).state).toBe("idle");
});

test("a command can ask explicitly; the approval covers the script and nothing beyond it", async () => {
  await using desk = await Desk.at({ cwd: work });
  await desk.calls("Shell", { command: "echo note > ~/kept" });
  const asked = await desk.calls("Shell", { command: SLY, ask: true });
  expect(why(asked)).toBe(`run in gsv: ${SLY}`);
  const told = await desk.answers(asked);
  expect(told).toContain("config.set is for people");
  expect(await desk.calls("Shell", { command: "ls ~/kept" })).toContain("No such file");
});

test("without a sandbox every host command asks, and the card shows its possible effects", async () => {
  await using desk = await Desk.at({ cwd: work });
  const asked = await desk.calls("Shell", { target: "host", command: "pwd; cat notes" });
  expect(why(asked)).toBe(
    `attach ${work} and run on this computer in ${work}, with NO SANDBOX: it can do everything you can: pwd; cat notes`,
  );
  expect(await desk.answers(asked)).toBe(`${work}\ncall the bank\n(exit status 0)`);
  const again = await desk.calls("Shell", { target: "host", command: "pwd" });
  expect(why(again)).toStartWith(`run on this computer in ${work}, with NO SANDBOX`);
  expect(await desk.answers(again, "deny")).toContain("denied");
});

test("in a sandbox, commands that only read an attached directory run without approval, and all others ask", async () => {
  await using desk = await Desk.at({ cwd: work, sandbox: sandbox.program });
  const first = await desk.calls("Shell", { target: "host", command: "ls" });
  expect(why(first)).toBe(`attach ${work} and run on this computer in ${work}, in a sandbox without network: ls`);
  expect(await desk.answers(first)).toBe("link\nnotes\nsrc\n(exit status 0)");
  const looking = [
    ["cat notes", "call the bank"],
    ["cd src && pwd; ls down", `${join(work, "src")}\nup`],
    ["awk '{ print $3 }' notes", "bank"],
  ] as const;
  for (const [command, said] of looking)
    expect(await desk.calls("Shell", { target: "host", command })).toBe(`${said}\n(exit status 0)`);
  const asking = [
    "cd ..; ls",
    "cd src && cat ../../secret",
    "cd src/down/up && cat ../secret",
    "cd nowhere || cat ../secret",
    "cd src && npm test",
    "cd && ls",
    "awk '{ print > $1 }' notes",
    "cat link",
    "cat ../secret",
    `cat ${join(scratch, "secret")}`,
    "cat notes > copy",
    "cat $(echo notes)",
    "ls; npm ls",
    "touch made",
    "grep -f notes notes",
    "npm test",
  ];
  for (const command of asking) {
    const asked = await desk.calls("Shell", { target: "host", command });
    expect(`${why(asked)}`).toEndWith(`in a sandbox without network: ${command}`);
    await desk.answers(asked, "deny");
  }
  const more = [{ network: true }, { ask: true }, { fed: true }, { cwd: join(work, "src") }];
  for (const each of more) {
    const asked = await desk.calls("Shell", { target: "host", command: "ls", ...each });
    expect(why(asked)).toContain("run on this computer");
    await desk.answers(asked, "deny");
  }
  expect(why(await desk.calls("Shell", { target: "host", command: "ls" }))).toBe(
    "ran: link\nnotes\nsrc\n(exit status 0)",
  );
});

test("the sandbox shows the listed paths, and only allowed environment variables reach it", async () => {
  const hostEnv = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", OPENAI_API_KEY: "canary-key", GSV_HOME: "canary" };
  await using desk = await Desk.at({ cwd: work, sandbox: sandbox.program, hostEnv });
  const told = await desk.answers(await desk.calls("Shell", { target: "host", command: "env; echo $TMPDIR" }));
  expect(told).not.toContain("canary");
  expect(told).toContain("/tmp\n(exit status 0)");
  const words = sandbox.calls().at(-1)?.join(" ") ?? "";
  expect(words).toContain(`--bind ${work} ${work}`);
  expect(words).toContain("--unshare-net");
  const around = { target: "host", command: "true", network: true, cwd: join(desk.home.directory, "..") };
  await desk.answers(await desk.calls("Shell", around));
  expect(sandbox.calls().at(-1)).not.toContain("--unshare-net");
  expect(sandbox.calls().at(-1)).toContain(desk.home.directory);
});

test("a refused place is reported before any request for approval", async () => {
  await using desk = await Desk.at({ cwd: "/somewhere" });
  const told = [
    await desk.calls("Shell", { target: "host", command: "ls" }),
    await desk.calls("Shell", { target: "host", command: "ls", cwd: desk.home.directory }),
    await desk.calls("Shell", { target: "host", command: "ls", cwd: "src" }),
    await desk.calls("Shell", { target: "host", command: "ls", cwd: "/etc/passwd" }),
  ];
  expect(told.map(why).map((text) => text.split("\n")[0])).toEqual([
    "ran: ENOENT: no such directory on this computer: /somewhere",
    `ran: EPERM: ${desk.home.directory} is in gsv's own home, which is off limits`,
    "ran: EINVAL: not an absolute path: src",
    "ran: ENOTDIR: not a directory on this computer: /etc/passwd",
  ]);
});

test("no process reaches the host by another way", async () => {
  await using desk = await Desk.at({ cwd: work, sandbox: sandbox.program });
  await desk.answers(await desk.calls("Shell", { target: "host", command: "ls" }));
  const inside = await desk.home.insideOf(INIT);
  const id = "0190a1b2-0000-7000-8000-000000000001";
  const host = { id, target: "host", script: "touch made", cwd: work };
  for (const args of [host, { ...host, network: true, script: "ls" }, { ...host, fed: true, script: "ls" }])
    expect((await desk.home.refusal("shell.run", args, inside)).code).toBe("EBLOCKED");
  expect((await desk.home.refusal("shell.exec", { target: "host", command: "touch made" }, inside)).code).toBe(
    "EBLOCKED",
  );
  expect((await desk.home.refusal("shell.run", { ...host, script: "ls", bare: true }, inside)).code).toBe("EPERM");
  await desk.home.sys.call("shell.run", { ...host, script: "cat", fed: true, waitMs: 0 });
  expect((await desk.home.refusal("shell.input", { id, data: "" }, inside)).code).toBe("ENOENT");
  const { kernel } = desk.home;
  const machine = kernel.sysFor(1000, async () => ({ ...(await kernel.callers.person(1000, "/")), kind: "service" }));
  expect((await desk.home.refusal("shell.input", { id, data: "" }, machine)).code).toBe("EBLOCKED");
  await desk.home.sys.call("shell.stop", { id });
  expect(existsSync(join(work, "made"))).toBe(false);
  const root = desk.home.person(0);
  const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
  const refused = await desk.home.refusal("shell.run", { ...host, cwd: work }, desk.home.person(uid));
  expect(refused.message).toBe("bob may not use the host: only the owner of this home can");
  const dropped = await desk.home.insideOf(await desk.home.task({ drop: "shell.host" }));
  expect((await desk.home.refusal("shell.run", host, dropped)).message).toContain("needs shell.host");
});

test.each(WAYS)("a long command returns its output so far, and can be read and fed by its id: $name", async (way) => {
  await using desk = await Desk.at({ cwd: work, sandbox: way.program });
  const script = 'echo ready; read -r line; echo "<$line>"; read -r line; echo "<$line>"';
  const asked = await desk.calls("Shell", { target: "host", command: script, fed: true, waitMs: 300 });
  if (typeof asked === "string") throw new Error(asked);
  // The run continues call by call: processes it left running would end with it.
  const { home } = desk;
  const calls: PlannedCall[] = [];
  home.model.will(INIT, { calls, hold: true });
  await home.sys.call("hil.answer", { id: asked.id, decision: "approve" });
  await home.holding();
  const told = (await desk.results()).at(-1) ?? "";
  const [, id = ""] = /^ready\n\(still running: call Shell with id ([0-9a-f-]{36}) /.exec(told) ?? [];
  for (const args of [{ waitMs: 0 }, { input: "one\n", waitMs: 300 }])
    calls.push({ name: "Shell", args: { id, ...args } });
  home.model.release();
  await home.until("it asks for what it types", async () => (await desk.open()).length > 0);
  const [typing] = await desk.open();
  expect(typing?.why).toBe(`type into command ${id}: one\n`);
  expect((await desk.results()).at(-1)).toStartWith("(still running:");
  await desk.answers(typing ?? "");
  expect((await desk.results()).at(-1)).toStartWith("<one>\n(still running:");
});

test.each(WAYS)("commands left running by a run end with it: $name", async (way) => {
  await using desk = await Desk.at({ cwd: work, sandbox: way.program });
  const asked = await desk.calls("Shell", { target: "host", command: "echo $$; sleep 1000", waitMs: 200 });
  const told = await desk.answers(asked);
  expect(told).toContain("(still running:");
  await desk.home.until("it has ended", async () => {
    const { shells } = await desk.home.sys.call<{ shells: { exit: number | null }[] }>("shell.list", {});
    return shells.at(-1)?.exit === 143;
  });
});

test("long output is returned as its beginning and end, with the file of the whole", async () => {
  await using desk = await Desk.at({ cwd: work });
  const told = await desk.calls("Shell", { command: "seq 9000 | sed 's,^,line ,'" });
  expect(why(told)).toStartWith("ran: line 1\nline 2\n");
  expect(why(told)).toContain("bytes left out");
  expect(why(told)).toMatch(/\nline 9000\n\(full output: \/tmp\/shell-[0-9a-f-]+\.txt\)\n\(exit status 0\)$/);
  expect(Buffer.byteLength(String(told))).toBeLessThanOrEqual(32 * 1024);
  const [, path = ""] = /full output: (\S+)\)/.exec(String(told)) ?? [];
  expect(await desk.calls("Shell", { command: `wc -l < ${path}` })).toMatch(/^\s*9000\n/);
});

test("a command that survives the kernel has its result in the next one, and ran once", async () => {
  await using desk = await Desk.at({ cwd: work });
  const command = "echo began >> began; echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4";
  const asked = await desk.calls("Shell", { target: "host", command });
  await desk.home.sys.call("hil.answer", { id: (asked as Approval).id, decision: "approve" });
  await desk.home.until("it has begun", () => existsSync(join(work, "began")));
  await desk.home.restart();
  writeFileSync(join(work, "go"), "");
  await desk.home.until("the run ends", async () => {
    return await desk.isIdle();
  });
  expect(await desk.results()).toEqual(["one\ntwo\n(exit status 4)"]);
  expect(await Bun.file(join(work, "began")).text()).toBe("began\n");
  rmSync(join(work, "go"));
  rmSync(join(work, "began"));
});
