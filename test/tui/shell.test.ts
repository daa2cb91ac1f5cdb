// gsv on a terminal: the real program in a PTY, read through a terminal emulator.

import { expect, test } from "bun:test";
import { type TestHome, withHome } from "../support/home.ts";
import type { Session } from "../support/session.ts";
import { declaredIn } from "../support/soak.ts";

/** Each has a terminal, a gsv and a kernel of its own. */
const scenario = declaredIn(2, (...scene) => test.concurrent(...scene));

async function shell(
  work: (session: Session, home: TestHome) => Promise<void>,
  options: { readonly script?: readonly object[]; readonly columns?: number; readonly rows?: number } = {},
): Promise<void> {
  await withHome(async (home) => {
    const script = options.script === undefined ? null : await home.file("script.jsonl", options.script);
    await using session = home.terminal(script === null ? {} : { GSV_MODEL: `script:${script}` }, options);
    await session.until(/^~ {2}init:1000/m);
    await work(session, home);
    // Never clears the screen, and every synchronized update ends.
    const bytes = session.reads.join("");
    expect(bytes).not.toMatch(/\x1b\[[23]J/);
    expect(bytes.match(/\x1b\[\?2026h/g)?.length).toBe(bytes.match(/\x1b\[\?2026l/g)?.length);
  });
}

/** The transcript without the greeting. */
function said(session: Session, from: string): readonly string[] {
  const lines = session.everything();
  return lines.slice(lines.findIndex((line) => line.includes(from)));
}

scenario("the first screen shows what works, how to add a model and what to try", () =>
  shell(async (session) => {
    expect(session.text()).toMatch(/^gsv: created a home at /);
    for (const words of ["No model configured", "auth provider anthropic", "how do I stop a process?", "ls /proc"])
      expect(session.text()).toContain(words);
    expect(session.rows()[session.cursor().row]).toBe("›");
  }),
);

scenario("a question is answered, a command is run, and the glyph shows which while typing", () =>
  shell(async (session) => {
    session.type("How do I stop a process?");
    await session.until(/^› How do I stop a process\?$/m);
    session.type("\r");
    await session.until(/gsv proc stop|gsv kill/);
    await session.until(/^›$/m);
    session.type("ls /proc");
    await session.until(/^\$ ls \/proc$/m);
    session.type("\r");
    await session.until(/init:1000 {2}loadavg/);
    session.type("! true");
    await session.until(/^! ! true$/m);
  }),
);

scenario("the directory lives on from line to line, and the status row shows it", () =>
  shell(async (session) => {
    session.type("mkdir -p notes && cd notes && pwd\r");
    await session.until(/^~\/notes {2}init:1000/m);
    session.type("pwd\r");
    await session.until((text) => text.split("/home/sam/notes").length === 3);
  }),
);

const DELETES = [
  { text: "I will remove it.", calls: [{ name: "Delete", args: { path: "~/a.md\u202e" } }] },
  { text: "It is gone." },
];

scenario("an approval shows the call with hidden characters, ignores first keys, and stays in the transcript", () =>
  shell(
    async (session) => {
      session.type("remove it\r");
      await session.until(/^\? init:1000 wants to delete ~\/a\.md⟨U\+202E⟩/m);
      expect(session.text()).toContain("y allow once   a always for this file   n deny");
      expect(session.text()).toContain("1 pending");
      // Enter never approves, and keys of a half-typed line are not for the card.
      session.type("\rno y");
      await session.until(/^› no y$/m);
      expect(session.text()).toContain("tab answer");
      session.type("\x7f\x7f\x7f\x7f");
      await session.until(/y allow once/);
      await Bun.sleep(450);
      session.type("n");
      await session.until(/✗ denied: Delete ~\/a\.md/);
      await session.until(/It is gone\./);
      expect(session.text()).not.toContain("wants to delete");
    },
    { script: DELETES },
  ),
);

scenario("an approval answered by another client closes, and names the account", () =>
  shell(
    async (session, home) => {
      session.type("remove it\r");
      await session.until(/wants to delete/);
      const { approvals } = await home.sys().call<{ approvals: { id: string }[] }>("hil.list", {});
      expect((await home.gsv(["deny", approvals[0]?.id ?? ""])).status).toBe(0);
      await session.until(/✗ denied.*: Delete/);
      await session.until(/It is gone/);
    },
    { script: DELETES },
  ),
);

const LONG = Array.from({ length: 120 }, (_, line) => `Line ${line} of a long answer.`).join("\n\n");

scenario("while an answer streams the prompt stays, messages are queued, and every line is there once", () =>
  shell(
    async (session) => {
      session.type("tell me\r");
      await session.until(/writing {2}\d+ s/);
      session.type("and then?\r");
      await session.until(/↳ queued: and then\?/);
      session.resize(60, 20);
      await session.until(/Second\./);
      await session.until(/^›$/m);
      session.resize(100, 30);
      await session.until(/Second\./);
      const lines = said(session, "› tell me");
      for (let line = 0; line < 120; line++)
        expect(lines.filter((each) => each === `  Line ${line} of a long answer.`)).toHaveLength(1);
      expect(lines.filter((each) => each === "› and then?")).toHaveLength(1);
      expect(lines.filter((each) => each.startsWith("~  init:1000"))).toHaveLength(1);
    },
    { script: [{ text: LONG, chunk: 40, chunkDelayMs: 50 }, { text: "Second." }] },
  ),
);

scenario(
  "escape stops the run, ctrl-c clears the line and keeps it in history, ctrl-d leaves the terminal as it was",
  () =>
    shell(
      async (session, home) => {
        session.type("tell me\r");
        await session.until(/writing/);
        session.type("half a thought\x1b");
        await session.until(/^Stopped$/m);
        await session.until(/^› half a thought$/m);
        session.type("\x03");
        await session.until(/^›$/m);
        session.type("\x1b[A");
        await session.until(/^› half a thought$/m);
        session.type("\x03\x04");
        expect(await session.exited()).toBe(0);
        const bytes = session.reads.join("");
        expect(bytes).toEndWith("\x1b[?2004l\x1b[?25h");
        expect(session.text()).not.toMatch(/^~ {2}init:1000/m);
        expect((await home.gsv(["proc", "get", "init:1000", "--json"])).stdout).toContain('"state":"idle"');
      },
      { script: [{ text: LONG, chunk: 4, chunkDelayMs: 50 }] },
    ),
);

scenario("a return shows the last messages, and ctrl-r searches history", () =>
  withHome(async (home) => {
    {
      await using session = home.terminal();
      await session.until(/^~ {2}init:1000/m);
      session.type("How do I stop a process?\r");
      await session.until(/gsv kill|gsv proc stop/);
      session.type("\x04");
      await session.exited();
    }
    await using session = home.terminal();
    await session.until(/^› How do I stop a process\?$/m);
    expect(session.text()).not.toContain("No model configured");
    session.type("\x12stop a");
    await session.until(/^› How do I stop a process\?.*\nhistory: stop a {2}1 of 1/m);
    session.type("\r");
    await session.until((text) => text.trimEnd().endsWith("› How do I stop a process?"));
  }),
);

scenario("a paste never submits, and a long one is shown by its size", () =>
  shell(async (session) => {
    // Before raw mode the terminal itself translates line ends.
    await session.until(/^›/m);
    session.type(`\x1b[200~${"row\r\n".repeat(40)}\x1b[201~`);
    await session.until(/\[paste 1: 40 lines, 160 B\]/);
    session.type("\x7f\x1b[200~two\rlines\x1b[201~");
    await session.until(/^› two\n {2}lines$/m);
  }),
);

scenario("top leaves the transcript unchanged, and enter attaches to the selected process", () =>
  shell(async (session) => {
    session.type('spawn --label "docs audit" --prompt "what is running"\r');
    await session.until(/^task:\w{6}$/m);
    session.type("top\r");
    await session.until(/└ task:\w{6}.*docs audit/);
    expect(session.text()).toMatch(/^top {2}\d\d:\d\d:\d\d {2}2 processes/);
    expect(session.text()).not.toContain("how do I stop a process?");
    session.type("/audit\r");
    await session.until((text) => !text.includes("init (me)  "));
    session.type("k");
    await session.until(/Kill task:\w{6}\?.*y kill/);
    session.type("n\r");
    await session.until(/^Switched to task:\w{6} · docs audit$/m);
    expect(session.text()).toContain("how do I stop a process?");
    session.type("\x14");
    await session.until(/└ task:.*docs audit/);
    session.type("/docs\rky");
    await session.until(/no process matches/);
    session.type("q");
    await session.until(/^"docs audit" ended$/m);
    await session.until(/^Switched to init:1000/m);
  }),
);

scenario("TAB completes a word, and the right arrow accepts the suggestion", () =>
  shell(async (session) => {
    session.type("spaw\t--lab\t");
    await session.until(/^\$ spawn --label$/m);
    session.type("\x15ls /pr\t");
    await session.until(/^\$ ls \/proc\/$/m);
    session.type("\t");
    await session.until(/\/proc\/init:1000\/ [\s\S]*\/proc\/version/);
    session.type("\r");
    await session.until(/init:1000 +loadavg/);
    session.type("ls /");
    await session.until(/^\$ ls \/proc\/$/m);
    session.type("\x1b[C\r");
    await session.until((text) => text.split(/init:1000 +loadavg/).length === 3);
  }),
);

scenario("slash commands are the terminal's, about the attached process, or any gsv command", () =>
  shell(async (session) => {
    session.type("/new\r");
    await session.until(/^Switched to task:\w{6}$/m);
    session.type("/cost\r");
    await session.until(/^\$ usage --pid task:\w{6}$/m);
    session.type("/attach\r");
    await session.until(/^Switched to init:1000/m);
    session.type("spawn --label build\r");
    await session.until(/^task:\w{6}$/m);
    session.type("attach build\r");
    await session.until(/^Switched to task:\w{6} · build$/m);
    session.type("/attach nobody\r");
    await session.until(/no such process: nobody/);
    session.type("/whoami\r");
    session.type("/quit\r");
    expect(await session.exited()).toBe(0);
  }),
);
