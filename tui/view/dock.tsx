// What stands between the answer and the line that is typed: messages that wait, an approval that asks, and one row that says where one is.
// Props in, boxes out.

import { Box, Text } from "ink";
import type { Theme } from "../theme.ts";

export interface CardView {
  readonly title: string;
  readonly place: string;
  readonly why: string;
  /** What runs, as it runs, a line each. */
  readonly lines: readonly string[];
  readonly keys: string;
}

export interface DockView {
  readonly queued: readonly string[];
  readonly card: CardView | null;
  readonly status: readonly string[];
  readonly notice: string;
}

export function Dock({ queued, card, status, notice, theme }: DockView & { readonly theme: Theme }) {
  return (
    <Box flexDirection="column">
      {queued.map((text) => (
        <Text key={text} wrap="truncate-end">
          {`  ${theme.glyphs.queued} ${theme.dim("queued:")} ${text}`}
        </Text>
      ))}
      {card === null ? null : <Card {...card} theme={theme} />}
      <Box justifyContent="space-between">
        <Box flexShrink={1}>
          <Text wrap="truncate-end">{status.join("  ")}</Text>
        </Box>
        <Box flexShrink={0} paddingLeft={2}>
          <Text>{theme.dim(notice)}</Text>
        </Box>
      </Box>
    </Box>
  );
}

function Card({ title, place, why, lines, keys, theme }: CardView & { readonly theme: Theme }) {
  return (
    <Box flexDirection="column" paddingBottom={1}>
      <Box justifyContent="space-between">
        <Box flexShrink={1}>
          <Text wrap="truncate-end">{`${theme.needs(theme.glyphs.asks)} ${theme.bold(title)}`}</Text>
        </Box>
        <Box flexShrink={0} paddingLeft={2}>
          <Text>{theme.dim(place)}</Text>
        </Box>
      </Box>
      <Box paddingLeft={2}>
        <Text>{theme.dim(why)}</Text>
      </Box>
      <Text> </Text>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a text have no other name.
        <Text key={index} wrap="truncate-end">{`    ${line}`}</Text>
      ))}
      <Text> </Text>
      <Text>{`  ${keys}`}</Text>
    </Box>
  );
}
