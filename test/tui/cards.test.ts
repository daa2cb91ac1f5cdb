// Approvals and questions as cards above the line: several are a list, keys of a half-typed line never answer them, and decisions stay in the
// transcript.

import { expect, test } from "bun:test";
import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { answering, answers, press, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";

type Asked = Partial<SignalOf<"chat.hil">>;

const EDIT: Asked = {
  id: "edit",
  tool: "Edit",
  call: "fs.edit",
  args: { path: "/etc/gsv/config.toml", oldString: "b\nc", newString: "B\nc" },
  why: "edit /etc/gsv/config.toml",
  about: {
    target: "gsv",
    directory: null,
    reasons: ["it is a file that acts"],
    diff: "@@ line 98 @@\n a\n-b\n+B\n+bb\n c",
  },
};
const DELETE: Asked = { id: "gone", args: { path: "~/a.md\u202e" }, why: "delete ~/a.md\u202e" };
const ASK: Asked = { id: "ask1", kind: "question", tool: "Ask", call: "hil.ask", args: { question: "Which one?" } };
const CHOOSE: Asked = { ...ASK, id: "ask2", args: { question: "Which one?", choices: ["old", "new"] } };

const edited = (args: Asked["args"]) =>
  [said.call("Edit", args ?? {}), { ...said.result(true, "edited"), tool: "Edit", call: "fs.edit" } as Signal] as const;

test("an approved call that fails is one entry with its failure, and one that has no result is still shown", async () => {
  const shell = await answering();
  const approve = async () => {
    await shell.play(said.hil(DELETE));
    await shell.settle(READ_MS);
    await press(shell, "y");
    await shell.play({ ...said.closed(), id: DELETE.id } as never);
  };
  await approve();
  const failed = { ...said.result(false, "ENOENT: no such file"), tool: "Delete" } as Signal;
  await shell.play(said.call("Delete", DELETE.args ?? {}), failed);
  expect(shell.text()).toMatch(/^✗ approved: Delete [^✓]*$/m);
  await approve();
  await shell.play(said.complete("aborted"));
  expect(shell.text()).toMatch(/^✓ approved: Delete .*\n\nStopped$/m);
  await shell.leave();
});

test("a file change shows numbered and signed lines, and keys of the first 400 ms are ignored", async () => {
  const shell = await answering();
  await shell.play(said.hil(EDIT));
  await press(shell, "y\r");
  expect(answers(shell)).toEqual([]);
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? init:1000 wants to edit \/etc\/gsv\/config\.toml +0:00$/m);
  expect(shell.text()).toContain("  edit /etc/gsv/config.toml · it is a file that acts");
  expect(shell.text()).toContain(["   98   a", "   99 - b", "   99 + B", "  100 + bb", "  101   c"].join("\n"));
  await shell.type("\r");
  expect(answers(shell)).toEqual([]);
  await press(shell, "y");
  expect(answers(shell)).toEqual([{ id: "edit", decision: "approve" }]);
  await shell.play({ ...said.closed(), id: "edit" } as SignalOf<"chat.hil_closed">);
  expect(shell.text()).not.toContain("wants to edit");
  // The approval and the result are one entry.
  await shell.play(...edited(EDIT.args));
  expect(shell.text()).toMatch(/✓ approved: Edit \/etc\/gsv\/config\.toml {2}.+\n {3}98 {3}a\n {3}99 - b\n {3}99 \+ B/);
  expect(shell.text().split("✓")).toHaveLength(2);
  await shell.leave();
});

test("the real path stands on the card and in the decision; its end is not repeated, another given path is", async () => {
  const shell = await answering();
  const about = { ...EDIT.about!, target: "host", path: "/srv/site/a.txt" };
  for (const [path, given] of [
    ["a.txt", ""],
    ["link.txt", "\n  given as: link.txt"],
  ] as const) {
    await shell.play(said.hil({ ...EDIT, args: { ...EDIT.args, path }, about }));
    await shell.settle(READ_MS);
    expect(shell.text()).toMatch(/^\? init:1000 wants to edit on this computer: \/srv\/site\/a\.txt +0:00$/m);
    expect(shell.text().includes("given as:")).toBe(given !== "");
    await press(shell, "y");
    await shell.play({ ...said.closed(), id: "edit" } as SignalOf<"chat.hil_closed">);
    await shell.play(...edited({ ...EDIT.args, path }));
    expect(shell.text()).toMatch(new RegExp(`✓ approved: Edit /srv/site/a\\.txt  .+${given}\n   98   a`));
    await shell.type("\x0c");
  }
  await shell.leave();
});

