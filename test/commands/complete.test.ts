// Candidates at the cursor, as the shell scripts receive them.

import { beforeEach, describe, expect, test } from "bun:test";
import { flagsOf } from "../../commands/args.ts";
import { GLOBAL_FLAGS } from "../../commands/global-flags.ts";
import { allCommands } from "../../commands/man/command-tree.ts";
import { valuesOf } from "../../commands/man/complete-values.ts";
import { COMMANDS } from "../../commands/table.ts";
import { SysError } from "../../src/abi/errno.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { field } from "../../src/syscalls/define.ts";
import { FakeIo, runs } from "../support/io.ts";

const PROCESS = { pid: "init:1000", label: "sam's own", state: "idle" };

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
  const others = [
    { ...PROCESS, pid: "task:abc123", label: "docs audit" },
    { ...PROCESS, pid: "task:abd456", label: null, state: "waiting_hil" },
  ];
  io.fakeSys.answer("proc.list", () => ({ processes: [PROCESS, ...others], next: null }));
  io.fakeSys.answer("hil.list", () => ({
    approvals: [{ id: "k3x9", pid: "task:abc123", tool: "Delete", why: "deleting asks first" }],
  }));
  io.fakeSys.answer("archive.list", () => ({
    archives: [{ id: "0190a1b2-0000-7000-8000-000000000000", pid: "task:abc123", reason: "kill", createdAt: 0 }],
  }));
});

/** The last word is the one at the cursor. */
async function lines(...words: string[]): Promise<string[]> {
  io.stdout.text = "";
  expect(await runs(io, "__complete", String(words.length - 1), ...words)).toBe(0);
  expect(io.stderr.text).toBe("");
  return io.stdout.lines;
}

async function values(...words: string[]): Promise<string[]> {
  return (await lines(...words)).map((line) => line.split("\t")[0] ?? "");
}

describe("commands and verbs", () => {
  test("the first word is a command or a noun, with its description", async () => {
    expect(await lines("cha")).toEqual(["chat\tSend a message and print the answer"]);
    const all = await values("");
    for (const name of ["chat", "help", "man", "proc", "fs", "archive"]) expect(all).toContain(name);
    expect(all.filter((name) => name.startsWith("_"))).toEqual([]);
    expect(await values("-")).toEqual(["--json", "--help", ...Object.keys(GLOBAL_FLAGS), "--version"]);
  });

  test("the verbs follow a noun, also after flags", async () => {
    expect(await values("proc", "s")).toEqual(["spawn", "send", "signal", "segments", "search", "stop"]);
    expect(await values("--json", "archive", "")).toEqual(["list", "show", "verify"]);
    expect(await values("proc", "nosuch", "")).toEqual([]);
  });

  test("a path inside gsv is completed by gsv, a host path by the shell", async () => {
    const entry = { kind: "file", mode: "0644", uid: 1000, gid: 1000, owner: "sam", group: "sam", size: 1, mtimeMs: 0 };
    const asked: string[] = [];
    io.fakeSys.answer("fs.list", (args) => {
      asked.push((args as { path: string }).path);
      const named = (name: string, kind = "file") => ({ ...entry, name, kind });
      return { path: "/", entries: [named(".hidden"), named("notes", "directory"), named("nuts.md")], next: null };
    });
    expect(await values("ls", "")).toEqual(["notes/", "nuts.md"]);
    expect(await values("cat", "'~/n")).toEqual(["~/notes/", "~/nuts.md"]);
    expect(await values("cat", "~/notes/", "~/n")).toEqual(["~/nuts.md"]);
    expect(await values("ls", "~/.")).toEqual(["~/.hidden"]);
    expect(await values("find", "--newer", "/proc/no")).toEqual(["/proc/notes/"]);
    expect(asked).toEqual([".", "~/", "~/", "~/", "/proc/"]);
    expect(await values("cp", "host:./a")).toEqual([":files"]);
    expect(await values("cp", "n")).toEqual(["notes/", "nuts.md"]);
  });

  test("topics are commands, syscalls and pages; a noun's verbs follow it", async () => {
    expect(await values("man", "exit")).toEqual(["exit-status"]);
    expect(await values("help", "proc", "sp")).toEqual(["spawn"]);
    expect(await values("man", "proc.k")).toEqual(["proc.kill"]);
    expect(await values("api", "hil")).toEqual(["hil.list", "hil.answer", "hil.ask", "hil.plan"]);
  });
});

