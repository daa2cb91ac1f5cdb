// Bytes as people read them.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function sizeText(bytes: number): string {
  const { value, unit } = scaled(bytes);
  return `${numberText(value, unit, value)} ${UNITS[unit]}`;
}

/** `310 of 900 MiB`: both in the unit of the total. */
export function sizeOfText(bytes: number, total: number): string {
  const { value, unit } = scaled(total);
  return `${numberText(bytes / 1024 ** unit, unit, value)} of ${sizeText(total)}`;
}

function scaled(bytes: number): { readonly value: number; readonly unit: number } {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return { value, unit };
}

/** With as many digits as a number of the size of `like`. */
function numberText(value: number, unit: number, like: number): string {
  return unit === 0 || like >= 100 ? `${Math.round(value)}` : value.toFixed(1);
}
