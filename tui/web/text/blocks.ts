// An answer as blocks that end at blank lines. Blocks before the last one are finished while the answer grows, so they are parsed and painted
// once. Pure.

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** The next lines still belong to a list, a quote or a table. */
const CONTINUES = /^(?:\s|[-*+] |\d+[.)] |>|\|)/;

/** Joined, the blocks are the text again. */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let block = "";
  let fence = "";
  let wasBlank = false;
  for (const line of text.split(/(?<=\n)/)) {
    const isBlank = line.trim() === "";
    // A list with blank lines between its items stays one list, with its numbers.
    const isNew = fence === "" && wasBlank && !isBlank && !(CONTINUES.test(line) && CONTINUES.test(block));
    if (isNew && block.trim() !== "") {
      blocks.push(block);
      block = "";
    }
    block += line;
    fence = fenceAfter(line, fence);
    wasBlank = isBlank;
  }
  return block === "" ? blocks : [...blocks, block];
}

/** The fence that is open after this line; empty if none is. */
function fenceAfter(line: string, open: string): string {
  const [, marks = "", rest = ""] = FENCE.exec(line.trimEnd()) ?? [];
  if (marks === "") return open;
  if (open === "") return marks[0] === "`" && rest.includes("`") ? "" : marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === "";
  return closes ? "" : open;
}
