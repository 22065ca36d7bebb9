/** What makes groups hard to count: names, alternatives that count alike, plain text that may look like groups. */
const hard = /\(\?(?:P?<\w|'|\|)|\\Q/;

/** The pieces of a pattern that matter here: an escaped character, a class, the brackets of groups, a dot, a blank. */
const pieces = /\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\??|[). ]/gs;

/** What in a class lists the blank. */
const blank = / |\\(?:[sWDh]|x20)|\[:(?:space|blank|print):\]/;

/** Whether what a group of a pattern takes may have a blank in it, as far as that can be told. */
export function mayHoldBlank(pattern: string, group: number): boolean {
  const text = group === 0 ? pattern : groupText(pattern, group);
  return text?.match(pieces)?.some(takesBlank) ?? false;
}

function takesBlank(piece: string): boolean {
  if (piece.startsWith("[")) return piece.startsWith("[^") !== blank.test(piece);
  return /^(?:[. ]|\\[sWDh ])$/.test(piece);
}

/** What stands in the brackets of a group; undefined where there is no such group. */
function groupText(pattern: string, group: number): string | undefined {
  if (hard.test(pattern)) return undefined;
  const open: { readonly start: number; readonly number: number }[] = [];
  let count = 0;
  for (const { 0: piece, index } of pattern.matchAll(pieces)) {
    if (piece.startsWith("(")) open.push({ start: index + 1, number: piece === "(" ? ++count : 0 });
    const closed = piece === ")" ? open.pop() : undefined;
    if (closed?.number === group) return pattern.slice(closed.start, index);
  }
  return undefined;
}
