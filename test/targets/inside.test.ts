// The sandbox tested from inside, next to a running kernel: an approved command of an agent tries to read, write, connect,
// kill and trace, and starts gsv itself. The same program succeeds outside, so each attempt is a real one.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { ShellAnswer } from "../../src/syscalls/run/shell-service.ts";
import { TestHome, until } from "../support/home.ts";
import type { Plan, Told } from "../support/intruder.ts";
import { gsvCommand, isCompiled } from "../support/program.ts";
import { machineSandbox } from "../support/sandbox.ts";

const INTRUDER = join(import.meta.dir, "../support/intruder.ts");
const SECRETS = {
  ...{ ANTHROPIC_API_KEY: "canary-1", GSV_TOKEN: "canary-2", SSH_AUTH_SOCK: "/canary-3", BASH_ENV: "/canary-4" },
  ...{ XDG_SESSION_ID: "canary-5", DBUS_SESSION_BUS_ADDRESS: "unix:path=/canary-6", AWS_SECRET_ACCESS_KEY: "canary-7" },
};
const ABSTRACT = `gsv-test-${process.pid}`;
const real = await machineSandbox();

describe.skipIf(real === null)("inside", () => {
  let home: TestHome;
  let sys: Sys;
  let work: string;
  let plan: Plan;
  const servers: Server[] = [];
  let names: { readonly port: number; close(): void };

  async function listening(where: string | number): Promise<Server> {
    const server = createServer((socket) => socket.end());
    servers.push(server);
    const { promise, resolve } = Promise.withResolvers<void>();
    if (typeof where === "number") server.listen(where, "127.0.0.1", resolve);
    else server.listen(where, resolve);
    await promise;
    return server;
  }

  beforeAll(async () => {
    // So long a path that the kernel's socket is elsewhere.
    home = new TestHome({ env: SECRETS, at: `held/by/home${"-".repeat(90)}` });
    mkdirSync(home.directory, { recursive: true, mode: 0o700 });
    home.plan = () => ({ sandboxed: true });
    work = home.beside("work");
    const person = home.beside("person");
    for (const each of [join(work, "sockets"), join(work, "ours"), person]) mkdirSync(each, { recursive: true });
    symlinkSync(home.directory, join(work, "home"));
    writeFileSync(join(person, "notes"), "mine");
    takenAlong(process.execPath, join(work, "bun"));
    copyFileSync(INTRUDER, join(work, "intruder.ts"));
    const command = "./bun intruder.ts plan.json";
    const call = { calls: [{ name: "Shell", args: { target: "host", command, cwd: work } }] };
    sys = home.sys({ model: `script:${await home.file("agent.script", [call, { text: "done", repeat: 9 }])}` });
    await sys.call("proc.list", {});
    const { port } = (await listening(0)).address() as AddressInfo;
    const sockets = [join(work, "alone.sock"), join(work, "sockets/bound.sock")];
    for (const each of [...sockets, `\0${ABSTRACT}`]) await listening(each);
    const agent = join(person, "agent.sock");
    await listening(agent);
    names = await Bun.udpSocket({
      hostname: "127.0.0.1",
      socket: {
        data: (socket, _bytes, from) => void socket.send("an address", from, "127.0.0.1"),
        error() {}, // who asked may have left
      },
    });
    const kernel = home.holder ?? 0;
    plan = {
      see: [
        ...[home.directory, join(work, "home"), join(home.directory, "kernel.db"), home.paths.runDir],
        ...[person, join(person, "notes"), `/proc/${kernel}/environ`, `/proc/${process.pid}/cmdline`],
        `/proc/${kernel}/root/etc/passwd`,
      ],
      write: [join(person, "notes"), join(home.directory, "made"), join(work, "home/made")],
      send: [names.port],
      connect: [home.socketPath, agent, ...sockets, `@${ABSTRACT}`, port],
      kill: [process.pid, kernel],
      trace: [kernel],
      link: [join(home.directory, "kernel.db"), join(person, "notes")],
    };
    writeFileSync(join(work, "plan.json"), JSON.stringify(plan));
  });

  afterAll(async () => {
    for (const server of servers) server.close();
    names.close();
    await home.dispose();
  });

  /** Output of an agent's command that a person approved. */
  async function allowed(): Promise<string> {
    const { pid } = await sys.call<{ pid: string }>("proc.spawn", { prompt: "go" });
    let asked: Approval | undefined;
    await until("it asks", async () => {
      asked = (await sys.call<{ approvals: readonly Approval[] }>("hil.list", {})).approvals[0];
      return asked !== undefined;
    });
    expect(asked?.why).toContain("in a sandbox without network");
    await sys.call("hil.answer", { id: asked?.id, decision: "approve" });
    await sys.call("proc.wait", { pids: [pid] });
    const { messages } = await sys.call<{ messages: { role: string; content: { output?: string } }[] }>(
      "proc.history",
      { pid },
    );
    return messages.flatMap(({ role, content }) => (role === "toolResult" ? [content.output ?? ""] : [])).join("\n");
  }

  /** Output of a command of the person. */
  async function said(script: string, cwd = work): Promise<string> {
    const id = crypto.randomUUID().replace(/-4/, "-7");
    const { output } = await sys.call<ShellAnswer>("shell.run", { id, target: "host", script, cwd });
    return output.pieces.map(({ bytes }) => Buffer.from(bytes, "base64").toString()).join("");
  }

  test("a command cannot see, write, reach, kill or trace anything outside, and has no secret in its environment", async () => {
    const outside = Bun.spawn([process.execPath, INTRUDER, join(work, "plan.json")], {
      cwd: home.beside("."),
      env: {},
      stdout: "pipe",
    });
    const control = JSON.parse(await outside.stdout.text()) as Told;
    expect(Object.entries(control.outcome).filter(([, how]) => how !== "ok")).toEqual([]);

    const line = /^\{.*\}$/m.exec(await allowed())?.[0] ?? "";
    const { outcome, processes, env, cwd } = JSON.parse(line) as Told;
    expect(Object.keys(outcome)).toEqual(Object.keys(control.outcome));
    expect(Object.entries(outcome).filter(([, how]) => how === "ok")).toEqual([]);
    expect(cwd).toBe(work);
    // The first one there, and bash or its successor after exec.
    expect(processes).toBeLessThanOrEqual(3);
    expect(JSON.stringify(env)).not.toContain("canary");
    expect(env.TMPDIR).toBe("/tmp");
    expect(readFileSync(join(home.beside("person"), "notes"), "utf8")).toMatch(/^minex*$/);
  });

  test("gsv's home is empty inside, also at an unusual path, and gsv finds none there", async () => {
    const usual = home.beside(".gsv");
    mkdirSync(usual);
    writeFileSync(join(usual, "kernel.db"), "of another");
    const looking = `pwd; id -u; ls -A ~/.gsv ${home.directory}; echo x > ~/.gsv/x`;
    expect(await home.gsv(["sh", "--host", "-c", looking], { env: { GSV_TOKEN: "" } })).toEqual({
      status: 1,
      stdout: `${home.beside("")}\n${process.getuid?.()}\n${usual}:\n\n${home.directory}:\n`.replace("/\n", "\n"),
      stderr: expect.stringContaining("Read-only file system"),
    });
    if (isCompiled()) {
      takenAlong(gsvCommand()[0]!, join(work, "gsv"));
      const script = `exec 2>&1; GSV_HOME=${home.directory} work/gsv ps; echo status $?; cat ${home.directory}/log/kernel.log`;
      expect(await said(script, home.beside("."))).toMatch(/^gsv: cannot use .*\nstatus 78\n.*No such file/s);
      // A home of its own is not ours.
      expect(await said("GSV_HOME=/tmp/own GSV_KERNEL=in-process ./gsv ps")).not.toContain("task:");
    }
  });

  test("the host is readable and not writable, and no dropped privilege comes back", async () => {
    const places = ["/", "/etc", "/usr", "/var", "/home", "/root", "/opt", "/sys", "/proc/sys/kernel"];
    const script = `
      head -c 4 "$(type -P bash)" | tail -c 3; echo
      for each in ${places.join(" ")}; do touch $each/gsv-test-made && echo wrote $each; done
      for each in /proc/sys/kernel/hostname /proc/sysrq-trigger; do echo h > $each && echo wrote $each; done
      mount -t tmpfs none /mnt && echo mounted; umount ${home.directory} && echo unmounted; mknod disk b 8 0 && echo made
      mount -o remount,rw / && echo writable; chroot / true && echo rooted; hostname x && echo named; date -s 12:00 > made && echo dated
      ls /dev/shm /run; cat /dev/mem /dev/kmsg`;
    try {
      // Only the path to the working directory, if that is in shared memory.
      const way = work.startsWith("/dev/shm/") ? `${work.split("/")[3]}\n` : "";
      expect(await said(`exec 2> /dev/null; ${script}`)).toBe(`ELF\n/dev/shm:\n${way}\n/run:\n`);
    } finally {
      for (const each of places.map((place) => join(place, "gsv-test-made")).filter(existsSync)) rmSync(each);
    }
  });

  test("namespaces of its own show nothing hidden, and there is no terminal to type into", async () => {
    const within = `umount -l ${home.directory}; mount --bind / /mnt && ls -A /mnt${home.directory}; ls -A ${home.directory}
      mount -o remount,rw,bind / && touch /gsv-test-made && echo wrote`;
    const script = `exec 2> /dev/null; unshare -Urm bash -c '${within}'; unshare -m bash -c '${within}'
      : < /dev/tty && echo terminal; : < /dev/console && echo console; ls /dev/pts | grep -v ptmx; echo done`;
    expect(await said(script)).toBe("done\n");
    expect(existsSync("/gsv-test-made")).toBe(false);
  });

  test("allowing a directory under another name does not show its hidden parts", async () => {
    const script = "mv held other; mv held/by held/other; mv held/by/home* x; rm -rf held; ls held/by/*";
    expect(await said(`{ ${script}; } 2>/dev/null`, home.beside("."))).toBe("");
    expect(existsSync(join(home.directory, "kernel.db"))).toBe(true);
  });

  test("the kernel's socket is hidden also next to a writable directory", async () => {
    const directory = dirname(home.socketPath);
    expect(readdirSync(directory)).toEqual(["kernel.sock"]);
    expect(await said(`ls -A ${directory}; echo there`, dirname(directory))).toBe("there\n");
  });

  test("a command can open its streams by name, and has no other descriptor", async () => {
    const script = "echo two > /dev/stderr; echo one > /dev/stdout; ls /proc/self/fd | tr '\\n' ' '";
    const both = await said(script);
    expect(both).toContain("two\n");
    expect(both.replace("two\n", "")).toBe("one\n0 1 2 3 ");
  });

  test("a directory may have any name, and a missing one is reported", async () => {
    const odd = join(work, `a\nb 'c' "d" $(touch made) -- *`);
    mkdirSync(odd);
    expect(await said("pwd; echo x > kept; ls", odd)).toBe(`${odd}\nkept\n`);
    expect(readFileSync(join(odd, "kept"), "utf8")).toBe("x\n");
    rmSync(odd, { recursive: true });
    await expect(said("pwd", odd)).rejects.toThrow("no such directory on this computer");
    // While it runs.
    expect(await said(`mkdir ${work}/brief; cd ${work}/brief; rmdir ${work}/brief; echo still; ls; echo $?`)).toBe(
      "still\n0\n",
    );
  });
});

function takenAlong(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
