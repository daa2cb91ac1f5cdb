// The dock between the answer and the line: queued messages, a card, the status row. Props in, boxes out.

import { Box, Text } from "ink";
import type { CardView } from "../approval-card/approval-card-view.ts";
import type { Theme } from "../screen/theme.ts";

export interface DockView {
  readonly queued: readonly string[];
  readonly card: CardView | null;
  readonly status: string;
  readonly notice: string;
}

export function Dock({ queued, card, status, notice, theme }: DockView & { readonly theme: Theme }) {
  return (
    <Box flexDirection="column">
      <Rows lines={queued} />
      {card === null ? null : <Card {...card} theme={theme} />}
      <Ends left={status} right={theme.dim(notice)} />
    </Box>
  );
}

function Card({
  title,
  place,
  dangers,
  why,
  lines,
  keys,
  others,
  isTight,
  theme,
}: CardView & { readonly theme: Theme }) {
  const gap = isTight ? 0 : 1;
  return (
    <Box flexDirection="column" paddingBottom={gap}>
      <Ends left={`${theme.needs(theme.glyphs.asks)} ${theme.bold(title)}`} right={theme.dim(place)} />
      <Box flexDirection="column" paddingLeft={2} paddingBottom={gap}>
        <Rows lines={dangers} />
        <Rows lines={why.map((line) => theme.dim(line))} />
      </Box>
      <Box flexDirection="column" paddingLeft={2} paddingBottom={lines.length > 0 ? gap : 0}>
        <Rows lines={lines} />
      </Box>
      <Text wrap="truncate-end">{`  ${keys}`}</Text>
      {others.length === 0 ? null : <Text> </Text>}
      <Rows lines={others} />
    </Box>
  );
}

function Rows({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows of a text have no other name.
    <Text key={index} wrap="truncate-end">
      {line === "" ? " " : line}
    </Text>
  ));
}

function Ends({ left, right }: { readonly left: string; readonly right: string }) {
  return (
    <Box justifyContent="space-between">
      <Box flexShrink={1}>
        <Text wrap="truncate-end">{left}</Text>
      </Box>
      <Box flexShrink={0} paddingLeft={right === "" ? 0 : 2}>
        <Text>{right}</Text>
      </Box>
    </Box>
  );
}
