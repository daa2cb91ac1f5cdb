// Where the parts of a page are, and how light it is: what of a picture does not depend on the fonts of a computer.

import type { Browser } from "./browser.ts";

export interface PageLayout {
  /** `name x y width height` of each part in sight, in pixels, in the order of the page. */
  readonly parts: readonly string[];
  /** Mean red, green and blue of a coarse grid of the picture, row by row. */
  readonly grid: readonly number[];
}

/** Another font makes lines wider and rows higher by less. */
const MOVED_PX = 28;
const MOVED_SHARE = 0.06;
const SHADE = 20;

/** `png`: the picture of the page as it is now. */
export async function layoutOf(page: Browser, png: Uint8Array): Promise<PageLayout> {
  const parts = await page.value<readonly string[]>(PARTS);
  await page.value(`void (window.grid = null, ${GRID}(${JSON.stringify(Buffer.from(png).toString("base64"))}))`);
  await page.until("window.grid !== null");
  return { parts, grid: await page.value<readonly number[]>("window.grid") };
}

/** What has moved, appeared, gone or changed its shade; empty if nothing has. */
export function differences(before: PageLayout, now: PageLayout, height: number): readonly string[] {
  const [old, fresh] = [byName(before.parts), byName(now.parts)];
  const faults: string[] = [];
  for (const name of new Set([...old.keys(), ...fresh.keys()])) {
    const [was, is] = [old.get(name), fresh.get(name)];
    if (was !== undefined && is !== undefined) {
      if (was.some((each, at) => Math.abs(each - is[at]!) > MOVED_PX + MOVED_SHARE * Math.max(each, is[at]!)))
        faults.push(`${name}: ${was.join(" ")} is now ${is.join(" ")}`);
      continue;
    }
    // A higher row may push the last ones out of sight.
    const [, y = 0] = was ?? is ?? [];
    if (y < height * 0.85) faults.push(`${name} has ${was === undefined ? "appeared" : "gone"}`);
  }
  const shades = before.grid.filter((each, at) => Math.abs(each - (now.grid[at] ?? 0)) > SHADE).length;
  return shades > before.grid.length * 0.05 ? [...faults, `${shades} of ${before.grid.length} shades differ`] : faults;
}

function byName(parts: readonly string[]): Map<string, readonly number[]> {
  const counts = new Map<string, number>();
  return new Map(
    parts.map((part) => {
      const [name = "", ...numbers] = part.split(" ");
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      return [nth === 1 ? name : `${name} (${nth})`, numbers.map(Number)];
    }),
  );
}

/** A line for each part, and the grid as the last one. */
export function layoutText({ parts, grid }: PageLayout): string {
  return `${[...parts, grid.join(" ")].join("\n")}\n`;
}

export function layoutIn(text: string): PageLayout {
  const lines = text.trimEnd().split("\n");
  return { parts: lines.slice(0, -1), grid: (lines.at(-1) ?? "").split(" ").map(Number) };
}

/** Panels, forms and lists; what is as wide or as high as its text is left out. */
const PARTS = `(() => {
  const parts = [];
  for (const each of document.querySelectorAll("#app *")) {
    if (each.closest(".entries *, .prose *, .diff *, table *, .keys *, nav *, li *") !== null) continue;
    const { x, y, width, height } = each.getBoundingClientRect();
    if (width < 24 || height < 16 || y >= innerHeight || x >= innerWidth || y + height <= 0) continue;
    if (getComputedStyle(each).display.startsWith("inline")) continue;
    const name = each.localName + (each.classList.length > 0 ? "." + each.classList[0] : "");
    if (!/^(?:header|main|section|form|textarea|input|table|ul|footer|aside)\\b|^div\\.(?!buttons)/.test(name)) continue;
    parts.push([name, ...[x, y, width, height].map(Math.round)].join(" "));
  }
  return parts;
})()`;

const GRID = `((png) => {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [8, 8];
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, 8, 8);
    window.grid = [...context.getImageData(0, 0, 8, 8).data].filter((_, at) => at % 4 !== 3);
  };
  image.src = "data:image/png;base64," + png;
})`;
