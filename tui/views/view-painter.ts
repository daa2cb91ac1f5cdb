// Paints the view that has the whole screen: at once for a key, otherwise at most 60 times a second.

import type { Clock } from "../../src/lib/clock.ts";
import type { ViewLayout } from "../draw/draw.tsx";
import type { Screen, Tty } from "../screen/screen.ts";
import type { Theme } from "../screen/theme.ts";
import type { State } from "../state/state.ts";
import type { View } from "../state/views.ts";

export interface ViewPainterOptions {
  readonly screen: Screen;
  readonly clock: Clock;
  /** null while another program has the terminal. */
  readonly state: () => State | null;
  readonly size: Pick<Tty, "columns" | "rows">;
  readonly theme: Theme;
}

const PAINT_MS = 16;

export class ViewPainter {
  /** Loaded after the first paint. */
  draw: (view: View, state: State, layout: ViewLayout) => readonly string[] = () => [];
  private due: (() => void) | null = null;

  constructor(private readonly options: ViewPainterOptions) {}

  show(): void {
    const { screen, clock, state } = this.options;
    if (state()?.overlay.view == null) screen.leaveAlt();
    else {
      screen.enterAlt();
      this.due ??= clock.after(PAINT_MS, () => this.paint());
    }
  }

  paint(): void {
    const { screen, clock, size, theme } = this.options;
    this.due?.();
    this.due = null;
    const state = this.options.state();
    if (state?.overlay.view == null) return;
    const { columns, rows } = size;
    screen.paintAlt(this.draw(state.overlay.view, state, { theme, now: clock.now(), columns, rows }));
  }
}
