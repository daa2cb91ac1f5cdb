// Values of rows whose columns are read by name.

export type Columns = { readonly [name: string]: string | number | null };

export function textOrNull(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

export function numberOrNull(value: string | number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
