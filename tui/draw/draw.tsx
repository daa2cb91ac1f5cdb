// Draws the dock and the views as lines of text. Ink lays out; only the screen writes to the terminal.

import { renderToString } from "ink";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "../screen/theme.ts";
import type { State } from "../state/state.ts";
import type { View } from "../state/views.ts";
import { Dock, type DockView } from "./dock.tsx";
import { pagerLines } from "./pager.ts";
import { straceLines } from "./strace.ts";
import { topLines } from "./top.ts";

export interface ViewLayout {
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
}

export function drawDock(view: DockView, columns: number, theme: Theme): readonly string[] {
  return renderToString(<Dock {...view} theme={theme} />, { columns: Math.max(10, columns - 1) }).split("\n");
}

export function drawView(
  view: View,
  { who: { remote = null }, asking: { asks }, overlay: { notice } }: Pick<State, "who" | "asking" | "overlay">,
  layout: ViewLayout,
): readonly string[] {
  switch (view.kind) {
    case "top":
      return topLines({ top: view, remote, asks, notice: reveal(notice?.text ?? ""), ...layout });
    case "strace":
      return straceLines({ strace: view, ...layout });
    case "pager":
      return pagerLines({ pager: view, ...layout });
  }
}
