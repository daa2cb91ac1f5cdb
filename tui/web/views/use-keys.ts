import { useLayoutEffect, useRef } from "react";

/** Keys of a view, wherever the focus is. `onKey` returns whether it took the key. Keys in a field belong to the field. */
export function useKeys(onKey: (event: KeyboardEvent, isInField: boolean) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  // A passive effect would lose keys that come right after the view.
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const { target } = event;
      const isInField = target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
      if (latest.current(event, isInField)) event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}
