import type { DiffLine } from "./diff-lines.ts";

const SIGNS = { same: " ", added: "+", removed: "-", gap: "…" } as const;
const SPOKEN = { same: "", added: "added: ", removed: "removed: ", gap: "" } as const;

export function Diff({ lines, label }: { readonly lines: readonly DiffLine[]; readonly label: string }) {
  // Too many lines for the arguments of one call.
  const digits = lines.reduce((most, { number }) => Math.max(most, String(number ?? "").length), 0);
  return (
    <div className="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, number, text }, at) => (
        <div key={at} className={`diff-line ${kind}`}>
          {digits > 0 && (
            <span className="number" aria-hidden="true">
              {String(number ?? "").padStart(digits)}
            </span>
          )}
          <span className="sign" aria-hidden="true">
            {SIGNS[kind]}
          </span>
          {SPOKEN[kind] !== "" && <span className="spoken">{SPOKEN[kind]}</span>}
          <span className="text">{text}</span>
        </div>
      ))}
    </div>
  );
}
