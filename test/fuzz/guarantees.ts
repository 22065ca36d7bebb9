/** Fails the target if a guarantee does not hold. */
export function expectThat(holds: boolean, failure: string): void {
  if (!holds) throw new Error(failure);
}

/**
 * Checks that JSON is valid, and that the output does not contain terminal control characters; invisible and
 * bidirectional characters must be escaped in JSON.
 */
export function checkReport(format: string, written: string): void {
  const isJson = format === "json" || format === "sarif";
  if (isJson) JSON.parse(written);
  const at = written.search(isJson ? /(?!\n)[\p{Cc}\p{Cf}]/u : /(?![\t\n])\p{Cc}/u);
  expectThat(
    at < 0,
    `${format} holds what is not to be seen: ${JSON.stringify(written.slice(Math.max(0, at - 40), at + 10))}`,
  );
}
