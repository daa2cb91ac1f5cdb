// `gsv serve`: codes only where a person reads them, and the service whose files are shown before they are written.

import { beforeEach, expect, test } from "bun:test";
import type { WakeTimer } from "../../src/abi/wake.ts";
import type { ServeStatus } from "../../src/syscalls/system/serve.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

const ID = "0190a1b2-0000-7000-8000-000000000001";

let io: FakeIo;
let done: string[];

beforeEach(() => {
  io = new FakeIo();
  done = [];
  const status: ServeStatus = {
    ...{ url: "http://127.0.0.1:4870", clients: 0, listen: "127.0.0.1:4870", fault: null, public: false },
    fingerprint: null,
  };
  io.fakeSys.answer("serve.start", () => {
    done.push("listen");
    return status;
  });
  io.fakeSys.answer("system.status", () => ({ running: true, pid: 7 }));
  io.fakeSys.answer("sys.drain", () => {
    done.push("stop the kernel");
    io.fakeSys.answer("system.status", () => ({ running: false, pid: null }));
    return {};
  });
  io.fakeSys.answer("sys.login.code", () => ({
    code: "AAAA-BBBB-CCCC",
    url: "http://127.0.0.1:4870/#code=AAAA-BBBB-CCCC",
    expiresAt: 1,
  }));
  io.service = serviceOf();
});

function serviceOf(): WakeTimer {
  let isOn = false;
  const files = [{ path: "/u/gsv-serve.service", text: "[Service]\nType=exec\n" }];
  return {
    isOn: () => isOn,
    plan: () => ({ kind: "systemd user service", files, commands: [["systemctl", "--user", "daemon-reload"]] }),
    async on() {
      done.push("install");
      isOn = true;
    },
    async off() {
      const removed = isOn ? ["/u/gsv-serve.service"] : [];
      isOn = false;
      return removed;
    },
    status: async () => ({
      on: isOn,
      kind: "systemd user service",
      files: files.map(({ path }) => path),
      at: null,
      fault: null,
    }),
    async set() {},
  };
}

test("a code is printed on a terminal, and never into a pipe that nobody reads", async () => {
  expect(await runs(io, "serve")).toBe(0);
  expect([io.stdout.text, io.fakeSys.asked("sys.login.code")]).toEqual([
    ...["listening on http://127.0.0.1:4870, 0 clients\n", []],
  ]);
  io.stdout.isTTY = true;
  expect(await runs(io, "serve")).toBe(0);
  expect(io.stdout.text).toContain("once and within ten minutes: http://127.0.0.1:4870/#code=AAAA-BBBB-CCCC\n");
  expect(await runs(io, "serve", "code")).toBe(0);
  expect(io.stdout.text).toEndWith("http://127.0.0.1:4870/#code=AAAA-BBBB-CCCC\n");
});

test("install shows the files, asks, listens, and hands the kernel over to the service", async () => {
  io.stdin = stdinOf("tty");
  io.answers.push("y");
  expect(await runs(io, "serve", "install", "--listen", "127.0.0.1:4870")).toBe(0);
  expect(io.stderr.text).toContain("/u/gsv-serve.service\n  [Service]\n  Type=exec\n");
  expect(done).toEqual(["listen", "stop the kernel", "install"]);
  expect(io.stdout.text).toBe("The systemd user service serves 127.0.0.1:4870: /u/gsv-serve.service\n");
  expect(io.stderr.text).toContain("loginctl enable-linger");
});

test("any other answer changes nothing, and without a terminal it needs --yes", async () => {
  io.stdin = stdinOf("tty");
  io.answers.push("n");
  expect([await runs(io, "serve", "install"), done]).toEqual([1, []]);
  io = Object.assign(new FakeIo(), { service: serviceOf() });
  expect([await runs(io, "serve", "install"), done]).toEqual([2, []]);
  expect(io.stderr.text).toContain("read it above, then: the same command with --yes");
});

test("uninstall says what it removed, and what still listens", async () => {
  await io.service?.on(null);
  expect(await runs(io, "serve", "uninstall")).toBe(0);
  expect(io.stderr.text).toBe("gsv: removed /u/gsv-serve.service; to stop listening too: gsv serve stop\n");
  await runs(io, "serve", "uninstall");
  expect(io.stderr.text).toContain("no service is installed");
});

test("gsv login list and revoke reach the logins of this kernel, with flags before or after", async () => {
  io.fakeSys.answer("sys.login.list", () => ({ logins: [] }));
  io.fakeSys.answer("sys.login.revoke", () => ({ id: ID }));
  for (const words of [["list"], ["list", "--json"], ["--json", "list"]])
    expect(await runs(io, "login", ...words)).toBe(0);
  expect(await runs(io, "login", "revoke", ID)).toBe(0);
  expect([io.fakeSys.asked("sys.login.list").length, io.fakeSys.asked("sys.login.revoke")]).toEqual([3, [{ id: ID }]]);
});
