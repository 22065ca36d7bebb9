/** The text of an expression without its constants, and their words. */
interface ExpressionConstants {
  readonly text: string;
  readonly words: readonly string[];
}

/** A word of a constant: a name, or a part of one between other characters. */
export const wordPattern = /[\w.-]+/g;

/** Returns the words of a text, in lower case. */
export function wordsIn(text: string): readonly string[] {
  return Array.from(text.toLowerCase().matchAll(wordPattern), ([word]) => word);
}

/** Quotes around all of the expression, or none, and no escapes: no quoted text contains a quote. */
const simplyQuoted = /^(?:"[^"\\]*"|[^"\\]*)>?$/;

/**
 * A test of a header against a text, or of the URL path against a literal start of whole names. The first is a fact about
 * the request that only its own text identifies.
 */
const constantTest =
  /(?<before>%\{HTTP_[A-Z_]+\}\s*[=!]=\s*')(?<header>[^'"\\%$]*)(?=')|(?<=%\{REQUEST_URI\}\s*[=!]~\s*m\|\^)(?<start>(?:\/[\w-]+)+)(?=\/\|(?!\w))/g;

/** Finds the constants in the argument of an If section. Words in any other part are not constants. */
export function findExpressionConstants(argument: string): ExpressionConstants {
  const words: string[] = [];
  if (!simplyQuoted.test(argument)) return { text: argument, words };
  let text = "";
  let end = 0;
  for (const { 0: found, index, groups = {} } of argument.matchAll(constantTest)) {
    const isQuoted = (argument.slice(0, index).split("'").length - 1) % 2 === 1;
    if (isQuoted) continue;
    const before = groups["before"] ?? "";
    const constant = found.slice(before.length);
    text += argument.slice(end, index) + before + constant.replace(wordPattern, "\0");
    words.push(...(constant.match(wordPattern) ?? []));
    end = index + found.length;
  }
  return { text: text + argument.slice(end), words };
}

/** The key of the path predicate for a literal start of whole names, as `PathPredicates` forms it. */
const literalStartKey = /^pattern false false \^(?:\/[\w-]+)+\/ (?:false)? (?:false|true)? {2}$/;

/** Reports whether a predicate tests for a literal start of whole names, so that renaming these renames its texts. */
export function isLiteralStart(key: string): boolean {
  return literalStartKey.test(key);
}
