// `gsv sched wake`: the files are shown before they are written, and only a yes writes them.

import { beforeEach, expect, test } from "bun:test";
import type { WakeTimer } from "../../src/abi/wake.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

let io: FakeIo;
let done: string[];

beforeEach(() => {
  io = new FakeIo();
  done = [];
  io.fakeSys.answer("sched.due", () => ({ due: [{ kind: "schedule", what: "news", at: 1_800_000_000_000 }] }));
  io.timer = timerOf();
});

function timerOf(): WakeTimer {
  let at: number | null | undefined;
  const files = [{ path: "/u/gsv-wake.timer", text: "[Timer]\nOnCalendar=hourly\n" }];
  return {
    isOn: () => at !== undefined,
    plan: () => ({ kind: "systemd user timer", files, commands: [["systemctl", "--user", "daemon-reload"]] }),
    async on(next) {
      done.push(`on ${next}`);
      at = next;
    },
    async off() {
      done.push("off");
      return ["/u/gsv-wake.timer"];
    },
    async status() {
      const on = at !== undefined;
      return { on, kind: "systemd user timer", files: on ? ["/u/gsv-wake.timer"] : [], at: at ?? null, fault: null };
    },
    async set() {},
  };
}

test("on shows the files, asks, and writes them for the next due instant", async () => {
  io.stdin = stdinOf("tty");
  io.answers.push("y");
  expect(await runs(io, "sched", "wake", "on")).toBe(0);
  expect(io.stderr.text).toContain(
    "/u/gsv-wake.timer\n  [Timer]\n  OnCalendar=hourly\n\n$ systemctl --user daemon-reload\n",
  );
  expect(done).toEqual(["on 1800000000000"]);
  expect(io.stdout.text).toBe(
    "Wake: on (systemd user timer)\nNext: 2027-01-15T08:00:00.000Z\nFile: /u/gsv-wake.timer\n",
  );
});

test("any other answer writes nothing", async () => {
  io.stdin = stdinOf("tty");
  io.answers.push("");
  expect([await runs(io, "sched", "wake", "on"), done]).toEqual([1, []]);
});

test("without a terminal it shows them and needs --yes", async () => {
  expect(await runs(io, "sched", "wake", "on")).toBe(2);
  expect(io.stderr.text).toContain("[Timer]");
  expect(io.stderr.text).toContain("nothing was written: there is no terminal to ask on");
  expect(done).toEqual([]);
  expect([await runs(io, "sched", "wake", "on", "--yes"), done]).toEqual([0, ["on 1800000000000"]]);
});

test("off removes it, and status says so", async () => {
  expect(await runs(io, "sched", "wake", "off")).toBe(0);
  expect(io.stderr.text).toBe("gsv: removed /u/gsv-wake.timer\n");
  expect(await runs(io, "sched", "wake")).toBe(0);
  expect(io.stdout.text).toContain("Wake: off\n");
});
