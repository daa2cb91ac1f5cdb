// Golden screens of every view and state at three sizes; some also in colour, light, without colour, in ASCII. To update them:
// UPDATE_GOLDEN=1 bun test ./test/tui/golden.test.ts

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Theme, themeOf } from "../../tui/screen/theme.ts";
import { frozen, frozenInStyle } from "../support/frozen.ts";
import { Played } from "../support/played.ts";
import type { Scene } from "../support/scene-steps.ts";
import { SCENES } from "../support/scenes.ts";
import { oneIn, SEED } from "../support/soak.ts";

const GOLDEN = join(import.meta.dir, "../golden/screens");
const SIZES = [
  [100, 30],
  [60, 20],
  [40, 12],
] as const;

interface Look {
  readonly name: string;
  readonly theme: Theme;
  readonly unicode?: boolean;
}

const LOOKS: readonly Look[] = [
  { name: "colour", theme: themeOf({ colour: true, unicode: true }) },
  { name: "light", theme: themeOf({ colour: true, unicode: true }, "light") },
  { name: "dark", theme: themeOf({ colour: true, unicode: true }, "dark") },
  { name: "no colour", theme: themeOf({ colour: false, unicode: true }) },
  { name: "ascii", theme: themeOf({ colour: false, unicode: false }), unicode: false },
];
const UPDATE = Boolean(process.env.UPDATE_GOLDEN);
const STYLED = ["answered", "approval", "approval-host", "outage", "top", "shell-line"];

async function played<Shown>(
  scene: Scene,
  [columns, rows]: readonly [number, number],
  show: (played: Played) => Shown,
  look?: Look,
): Promise<Shown> {
  const on = await Played.open({
    columns,
    rows,
    ...scene.options,
    ...(look === undefined ? {} : { theme: look.theme, unicode: look.unicode ?? true }),
  });
  await scene.play(on);
  const shown = show(on);
  await on.end();
  return shown;
}

/** The text of each size or style. */
type Parts = ReadonlyMap<string, string>;

/** The drawn parts are as stored, and no part is missing in the file. */
async function agrees(name: string, parts: Parts, all: readonly string[]): Promise<void> {
  const path = join(GOLDEN, `${name}.txt`);
  if (UPDATE) {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(path, [...parts].map(([title, text]) => `=== ${title}\n${text}`).join(""));
  }
  const kept = (await Bun.file(path).text()).split(/^=== (.*)\n/m).slice(1);
  const keptParts = new Map(all.map((_, at) => [kept[2 * at] ?? "", kept[2 * at + 1] ?? ""]));
  expect([kept.length, ...keptParts.keys()]).toEqual([2 * all.length, ...all]);
  for (const [title, text] of parts) expect([title, text]).toEqual([title, keptParts.get(title) ?? ""]);
}

function drawn<Item>(every: number, items: readonly Item[], nth: number): readonly Item[] {
  return UPDATE ? items : oneIn(every, items, SEED + nth);
}

for (const [nth, scene] of SCENES.entries()) {
  test(`${scene.name} looks as designed, wide, narrow and tiny`, async () => {
    const parts = new Map<string, string>();
    const [wide, ...smaller] = SIZES;
    for (const size of [wide, ...drawn(2, smaller, nth)]) {
      const shown = await played(scene, size, ({ emulator }) => frozen(emulator));
      for (const row of shown.split("\n")) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(size[0]);
      parts.set(size.join("x"), shown);
    }
    await agrees(
      scene.name,
      parts,
      SIZES.map((size) => size.join("x")),
    );
  });
}

for (const [nth, scene] of SCENES.filter(({ name }) => STYLED.includes(name)).entries()) {
  test(`${scene.name} in colour, light, dark, without colour and in ASCII`, async () => {
    const parts = new Map<string, string>();
    for (const look of drawn(3, LOOKS, nth)) {
      const shown = await played(scene, [100, 30], ({ emulator }) => frozenInStyle(emulator), look);
      // Colour is on glyphs and words, never on the background, and never the only sign.
      expect(shown).not.toContain("ground}");
      if (!look.theme.colour) expect(shown).not.toMatch(/\{[^}]*(?:red|green|yellow|blue|magenta|cyan|white|black)/);
      parts.set(look.name, shown);
    }
    await agrees(
      `${scene.name}.styled`,
      parts,
      LOOKS.map(({ name }) => name),
    );
  });
}

test("every stored screen belongs to a scene", () => {
  const names = SCENES.flatMap(({ name }) => [`${name}.txt`, ...(STYLED.includes(name) ? [`${name}.styled.txt`] : [])]);
  expect(readdirSync(GOLDEN).sort()).toEqual(names.sort());
});
