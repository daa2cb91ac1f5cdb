// A screen of the emulator as a picture for a README: cells in their places, sixteen colors of a calm palette, dark or light.

import type { IBufferCell, Terminal } from "@xterm/headless";

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;

interface Palette {
  readonly back: string;
  readonly text: string;
  readonly colours: readonly string[];
}

export const DARK: Palette = {
  back: "#16181d",
  text: "#d6d9de",
  colours: ["#3b4048", "#e0757a", "#8fbf7a", "#d9b96a", "#7da6d9", "#c48bcf", "#6fb8bf", "#d6d9de"],
};

export const LIGHT: Palette = {
  back: "#fbfaf7",
  text: "#2b2f36",
  colours: ["#2b2f36", "#b5333a", "#3f7d2c", "#946c00", "#2b5fa8", "#8a3f98", "#1c7780", "#6b7078"],
};

interface Run {
  text: string;
  readonly column: number;
  columns: number;
  readonly style: string;
  readonly inverse: boolean;
}

export function picture(
  emulator: Terminal,
  { palette, title }: { readonly palette: Palette; readonly title: string },
): string {
  const { cols, rows, buffer } = emulator;
  const { active } = buffer;
  const width = Math.round(cols * CELL.width + 2 * MARGIN);
  const height = rows * CELL.height + 2 * MARGIN;
  const parts: string[] = [];
  for (let row = 0; row < rows; row++) {
    const line = active.getLine(active.baseY + row);
    if (line === undefined) continue;
    const cells = Array.from({ length: cols }, (_, column) => line.getCell(column));
    for (const run of runsOf(cells, palette)) parts.push(drawn(run, row, palette));
  }
  const cursor = active.type === "normal" ? cursorAt(active.cursorX, active.cursorY, palette) : "";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    ` font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${palette.back}"/>`,
    `${parts.join("\n")}${cursor}</svg>\n`,
  ].join("\n");
}

function runsOf(cells: readonly (IBufferCell | undefined)[], palette: Palette): readonly Run[] {
  const runs: Run[] = [];
  cells.forEach((cell, column) => {
    if (cell === undefined || cell.getWidth() === 0) return;
    const text = cell.getChars() || " ";
    const style = styleOf(cell, palette);
    const inverse = cell.isInverse() !== 0;
    const last = runs.at(-1);
    const isWide = cell.getWidth() > 1;
    if (last !== undefined && last.style === style && last.inverse === inverse && !isWide && last.columns < 1000) {
      last.text += text;
      last.columns += cell.getWidth();
    } else runs.push({ text, column, columns: cell.getWidth(), style, inverse });
  });
  return runs.filter(({ text, inverse }) => inverse || text.trim() !== "");
}

function styleOf(cell: IBufferCell, { text, colours, back }: Palette): string {
  const colour = cell.isFgPalette() ? (colours[cell.getFgColor() % 8] ?? text) : text;
  const parts = [`fill="${cell.isInverse() ? back : colour}"`];
  if (cell.isBold()) parts.push('font-weight="700"');
  if (cell.isDim()) parts.push('opacity=".58"');
  if (cell.isItalic()) parts.push('font-style="italic"');
  return parts.join(" ");
}

function drawn({ text, column, columns, style, inverse }: Run, row: number, palette: Palette): string {
  const left = Number((MARGIN + column * CELL.width).toFixed(1));
  const length = Number((columns * CELL.width).toFixed(1));
  const top = MARGIN + row * CELL.height;
  const back = inverse
    ? `<rect x="${left}" y="${top}" width="${length}" height="${CELL.height}" fill="${palette.text}"/>`
    : "";
  const place = `x="${left}" y="${top + 13.5}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"`;
  return `${back}<text ${place} ${style}>${escaped(text)}</text>`;
}

function cursorAt(column: number, row: number, { text }: Palette): string {
  const left = MARGIN + column * CELL.width;
  return `<rect x="${left.toFixed(1)}" y="${MARGIN + row * CELL.height}" width="2" height="${CELL.height - 2}" fill="${text}"/>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
