// Sizes as `ls -h` and `du -h` print them, rounded up. Pure.

export function human(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1024; unit++) size /= 1024;
  if (unit === 0) return String(bytes);
  return `${size < 10 ? (Math.ceil(size * 10) / 10).toFixed(1) : Math.ceil(size)}${"KMGTPE"[unit - 1]}`;
}