test("leaving the editor without a change approves nothing; the card stays and says so", async () => {
  const shell = await answering();
  shell.io.fakeSys.answer("hil.list", () => ({ approvals: [{ ...said.hil(DELETE), expiresAt: null }] }));
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  // Editors add a final line end: that is no change.
  for (const left of ["", "\n"]) {
    shell.io.editing = (text) => text + left;
    await press(shell, "e");
    await shell.until(/nothing changed; the request is still open/);
    expect(answers(shell)).toEqual([]);
    expect(shell.text()).toContain("wants to delete");
    await shell.settle(20 * READ_MS);
  }
  shell.io.editing = () => "~/b.md\n";
  await press(shell, "e");
  await shell.until(() => answers(shell).length > 0);
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "approve", args: { path: "~/b.md" } }]);
  await shell.leave();
});

test("requests of the attached process come first, and take no key that was meant for another", async () => {
  const shell = await answering();
  await shell.play(said.hil({ ...EDIT, pid: "task:aaaaaa" }));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? task:aaaaaa wants to edit/m);
  await shell.play(said.hil(DELETE));
  expect(shell.text()).toMatch(/^\? init:1000 wants to delete .*1 of 2/m);
  expect(shell.text()).toMatch(/^ {2}\? task:aaaaaa wants to edit/m);
  await press(shell, "y");
  expect(answers(shell)).toEqual([]);
  // A card chosen with tab stays, whatever is asked meanwhile.
  await shell.type("\t");
  await shell.play(said.hil({ ...CHOOSE, pid: "init:1000" }));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/^\? task:aaaaaa wants to edit .*3 of 3/m);
  await shell.type("n");
  expect(answers(shell)).toMatchObject([{ id: "edit", decision: "deny" }]);
  await shell.play({ ...said.closed(), id: "edit", decision: "deny" } as SignalOf<"chat.hil_closed">);
  await shell.settle(READ_MS);
  await press(shell, "n");
  expect(answers(shell).slice(1)).toMatchObject([{ id: "gone", decision: "deny" }]);
  await shell.leave();
});

test("several requests are a list; tab shows the next, whose first keys are ignored too", async () => {
  const shell = await answering();
  await shell.play(said.hil(EDIT), said.hil(DELETE));
  await shell.settle(READ_MS);
  expect(shell.text()).toMatch(/wants to edit .*1 of 2 · 0:00/);
  expect(shell.text()).toMatch(/^ {2}\? init:1000 wants to delete ~\/a\.md⟨U\+202E⟩ {2}0:00$/m);
  expect(shell.text()).toContain("2 pending");
  await shell.type("\t");
  expect(shell.text()).toMatch(/wants to delete .*2 of 2/);
  await press(shell, "y");
  expect(answers(shell)).toEqual([]);
  await shell.settle(READ_MS);
  await press(shell, "n");
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "deny" }]);
  await shell.play({ ...said.closed(), id: "gone", decision: "deny" } as SignalOf<"chat.hil_closed">);
  // This key was meant for the request that just closed.
  await press(shell, "y");
  expect(answers(shell)).toHaveLength(1);
  await shell.leave();
});

test("keys of a half-typed line go to the line; tab gives them to the card, and the line stays", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  // Letters in one read are text, not a key.
  await shell.type("no, ");
  for (const letter of "any") await shell.type(letter);
  expect(answers(shell)).toEqual([]);
  expect(shell.text()).toContain("tab answer, then y or n");
  await shell.type("\ty");
  expect(answers(shell)).toMatchObject([{ decision: "approve" }]);
  expect(shell.text()).toEndWith("› no, any");
  await shell.leave();
});

test("a card that a view has hidden ignores first keys again: keys typed as the view closes are no answer", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  for (const leaving of ["q", "qy"]) {
    await shell.type("\x14");
    await shell.until(/^top /);
    await shell.settle(10 * READ_MS);
    await shell.type(leaving);
    await shell.until(/wants to delete/);
    await press(shell, "y");
    expect(answers(shell)).toEqual([]);
  }
  await shell.settle(READ_MS);
  await press(shell, "y");
  expect(answers(shell)).toMatchObject([{ decision: "approve" }]);
  await shell.leave();
});

test("a key right after the line was emptied is no answer", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.type("abc");
  await shell.settle(READ_MS);
  await shell.type("\x7f\x7f\x7f");
  await press(shell, "n");
  expect(answers(shell)).toEqual([]);
  await shell.leave();
});

