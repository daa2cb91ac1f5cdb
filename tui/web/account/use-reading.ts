import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/abi/errno.ts";
import type { Clock } from "../../../src/lib/clock.ts";

export interface Reading<Value> {
  /** null until the first answer. */
  readonly value: Value | null;
  /** In one line; empty if the last answer came. */
  readonly failure: string;
  /** Reads again now. */
  readonly again: () => Promise<void>;
}

/** Reads when the view appears, when `about` changes, and `everyMs` after each answer. */
export function useReading<Value>(
  clock: Clock,
  read: () => Promise<Value>,
  { about, everyMs }: { readonly about: string; readonly everyMs: number },
): Reading<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [failure, setFailure] = useState("");
  const latest = useRef(read);
  latest.current = read;
  const isShown = useRef(true);
  const again = useCallback(async () => {
    const asked = latest.current;
    try {
      const answer = await asked();
      if (!isShown.current) return;
      setValue(answer);
      setFailure("");
    } catch (error) {
      if (isShown.current) setFailure(messageOf(error));
    }
  }, []);
  useEffect(() => {
    isShown.current = true;
    let isOver = false;
    let cancel = () => {};
    const loop = async () => {
      await again();
      if (!isOver) cancel = clock.after(everyMs, () => void loop());
    };
    void loop();
    return () => {
      isOver = true;
      isShown.current = false;
      cancel();
    };
  }, [clock, again, everyMs]);
  const seen = useRef(about);
  useEffect(() => {
    if (seen.current === about) return;
    seen.current = about;
    void again();
  }, [about, again]);
  return { value, failure, again };
}
