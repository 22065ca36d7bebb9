import type { Argument, Directive } from "../../src/lint/api/configuration.js";
import { stripTrailingSlash } from "../../src/lint/api/rule.js";

/** The argument that is the path of a URL, or a pattern for one, by directive; others are checked with their scope. */
const urlArguments: ReadonlyMap<string, number> = new Map([
  ["<locationmatch", 0],
  ["alias", 0],
  ["aliasmatch", 0],
  ["errordocument", 1],
  ["proxypass", 0],
  ["proxypassmatch", 0],
  ["scriptalias", 0],
  ["scriptaliasmatch", 0],
]);

/** Returns the word of a line that is a URL path or a pattern for one; that of redirects may follow a status. */
export function findUrlWord({ key, arguments: words }: Directive): Argument | undefined {
  if (/^redirect/.test(key)) return words.slice(0, -1).find(({ value }) => /^\^?\//.test(value));
  const word = words[urlArguments.get(key) ?? words.length];
  // An Alias from a path to itself makes it a URL path, and text in quotes after ErrorDocument is a message.
  const isOfDisk =
    key === "alias" && stripTrailingSlash(word?.value ?? "") === stripTrailingSlash(words[1]?.value ?? "");
  return isOfDisk ? undefined : word;
}

export function mayHaveUrlWord(key: string): boolean {
  return urlArguments.has(key) || /^redirect(?:match|permanent|temp)?$/.test(key);
}