test("a denial with a reason sends the reason to the agent and keeps it in the transcript; escape cancels", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  await press(shell, "r");
  await shell.type("keep it");
  expect(shell.text()).toContain("enter deny with this reason   esc cancel");
  expect(shell.text()).toEndWith("? keep it");
  await shell.type("\x1b");
  await shell.settle(100);
  expect(shell.text()).toEndWith("› keep it");
  await shell.type("\x15");
  await shell.settle(READ_MS);
  await press(shell, "r");
  await shell.type("keep the drafts\r");
  expect(answers(shell)).toMatchObject([{ id: "gone", decision: "deny", message: "keep the drafts" }]);
  await shell.play({ ...said.closed(), id: "gone", decision: "deny" } as SignalOf<"chat.hil_closed">);
  expect(shell.text()).toMatch(/^✗ denied: Delete ~\/a\.md⟨U\+202E⟩\n {2}reason: keep the drafts$/m);
  await shell.leave();
});

test("a question is answered in words, with the half-typed line, or by the number of a choice", async () => {
  const shell = await answering();
  await shell.play(said.hil(ASK));
  await shell.settle(READ_MS);
  await press(shell, "r");
  await shell.type("the new one\r");
  expect(answers(shell)).toMatchObject([{ id: "ask1", decision: "answer", text: "the new one" }]);
  await shell.play({ ...said.closed(), id: "ask1", decision: "answer" } as SignalOf<"chat.hil_closed">);
  expect(shell.text()).toMatch(/^✓ answered: the new one\n {2}\| Which one\?$/m);
  await shell.play(said.hil({ ...ASK, id: "ask3" }));
  await shell.type("that one");
  expect(shell.text()).toContain("tab answer with this line");
  await shell.type("\t\r");
  expect(answers(shell)).toHaveLength(2);
  await shell.play(
    { ...said.closed(), id: "ask3", decision: "answer" } as SignalOf<"chat.hil_closed">,
    said.hil(CHOOSE),
  );
  await shell.settle(READ_MS);
  await press(shell, "2");
  expect(answers(shell).slice(2)).toMatchObject([{ id: "ask2", decision: "answer", text: "new" }]);
  await shell.leave();
});

test("an answer from another client closes the card and names the account; the text typed for it is kept", async () => {
  const shell = await answering();
  await shell.play(said.hil(DELETE));
  await shell.settle(READ_MS);
  await press(shell, "r");
  await shell.type("because");
  await shell.play({ ...said.closed(), id: "gone", by: "root" } as SignalOf<"chat.hil_closed">);
  expect(shell.text()).toMatch(/^✓ approved by root: Delete ~\/a\.md⟨U\+202E⟩$/m);
  expect(shell.text()).toEndWith("› because");
  await shell.leave();
});

test("on the smallest screen a file change shows its reason, and not half of a path", async () => {
  const shell = await answering({ columns: 40, rows: 12 });
  const args = { path: "NOTES.md", content: "one" };
  const reasons = ["changes files on this computer"];
  const about = { target: "gsv", directory: null, reasons, diff: null } as const;
  const why = "write /workspaces/dir_aaaaaa/NOTES.md";
  await shell.play(said.hil({ id: "w", tool: "Write", call: "fs.write", args, why, about }));
  expect(shell.text()).toContain("changes files on this computer");
  expect(shell.text()).not.toContain("write…");
  await shell.leave();
});

test("on the smallest screen a card shows its title, its keys and as much as fits, and d shows all", async () => {
  const shell = await answering({ columns: 40, rows: 12 });
  const command = Array.from({ length: 30 }, (_, line) => `echo ${line}`).join("\n");
  const long = { id: "long", tool: "Shell", call: "shell.exec", args: { command }, why: `run: ${command}` };
  shell.io.fakeSys.answer("hil.list", () => ({ approvals: [{ ...said.hil(long), expiresAt: null }] }));
  await shell.play(said.hil(long));
  await shell.settle(READ_MS);
  const rows = shell.text().split("\n");
  expect(rows.findIndex((row) => row.startsWith("? init:1000 wants to run"))).toBeGreaterThan(-1);
  expect(shell.text()).toMatch(/… \d+ more lines · d show all\n {2}y once {2,3}a always/);
  await shell.type("d");
  await shell.until(/echo 0[\s\S]*echo 1/);
  await shell.type("q");
  // The pager hid the card: its first keys are ignored again.
  await press(shell, "y");
  expect(answers(shell)).toEqual([]);
  await shell.leave();
});

test("after a suspension the open card is there again, and its keys are ignored for a moment", async () => {
  const shell = await answering();
  await shell.play(said.hil(EDIT));
  await shell.settle(READ_MS);
  const { stops } = shell;
  await shell.type("\x1a");
  await shell.until(() => shell.stops === stops + 1);
  expect(shell.text()).toContain("init:1000 wants to edit");
  expect(shell.text()).toContain("y allow once");
  await shell.leave();
});
