// The pager: the keys of less, and what stands on the screen, at every size.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { pagerLines } from "../../tui/draw/pager.ts";
import { themeOf } from "../../tui/screen/theme.ts";
import type { Pager } from "../../tui/state/views.ts";
import { newPager, onPagerKey, pagerRows } from "../../tui/views/pager.ts";
import { HOSTILE } from "../support/hostile-text.ts";
import { actsIn } from "../support/inert.ts";
import { expectScreen, key, plain, SIZES, text } from "../support/view.ts";

test("help and manual pages have bold headings and coloured commands, other texts have none", () => {
  const page = "stop - Stop it\n\nHold it\n  As `kill -STOP` does.\n\nA line by itself\n";
  const theme = themeOf({ colour: true, unicode: true });
  const drawn = (title: string) => {
    const pager = newPager(title, page, null);
    return pagerLines({ pager, theme, columns: 60, rows: 10 }).slice(0, 6);
  };
  expect(drawn("man stop")).toEqual([
    "stop - Stop it",
    "",
    theme.bold("Hold it"),
    `  As ${theme.you("`kill -STOP`")} does.`,
    "",
    "A line by itself",
  ]);
  expect(drawn("kill --help")).toEqual(drawn("man stop"));
  expect(drawn("history")).toEqual(page.trimEnd().split("\n"));
});

describe("the pager", () => {
  const size = { columns: 40, rows: 10 };
  const long = newPager("man x", Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join("\n"), null);
  const pressed = (pager: Pager | null, keys: string, at = size): Pager | null =>
    [...keys].reduce<Pager | null>((now, each) => (now === null ? null : onPagerKey(now, key(each), at)), pager);
  const shown = (pager: Pager | null, at = size) => (pager === null ? [] : pagerRows(pager, at).rows);

  test("has the keys of less: space and b by the screen, d u by half, g G to the ends, q closes", () => {
    expect(shown(pressed(long, " "))[0]).toBe("line 11");
    expect(shown(pressed(long, "  b"))[0]).toBe("line 11");
    expect(shown(pressed(long, "dj"))[0]).toBe("line 7");
    expect(shown(pressed(long, "G")).at(-1)).toBe("line 100");
    expect(shown(pressed(long, "G   ")).at(-1)).toBe("line 100");
    expect(shown(pressed(long, "Gg"))[0]).toBe("line 1");
    expect(pressed(long, "q")).toBeNull();
  });

  test("search goes to matches and marks them, n and N forward and back, around the ends", () => {
    const found = pressed(long, "/line 5\r");
    expect(shown(found)[0]).toBe("line 5");
    expect(shown(pressed(found, "n"))[0]).toBe("line 50");
    expect(shown(pressed(found, "nN"))[0]).toBe("line 5");
    expect(shown(pressed(found, "N"))[0]).toBe("line 59");
    const marked = pagerLines({ pager: found as Pager, theme: plain, columns: 41, rows: 11 });
    expect(marked[0]).toBe("\x1b[7mline 5\x1b[27m");
    const none = pressed(long, "/nothing\r");
    expect(text(pagerLines({ pager: none as Pager, theme: plain, columns: 80, rows: 11 }))).toContain(
      "no match for nothing",
    );
  });

  test("a new width keeps the position", () => {
    const wide = newPager("x", Array.from({ length: 50 }, (_, at) => `${at} ${"word ".repeat(30)}`).join("\n"), null);
    const there = pressed(wide, "/30 \r") as Pager;
    for (const columns of [20, 40, 100]) expect(shown(there, { columns, rows: 10 })[0]).toStartWith("30 word");
  });

  test("every text fits and is inert, at every size and position", () => {
    for (const { text: hostile } of HOSTILE)
      for (const size of SIZES.slice(0, 3)) {
        const [columns, rows] = size;
        const pager = pressed(newPager(hostile, hostile.repeat(5), null), "jj/a\r", { columns, rows }) as Pager;
        const lines = pagerLines({ pager: { ...pager, title: "x" }, theme: plain, columns, rows });
        expectScreen(lines, size);
        expect(actsIn(lines.join("\n"))).toBeNull();
      }
  });

  test("whatever the keys, the screen stays full of text", () => {
    const keys = fc.array(fc.constantFrom(..." bdujkgGnN".split("")), { maxLength: 30 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 30 }), (typed, rows) => {
        const pager = pressed(long, typed.join(""), { columns: 40, rows });
        expect(shown(pager, { columns: 40, rows })).toHaveLength(Math.min(rows, 100));
      }),
    );
  });
});
