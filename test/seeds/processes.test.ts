// The 27 statements of seed-000, "How to Manage Processes", each as it is typed.

import { afterAll, beforeAll } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { gsv, type Row, table } from "./table.ts";

let home: TestKernel;
beforeAll(async () => {
  home = await TestKernel.boot();
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
});

async function task(line = ""): Promise<string> {
  const pid = await gsv(home, `proc spawn ${line}`);
  await home.quiet();
  return pid;
}

const list = async (pid: string) => (await gsv(home, "proc list --json")).split("\n").find((row) => row.includes(pid));

const ROWS: readonly Row<TestKernel>[] = [
  ["Agents run as durable processes", () => home.restart().then(() => gsv(home, "proc list")), /init:1000/],
  ["Each user has an init process (init:{uid})", () => home.get(INIT), { pid: INIT, profile: "init" }],
  ["additional task processes can be spawned for isolated work", () => task(), /^task:[a-z0-9]{6}$/],
  ["gsv proc list", () => gsv(home, "proc list"), /PID.*STATE/],
  ["Root can inspect another user's processes", () => home.person(0).call("proc.list", { uid: 1000 }), /init:1000/],
  ["The list shows process ids, labels, owners", () => list(INIT), /"pid":"init:1000".*"label".*"owner":"sam"/],
  ["profiles, state", () => list(INIT), /"profile":"init".*"state":"idle"|"state":"idle".*"profile":"init"/],
  ["current working directory, and workspace attachment when available", () => list(INIT), /"cwd".*"workspaceId"/],
  ["Without --pid, gsv chat targets your init process", () => gsv(home, 'chat "Summarize my workspace."'), "done"],
  ["waits for streamed chat.* signals", () => home.signals.map(({ name }) => name), /chat\.start.*chat\.complete/],
  [
    'gsv chat --pid task:abc123 "Continue the implementation."',
    async () => gsv(home, `chat --pid ${await task()} "Continue the implementation."`),
    "done",
  ],
  [
    "Use proc send when you only need to enqueue a message",
    async () => {
      const pid = await task();
      home.model.will(pid, { hold: true });
      const sent = await gsv(home, `proc send --pid ${pid} "Run the checks now."`);
      await home.holding();
      home.model.release();
      await home.quiet();
      return sent;
    },
    /./,
  ],
  [
    'gsv proc spawn --label "docs audit" --prompt "Review the how-to docs for stale commands."',
    async () => home.outline(await task('--label "docs audit" --prompt "Review the docs."')),
    ["user: Review the docs.", "assistant: done"],
  ],
  [
    "gsv proc spawn --parent init:1000",
    async () => home.get(await task('--parent init:1000 --label "release notes"')),
    { parentPid: INIT, label: "release notes" },
  ],
  ["The command prints the new PID", () => task('--label "printed"'), /^task:[a-z0-9]{6}$/],
  [
    "Use that PID with gsv chat, gsv proc history, or gsv proc kill",
    async () => {
      const pid = await task();
      await gsv(home, `chat --pid ${pid} "hello"`);
      return `${await gsv(home, `proc history --pid ${pid}`)} ${await gsv(home, `proc kill ${pid}`)}`;
    },
    /hello.*done.*task:/s,
  ],
  ["gsv proc history --limit 30", () => gsv(home, "proc history --limit 30"), /Summarize my workspace/],
  [
    "gsv proc history --pid task:abc123 --limit 50 --offset 0",
    async () => gsv(home, `proc history --pid ${await task('--prompt "look"')} --limit 50 --offset 0`),
    /look.*done/s,
  ],
  [
    "History is active process state stored in the Process Durable Object",
    () => existsSync(join(home.paths.procDir, "init:1000.db")) || existsSync(join(home.paths.procDir, "init-1000.db")),
    true,
  ],
  ["gsv proc reset", () => gsv(home, "proc reset"), /archived \d+ messages/],
  [
    "gsv proc reset --pid task:abc123",
    async () => gsv(home, `proc reset --pid ${await task('--prompt "old"')}`),
    /archived 2 messages/,
  ],
  [
    "archives old messages to R2 under var/sessions/{username}/{pid}/...jsonl.gz",
    async () => gsv(home, `proc reset --pid ${await task('--prompt "old"')} --json`),
    /\/var\/sessions\/sam\/task:[a-z0-9]{6}\/[0-9a-f-]{36}\.jsonl\.gz/,
  ],
  [
    "Reset attempts to checkpoint workspace continuity files",
    async () => {
      const pid = await task('--workspace new --prompt "old"');
      const { checkpoint } = await home.sys.call<Closed>("proc.reset", { pid });
      const { content } = await home.sys.call<{ content: string }>("fs.read", {
        path: `/workspaces/${checkpoint?.workspaceId}/.gsv/summary.md`,
      });
      return `${checkpoint?.commit} ${content}`;
    },
    /^[0-9a-f]{40} .*last asked: old/s,
  ],
  [
    "deletes process media",
    async () => {
      const pid = await task();
      await home.stores.objects.put(
        {
          key: `var/media/1000/${pid}/a.png`,
          uid: 1000,
          gid: 1000,
          mode: 0o600,
          type: "image/png",
          mtimeMs: 0,
          dirmarker: false,
          symlink: null,
        },
        new Uint8Array([1]),
      );
      await gsv(home, `proc reset --pid ${pid}`);
      return await home.stores.objects.page(`var/media/1000/${pid}/`, null, 10);
    },
    { length: 0 },
  ],
  [
    "starts the next run with fresh message history; the process entry is preserved",
    async () => {
      const pid = await task('--prompt "old"');
      await gsv(home, `proc reset --pid ${pid}`);
      await gsv(home, `chat --pid ${pid} "new"`);
      return await home.outline(pid);
    },
    ["user: new", "assistant: done"],
  ],
  [
    "gsv proc kill stops a non-init process and archives it first",
    async () => {
      const refused = await home.refusal("proc.kill", { pid: INIT });
      return `${refused.code} ${await gsv(home, `proc kill ${await task('--prompt "work"')}`)}`;
    },
    /^EPERM .*archived 2 messages/s,
  ],
  [
    "gsv proc kill task:abc123 --no-archive; workspaces outlive the process either way",
    async () => {
      const pid = await task('--prompt "secret"');
      const said = await gsv(home, `proc kill ${pid} --no-archive`);
      const { archives } = await home.sys.call<{ archives: { pid: string }[] }>("archive.list", {});
      return `${said} ${archives.some((archive) => archive.pid === pid)}`;
    },
    /false$/,
  ],
];

table(ROWS, () => home);
