import { useNow } from "./use-now.ts";
import type { ViewProps } from "./view-props.ts";

export function LineView({ gsv, state: { line } }: ViewProps) {
  const now = useNow(gsv.clock, 1000);
  if (line.kind === "open")
    return (
      <span className="line ok" role="status">
        <i aria-hidden="true" /> connected
      </span>
    );
  const inSeconds = line.kind === "lost" && line.until !== null ? Math.ceil((line.until - now) / 1000) : 0;
  const text =
    line.kind === "connecting"
      ? "connecting"
      : inSeconds > 1
        ? `no connection, next try in ${inSeconds} s`
        : "reconnecting";
  return (
    <span className="line bad" role="status">
      <i aria-hidden="true" /> {text}
      {line.kind === "lost" && (
        <button type="button" onClick={() => gsv.wake()}>
          Try now
        </button>
      )}
    </span>
  );
}
