import { type ReactNode, useLayoutEffect, useRef } from "react";

interface QuestionProps {
  readonly label: string;
  readonly children: ReactNode;
  /** `act`: may lose something. `stay`: changes nothing; it has the focus. */
  readonly act: readonly [word: string, act: () => void];
  readonly other?: readonly [word: string, act: () => void];
  readonly stay: readonly [word: string, act: () => void];
}

/** A question within a view, which must be answered with a button. */
export function Question({ label, children, act, other, stay }: QuestionProps) {
  const safe = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => safe.current?.focus(), []);
  return (
    <section className="question" role="alertdialog" aria-label={label}>
      {children}
      <div className="buttons">
        <button type="button" className="danger" onClick={act[1]}>
          {act[0]}
        </button>
        {other !== undefined && (
          <button type="button" onClick={other[1]}>
            {other[0]}
          </button>
        )}
        <button type="button" ref={safe} onClick={stay[1]}>
          {stay[0]}
        </button>
      </div>
    </section>
  );
}
