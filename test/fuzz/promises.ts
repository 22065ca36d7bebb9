/** Fails the target that breaks its word. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** JSON can be read, and anything else holds nothing that a terminal obeys. */
export function checkReport(format: string, written: string): void {
  if (format === "json" || format === "sarif") JSON.parse(written);
  else {
    const at = written.search(/(?![\t\n])\p{Cc}/u);
    expectThat(
      at < 0,
      `${format} holds a control character: ${JSON.stringify(written.slice(Math.max(0, at - 40), at + 10))}`,
    );
  }
}
