// A screen of the emulator as a text for golden files: its rows, and its styles as tags if wanted.

import type { IBufferCell, Terminal } from "@xterm/headless";

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

export function frozen({ buffer, rows }: Terminal): string {
  const { active } = buffer;
  const lines = Array.from(
    { length: rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
  );
  return `${lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd()}\n`;
}

/** Each change of style comes before its text: `{cyan bold}gsv{}`. */
export function frozenInStyle({ buffer, rows, cols }: Terminal): string {
  const { active } = buffer;
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    let text = "";
    let style = "";
    for (let column = 0; column < cols; column++) {
      const cell = line?.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const next = styleOf(cell);
      if (next !== style) text += `{${next}}`;
      style = next;
      text += cell.getChars() || " ";
    }
    return text.replace(/ +(\{\} *)?$/, "$1").trimEnd();
  });
  return `${lines.join("\n").trimEnd()}\n`;
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.getFgColor();
  const named = cell.isFgPalette() ? [`${colour >= 8 ? "bright-" : ""}${COLOURS[colour % 8] ?? colour}`] : [];
  const words = [
    ...named,
    ...(cell.isBold() ? ["bold"] : []),
    ...(cell.isDim() ? ["dim"] : []),
    ...(cell.isItalic() ? ["italic"] : []),
    ...(cell.isInverse() ? ["inverse"] : []),
    ...(cell.isStrikethrough() ? ["struck"] : []),
    ...(cell.isBgPalette() || cell.isBgRGB() ? ["ground"] : []),
  ];
  return words.join(" ");
}
