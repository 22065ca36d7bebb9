/** Options with one meaning, independent of the others. */
const singleOptions = "Indexes Includes FollowSymLinks SymLinksIfOwnerMatch ExecCGI MultiViews".split(" ");

/**
 * Returns the unsigned options that are equivalent to a mix of signed and unsigned ones in 2.2 (server/core.c
 * `set_options`). In 2.2 the first unsigned option discards those before it. Undefined if inner sections would inherit
 * different options.
 */
export function resolveMixedOptions(words: readonly string[]): string | undefined {
  let options = new Set<string>();
  const added = new Set<string>();
  const removed = new Set<string>();
  let isPlain = false;
  for (const word of words) {
    const [, sign = "", name = ""] = /^([+-]?)(.*)$/.exec(word) ?? [];
    const option = singleOptions.find((each) => each.toLowerCase() === name.toLowerCase());
    if (option === undefined) return undefined;
    if (sign === "" && !isPlain) options = new Set();
    isPlain ||= sign === "";
    if (sign !== "") (sign === "+" ? added : removed).add(option);
    if (sign !== "") (sign === "+" ? removed : added).delete(option);
    if (sign === "-") options.delete(option);
    else options.add(option);
  }
  const isInherited =
    [...added].every((option) => options.has(option)) && ![...removed].some((option) => options.has(option));
  if (!isInherited) return undefined;
  return options.size === 0 ? "None" : [...options].join(" ");
}
