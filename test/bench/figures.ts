/** Formats a time, with three digits below a second. */
export function formatSeconds(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(value < 1 ? 3 : 2)} s`;
}

/** Formats a size of memory. */
export function formatMegabytes(value: number | undefined): string {
  return value === undefined ? "" : `${Math.round(value)} MB`;
}
