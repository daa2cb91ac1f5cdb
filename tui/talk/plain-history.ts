// A history as plain text: the transcript without colours.

import type { HistoryPage } from "../../src/syscalls/services.ts";
import { themeOf } from "../screen/theme.ts";
import { entriesOf } from "./entries.ts";
import { Transcript } from "./transcript.ts";

export function plainHistory(page: HistoryPage, columns: number): string {
  const lines: string[] = [];
  const commit = (more: readonly string[]) => void lines.push(...more);
  const theme = themeOf({ colour: false, unicode: true });
  const transcript = new Transcript({ theme, columns: () => columns, commit });
  for (const entry of entriesOf(page)) transcript.add(entry);
  return Bun.stripANSI(lines.join("\n"));
}
