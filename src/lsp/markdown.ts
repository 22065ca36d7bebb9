/** Text as code, whatever backticks it holds. */
export function inCode(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const isEdged = text.startsWith("`") || text.endsWith("`");
  return isEdged ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
