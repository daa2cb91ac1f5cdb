import { useLayoutEffect, useRef, useState } from "react";

/** Files that are dropped anywhere on the page; without this, the browser would leave the page to show them. Returns whether one is over it. */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  // A passive effect would miss a drop that comes right after the view.
  useLayoutEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    };
    const out = () => setIsOver(false);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", out);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", out);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
