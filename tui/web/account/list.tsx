// A table with one chosen row, which the arrow keys move. The first column is the name of the row.

import { type ReactNode, useEffect, useRef } from "react";
import { keyOf as keyPressed } from "../views/key-of.ts";
import { useKeys } from "../views/use-keys.ts";

export interface ListColumn<Row> {
  readonly head: string;
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
}

interface ListProps<Row> {
  readonly label: string;
  readonly columns: readonly ListColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly chosen: string | null;
  readonly choose: (key: string) => void;
}

export function List<Row>({ label, columns, rows, keyOf, chosen, choose }: ListProps<Row>) {
  const button = useRef<HTMLButtonElement>(null);
  const last = useRef(chosen);
  const at = rows.findIndex((row) => keyOf(row) === chosen);
  useKeys((event, isInField) => {
    const key = keyPressed(event);
    const by = key?.name === "down" ? 1 : key?.name === "up" ? -1 : 0;
    const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (by === 0 || isInField || row === undefined) return false;
    choose(keyOf(row));
    return true;
  });
  useEffect(() => {
    // The first choice is not the person's.
    if (last.current !== null && last.current !== chosen) button.current?.focus();
    last.current = chosen;
  }, [chosen]);
  return (
    <table className="list" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ head, className }) => (
            <th key={head} scope="col" className={className}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const isChosen = keyOf(row) === chosen;
          return (
            <tr key={keyOf(row)} className={isChosen ? "selected" : undefined} onClick={() => choose(keyOf(row))}>
              {columns.map(({ head, className, cell }, column) => (
                <td key={head} className={className}>
                  {column > 0 ? (
                    cell(row)
                  ) : (
                    <button
                      type="button"
                      className="name"
                      aria-pressed={isChosen}
                      ref={isChosen ? button : undefined}
                      tabIndex={isChosen ? 0 : -1}
                    >
                      {cell(row)}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, text: string | null])[] }) {
  return (
    <dl>
      {facts.map(
        ([name, text]) =>
          text !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
