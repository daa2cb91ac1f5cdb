// A history as a text: what the transcript would show of it, without a colour.

import type { HistoryPage } from "../../src/syscalls/services.ts";
import { entriesOf } from "../effects.ts";
import { themeOf } from "../screen/theme.ts";
import { Transcript } from "./transcript.ts";

export function plainText(page: HistoryPage, columns: number): string {
  const lines: string[] = [];
  const commit = (more: readonly string[]) => void lines.push(...more);
  const theme = themeOf({ colour: false, unicode: true });
  const transcript = new Transcript({ theme, columns: () => columns, commit });
  for (const entry of entriesOf(page)) transcript.add(entry);
  return Bun.stripANSI(lines.join("\n"));
}
