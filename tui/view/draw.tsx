// Boxes as lines of text. Ink lays out; what stands on the terminal is the screen's alone to write.

import { renderToString } from "ink";
import type { Theme } from "../theme.ts";
import { Dock, type DockView } from "./dock.tsx";
import { type TopProps, TopView } from "./top.tsx";

export function drawDock(view: DockView, columns: number, theme: Theme): readonly string[] {
  return renderToString(<Dock {...view} theme={theme} />, { columns: Math.max(10, columns - 1) }).split("\n");
}

export function drawTop(props: TopProps): readonly string[] {
  return renderToString(<TopView {...props} />, { columns: props.columns }).split("\n");
}