describe("every declaration", () => {
  test("every declared command, verb and flag is offered, each flag with its description", async () => {
    const missing: string[] = [];
    for (const { name, command } of await allCommands(COMMANDS)) {
      const words = name.split(" ");
      for (const [at, word] of words.entries())
        if (!(await values(...words.slice(0, at), "")).includes(word)) missing.push(name);
      const offered = await lines(...words, "--");
      const flags = [...flagsOf(command.spec.input).values()].map(({ text }) => text);
      for (const flag of [...flags, "--json", "--help", ...Object.keys(GLOBAL_FLAGS)])
        if (!offered.some((line) => line.startsWith(`${flag}\t`))) missing.push(`${name} ${flag}`);
    }
    expect(missing).toEqual([]);
  });

  test("the value of a global flag is completed", async () => {
    expect(await values("ps", "--color", "")).toEqual(["auto", "always", "never"]);
    expect(await values("--color=a")).toEqual(["--color=auto", "--color=always"]);
    expect(await values("--quiet", "--jq", ".pid", "proc", "li")).toEqual(["list"]);
    expect(await values("ps", "--jq", "")).toEqual([]);
  });
});

describe("flags and their values", () => {
  test("flags are offered at the start of a flag, each once, with a description", async () => {
    expect(await lines("spawn", "--l")).toEqual(["--label\tits purpose in a few words"]);
    expect(await values("spawn", "--label", "x", "--")).not.toContain("--label");
    expect(await values("spawn", "--label=x", "--")).not.toContain("--label");
  });

  test("flags are offered where nothing else can stand", async () => {
    expect(await values("proc", "list", "")).toEqual(["--uid", "--json", "--help"]);
  });

  test("a value is completed from the flag's choices, in both forms", async () => {
    expect(await values("spawn", "--profile", "")).toContain("review");
    expect(await values("spawn", "--profile=r")).toEqual(["--profile=review"]);
    expect(await values("spawn", "--label", "")).toEqual([]);
    expect(await values("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await values("kernel", "st")).toEqual(["start", "status", "stop"]);
  });

  test("no flags are offered after --", async () => expect(await values("send", "--", "--")).toEqual([]));

  test("kill has the signals as flags and as values", async () => {
    expect(await values("kill", "-S")).toEqual(["-STOP"]);
    expect(await values("kill", "-s", "C")).toEqual(["CONT"]);
  });
});

describe("names in the home", () => {
  test("pids come with their label and state, each once", async () => {
    expect(await lines("kill", "ta")).toEqual(["task:abc123\tdocs audit · idle", "task:abd456\twaiting_hil"]);
    expect(await values("kill", "task:abc123", "ta")).toEqual(["task:abd456"]);
    expect(await values("wait", "init:1000", "task:abc123", "")).toEqual(["task:abd456"]);
    expect(await values("chat", "--pid", "init")).toEqual(["init:1000"]);
    expect(await values("logs", "'task:abc")).toEqual(["task:abc123"]);
  });

  test("schedules are completed by name, and wake by what it does", async () => {
    io.fakeSys.answer("sched.list", () => ({ schedules: [{ name: "disk" }, { name: "news" }], next: null }));
    for (const verb of ["show", "edit", "pause", "resume", "run", "history", "next", "rm"])
      expect([verb, await values("sched", verb, "n")]).toEqual([verb, ["news"]]);
    expect(await values("sched", "wake", "")).toEqual(["on", "off", "status"]);
  });

  test("sessions are completed by key, settable ones by path, conversations by id", async () => {
    const key = "agent:main:cli:dm:alice";
    io.fakeSys.answer("session.list", () => ({ sessions: [{ key, label: "alice", state: "idle" }] }));
    const ended = { sessionId: "3f2a91bc-0000-4000-8000-000000000000", messages: 4, endedAt: 0 };
    io.fakeSys.answer("session.history", () => ({ previous: [ended, { ...ended, messages: null }] }));
    for (const verb of ["get", "preview", "export", "reset", "set"])
      expect(await lines("session", verb, "agent:")).toEqual([`${key}\talice · idle`]);
    expect(await values("chat", "--session", "")).toEqual([key]);
    expect(await values("session", "set", key, "reset")).toEqual([
      "resetPolicy.mode",
      "resetPolicy.atHour",
      "resetPolicy.idleMinutes",
    ]);
    expect(await lines("session", "restore", "")).toEqual([
      "3f2a91bc-0000-4000-8000-000000000000\t4 messages, 1970-01-01T00:00:00.000Z",
    ]);
    expect(await values("session", "export", "--format", "")).toEqual(["md", "json", "html"]);
  });

  test("hooks come with their state", async () => {
    io.fakeSys.answer("hooks.list", () => ({ hooks: [{ hook: "tool-before/guard", state: "new" }] }));
    expect(await lines("hooks", "allow", "")).toEqual(["tool-before/guard\tnew"]);
    expect(await lines("hooks", "deny", "tool")).toEqual(["tool-before/guard\tnew"]);
  });

  test("approvals and archives come with their subject", async () => {
    expect(await lines("approve", "")).toEqual(["k3x9\tDelete of task:abc123: deleting asks first"]);
    expect(await lines("archive", "verify", "0")).toEqual([
      "0190a1b2-0000-7000-8000-000000000000\tkill of task:abc123, 1970-01-01T00:00:00.000Z",
    ]);
  });

  test("settings come with their meaning", async () => {
    const settings = [
      { key: "ai.model", shown: "offline", doc: "who answers" },
      { key: "ai.apiKey", shown: "set" },
    ];
    io.fakeSys.answer("config.list", () => ({ settings }));
    const wanted = { key: "key", field: field.text("the setting"), before: [], io, commands: COMMANDS };
    expect(await valuesOf({ ...wanted, command: "config get" })).toEqual({
      candidates: [{ value: "ai.model", note: "who answers" }, { value: "ai.apiKey" }],
    });
    expect(await valuesOf({ ...wanted, command: "fs search" })).toEqual({ candidates: [] });
  });

  test("files are left to the shell", async () => {
    expect(await lines("spawn", "--cwd", "/e")).toEqual([":files"]);
    expect(await lines("spawn", "--cwd", "")).toEqual([":files"]);
  });

  test("a label cannot forge a candidate or reach the terminal", async () => {
    io.fakeSys.answer("proc.list", () => ({
      processes: [{ ...PROCESS, label: `a\nrm -rf\t\x1b[2J${"x".repeat(300)}` }],
    }));
    const [line = "", ...more] = await lines("kill", "");
    expect(more).toEqual([]);
    expect(line).toMatch(/^init:1000\ta⏎rm -rf ␛\[2Jx+…$/);
    expect(Bun.stringWidth(line)).toBeLessThan(80);
  });
});

describe("faults", () => {
  test("there are fewer candidates, but no error and no other status", async () => {
    io.fakeSys.answer("proc.list", () => {
      throw new SysError("EIO", "a damaged home");
    });
    expect(await lines("kill", "ta")).toEqual([]);
    io.peek = async () => Promise.reject(new Error("no home"));
    expect(await lines("kill", "ta")).toEqual([]);
    expect(await lines("proc", "ki")).toHaveLength(1);
    for (const argv of [
      [],
      ["x"],
      ["-1"],
      ["99", "ps"],
      ["0"],
      ["2", "__proto__", "constructor"],
      ["1", "__complete"],
    ]) {
      io.stdout.text = "";
      expect(await runs(io, "__complete", ...argv)).toBe(0);
      expect(io.stderr.text).toBe("");
    }
  });

  test("completion makes only read calls, and none where no name is needed", async () => {
    for (const words of [
      ["kill", ""],
      ["approve", ""],
      ["archive", "show", ""],
      ["chat", ""],
      ["proc", ""],
    ])
      await lines(...words);
    expect(io.fakeSys.calls.map(({ name }) => name)).toEqual(["proc.list", "hil.list", "archive.list"]);
    for (const { name } of io.fakeSys.calls) expect(SYSCALLS.get(name)?.class).toBe("read");
  });
});

describe("global flags", () => {
  beforeEach(() => {
    io.fakeSys.answer("account.list", () => ({
      accounts: [
        { username: "root", kind: "root" },
        { username: "bob", kind: "human" },
        { username: "friday", kind: "personal" },
      ],
    }));
    io.fakeSys.answer("config.list", () => ({ settings: [{ key: "compaction.enabled" }, { key: "ai.reasoning" }] }));
  });

  test("--user completes accounts, and does not affect the words after it", async () => {
    expect(await values("ps", "--user", "")).toEqual(["root", "bob"]);
    expect(await values("--user=b")).toEqual(["--user=bob"]);
    for (const words of [
      ["kill", "--user", "bob"],
      ["--user", "bob", "kill"],
      ["kill", "--user=bob"],
      ["--set", "ai.reasoning=off", "kill", "--user", "bob"],
    ])
      expect(await values(...words, "task:")).toEqual(["task:abc123", "task:abd456"]);
    expect(await values("--user", "root", "proc", "s")).toEqual([
      "spawn",
      "send",
      "signal",
      "segments",
      "search",
      "stop",
    ]);
    expect(io.actedAs).toEqual([]);
    expect(io.said).toEqual([]);
  });

  test("--set completes keys, and values if they are few", async () => {
    expect(await values("chat", "--set", "comp")).toEqual(["compaction.enabled="]);
    expect(await values("chat", "--set=ai")).toEqual(["--set=ai.reasoning="]);
    expect(await values("--set", "ai.reasoning=m")).toEqual(["ai.reasoning=medium", "ai.reasoning=minimal"]);
    expect(await values("--set=compaction.enabled=t")).toEqual(["--set=compaction.enabled=true"]);
    expect(await values("--set", "nosuch=")).toEqual([]);
  });

  test("no flags are offered after --", async () => {
    expect(await values("chat", "--", "--user", "b")).toEqual([]);
  });
});
