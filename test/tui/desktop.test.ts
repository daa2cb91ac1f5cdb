// Desktop notifications by notify-send or osascript: only title and text, as arguments.

import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../commands/command.ts";
import { runOnTerminal } from "../../src/machine/spawn.ts";
import { Attention } from "../../tui/screen/attention.ts";
import { desktopNotifier } from "../../tui/screen/desktop.ts";
import { initialState, set } from "../../tui/state/state.ts";
import { FakeClock } from "../support/clock.ts";
import { scratchDirectory } from "../support/scratch.ts";

function desktop(programs: readonly string[], env: { readonly [name: string]: string }) {
  const run: Program[] = [];
  const notify = desktopNotifier({
    env,
    clock: new FakeClock(),
    isOnPath: (name) => programs.includes(name),
    spawn: async (program) => {
      run.push(program);
      return 0;
    },
  });
  return { notify, run };
}

describe("the program", () => {
  test("notify-send gets gsv as title and the text as body, without markup, and no secret", () => {
    const { notify, run } = desktop(["notify-send"], { DISPLAY: ":0", PATH: "/bin", ANTHROPIC_API_KEY: "secret" });
    notify!("--help <b>a</b> & b\x1b]0;x\x07");
    expect(run.map(({ argv }) => argv.slice(0, 4))).toEqual([["notify-send", "--app-name=gsv", "--", "gsv"]]);
    expect(run[0]!.argv[4]).toMatch(/^--help ‹b›a‹\/b› ＆ b/);
    expect(run[0]!.argv[4]).not.toMatch(/[\x00-\x1f<>&]/);
    expect(run[0]!.env).toMatchObject({ DISPLAY: ":0", PATH: "/bin" });
    expect(JSON.stringify(run[0]!.env)).not.toContain("secret");
  });

  test("osascript gets a fixed script, and the text as an argument of it", () => {
    const { notify, run } = desktop(["osascript"], {});
    notify!('" & (do shell script "id") & "');
    expect(run[0]!.argv.slice(-3)).toEqual(["--", "gsv", '" & (do shell script "id") & "']);
    expect(run[0]!.argv.slice(0, -3).join(" ")).not.toContain("do shell");
  });

  test.each([
    ["no program", [], { DISPLAY: ":0" }],
    ["no display", ["notify-send"], {}],
    ["over SSH", ["notify-send", "osascript"], { DISPLAY: ":0", SSH_CONNECTION: "10.0.0.1 22 10.0.0.2 22" }],
  ])("none: %s", (_, programs, env) => {
    expect(desktop(programs, env).notify).toBeNull();
  });

  test("runs", async () => {
    const directory = scratchDirectory("desktop");
    const program = join(directory, "notify-send");
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" >${directory}/said\necho noise >&2\n`);
    chmodSync(program, 0o755);
    const ended = Promise.withResolvers<void>();
    const notify = desktopNotifier({
      env: { DISPLAY: ":0", PATH: "/bin:/usr/bin" },
      clock: new FakeClock(),
      isOnPath: () => true,
      spawn: async ({ argv, ...more }) => {
        const status = await runOnTerminal({ ...more, argv: [program, ...argv.slice(1)] });
        ended.resolve();
        return status;
      },
    });
    notify!("task:abc123 is done");
    await ended.promise;
    expect(readFileSync(join(directory, "said"), "utf8")).toBe("--app-name=gsv\n--\ngsv\ntask:abc123 is done\n");
  });
});

describe("a terminal without notifications", () => {
  const START = initialState({
    ...{ who: { username: "sam", uid: 1000, home: "/home/sam" }, pid: "init:1000" },
  });
  const after = set(START, "news", { latest: { id: "a1", text: "news" } });

  async function announced(notify: "auto" | "bell" | "desktop" | "off", notifies: "bell" | "9", hasProgram = true) {
    const clock = new FakeClock();
    const shown: string[] = [];
    const program = hasProgram ? (text: string) => void shown.push(`desktop ${text}`) : null;
    const write = (text: string) => void shown.push(JSON.stringify(text));
    const attention = new Attention({
      ...{ write, notifies, desktop: program, hasTitle: false, clock, claim: async () => true },
    });
    attention.notify = notify;
    attention.focus(false);
    attention.look(START, after, 0);
    await clock.advance(1000);
    return shown;
  }

  test("uses the program, or else its bell; one with notifications of its own does so only if asked to", async () => {
    expect(await announced("auto", "bell")).toEqual(["desktop news"]);
    expect(await announced("auto", "bell", false)).toEqual(['"\\u0007"']);
    expect(await announced("auto", "9")).toEqual([expect.stringContaining("]9;gsv: news")]);
    expect(await announced("desktop", "9")).toEqual(["desktop news"]);
    expect(await announced("bell", "bell")).toEqual(['"\\u0007"']);
    expect(await announced("off", "bell")).toEqual([]);
  });
});
