/** The row with the key, or else the first one. */
export function chosenOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string, key: string | null): Row | null {
  return rows.find((row) => keyOf(row) === key) ?? rows[0] ?? null;
}
