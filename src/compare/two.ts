/** What there is of each of two sides. */
export type Two<T> = readonly [before: T, after: T];

/** The same made of each side. */
export function ofBoth<T, U>([before, after]: Two<T>, make: (each: T, side: 0 | 1) => U): Two<U> {
  return [make(before, 0), make(after, 1)];
}
