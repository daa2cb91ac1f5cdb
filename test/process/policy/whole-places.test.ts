// Commands that would remove a whole home or workspace ask in mode yolo and under every rule; others do not.

import { describe, expect, test } from "bun:test";
import { emptiedPlace } from "../../../src/process/approvals/policy/whole-places.ts";
import { judgeOn } from "../../support/shell-judging.ts";

const IN_GSV = { cwd: "/home/sam", directory: null };
const ON_HOST = { cwd: "/app", directory: "/app" };

const WHOLE = [
  "find ~ -delete",
  "rm -rf ~/*",
  "rm -rf ~",
  'rm -rf "$HOME"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
  "rm -r ${HOME}/",
  "rm ~/*",
  "rm -rf ~/.* ~/*",
  "rm -rf ~/{*,.*}",
  "rm -rf *",
  "rm -fr .",
  "rm --recursive ./",
  "rm -rf ./x/..",
  "r''m -rf ~",
  "\\rm -rf ~/",
  "/bin/rm -rf \\\n ~",
  "sudo -n rm -rf /",
  "env A=1 rm -rf /home/sam",
  "rm -rf /home/*",
  "rm -rf ~sam",
  "rm -rf ~/..",
  "rm -rf /workspaces/dir_x",
  "rm -rf /workspaces/ws_1/*",
  "rm -rf notes && cd / && rm -rf *",
  "cd x; rm -rf *",
  "(cd x && make); rm -rf *",
  "find . -type f -delete",
  "find . -mindepth 1 -delete",
  "find ~ ! -name keep -delete",
  "find -exec rm -rf {} +",
  "find / -name x; find ~ -execdir shred {} ';'",
  "find ~ -type f | xargs rm -f",
  "find ~ -print0 | sort -z | xargs -0 rm",
  "ls -A | xargs rm -rf",
  'for f in ~/*; do rm -rf "$f"; done',
  "for f in *; do test -d $f || rm $f; done",
  "sh -c 'rm -rf ~/*'",
  'eval "rm -rf ~"',
  'echo "$(rm -rf ~/*)"',
  "echo `find ~ -delete`",
  "if true; then rm -rf ~; fi",
  "timeout 5 rm -rf ~/*",
  "gsv fs delete -r '~/*'",
];

const PARTS = [
  "rm -rf ~/notes",
  "rm -rf ~/notes/*",
  "rm -rf ./build",
  "rm -rf /tmp/*",
  "rm -rf build/*",
  "rm *.o",
  "rm -rf ~/a*",
  "cd /tmp && rm -rf *",
  "cd build && rm -rf *",
  "cd build || exit; rm -rf *",
  "find . -name '*.o' -delete",
  "find ~/notes -delete",
  "find . -mtime +7 -exec rm {} +",
  "find . -name node_modules | xargs rm -rf",
  "ls *.tmp | xargs rm",
  "ls | grep tmp | xargs rm",
  'ls ~; rm -rf "$tmp"',
  'for f in *.md; do rm "$f"; done',
  "ls ~; cat ~/x; grep -r rm .",
  "echo ~ rm",
  "git rm -r --cached .",
  "rmdir ~",
  "mkdir -p ~/rm && cd ~/rm",
];

describe("a command that removes a whole home or workspace", () => {
  test.each(WHOLE)("is recognised: %s", (command) => {
    expect(emptiedPlace(command, IN_GSV)).not.toBeNull();
  });

  test.each(PARTS)("is none: %s", (command) => {
    expect(emptiedPlace(command, IN_GSV)).toBeNull();
  });

  test("asks in mode yolo and under rules, by prefix and for the exact command, in gsv and on the host", async () => {
    const rules = [
      { match: "shell.exec", action: "auto", when: { argPrefix: { command: "rm" } } },
      { match: "shell.exec", action: "auto", when: { argPrefix: { command: "rm -rf ~/*" } } },
    ] as const;
    for (const target of ["gsv", "host"] as const)
      for (const command of ["rm -rf ~/*", "find ~ -delete", 'echo "$(rm -rf ~)"']) {
        const { action, reasons } = await judgeOn(target, command, { isFree: true, rules });
        expect([target, command, action, reasons[0]]).toEqual([
          target,
          command,
          "ask",
          expect.stringMatching(/^removes everything in ~/),
        ]);
      }
    expect((await judgeOn("gsv", "rm -rf ~/notes", { isFree: true })).action).toBe("auto");
  });

  test("on the host is also one for the attached directory, and what lies above it", () => {
    for (const command of ["rm -rf /app", "rm -rf *", "find /app -delete", "rm -rf .."])
      expect([command, emptiedPlace(command, ON_HOST) !== null]).toEqual([command, true]);
    for (const command of ["rm -rf /app/dist", "rm -rf dist/*", "rm -rf /other"])
      expect([command, emptiedPlace(command, ON_HOST)]).toEqual([command, null]);
  });
});

test("policy explain refuses a deletion whose files are known only at run time, as the run does", async () => {
  const { action, parts } = await judgeOn("gsv", "$(echo rm) -rf x");
  expect([action, parts[0]?.by]).toEqual(["auto", "runs, but what it would delete or send is refused"]);
  expect((await judgeOn("gsv", "ls x")).parts[0]?.by).toBe("allowed in gsv's shell");
});
