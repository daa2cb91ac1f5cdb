import { useEffect, useState } from "react";
import type { Clock } from "../../../src/lib/clock.ts";

/** The time, updated after each period while the view is shown. */
export function useNow(clock: Clock, everyMs: number): number {
  const [now, setNow] = useState(clock.now());
  useEffect(() => {
    let cancel = () => {};
    const tick = () => {
      setNow(clock.now());
      cancel = clock.after(everyMs, tick);
    };
    cancel = clock.after(everyMs, tick);
    return () => cancel();
  }, [clock, everyMs]);
  return now;
}
