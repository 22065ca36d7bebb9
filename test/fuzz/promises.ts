/** Fails the target that breaks its word. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** JSON can be read, and nothing holds what a terminal obeys; what hides or turns text is an escape in JSON. */
export function checkReport(format: string, written: string): void {
  const isJson = format === "json" || format === "sarif";
  if (isJson) JSON.parse(written);
  const at = written.search(isJson ? /(?!\n)[\p{Cc}\p{Cf}]/u : /(?![\t\n])\p{Cc}/u);
  expectThat(
    at < 0,
    `${format} holds what is not to be seen: ${JSON.stringify(written.slice(Math.max(0, at - 40), at + 10))}`,
  );
}
