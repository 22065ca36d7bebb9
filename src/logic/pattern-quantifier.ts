/** How often something is repeated, and where the text behind that starts. */
export interface Quantifier {
  readonly least: number;
  /** Infinity for no limit. */
  readonly most: number;
  readonly possessive: boolean;
  readonly end: number;
}

const form = /(?:[*+?]|\{(\d+)(,(\d*))?\})([+?]?)/y;
/** PCRE2 reads these too from 10.43 on; before they are plain text. */
const newForm = /\{[ \t]*(?:\d+[ \t]*(?:,[ \t]*\d*[ \t]*)?|,[ \t]*\d+[ \t]*)\}/y;

/** The quantifier at a place; undefined where there is none; what keeps it from being read the same everywhere. */
export function readQuantifier(text: string, at: number): Quantifier | undefined | { readonly construct: string } {
  form.lastIndex = at;
  const found = form.exec(text);
  if (found === null) {
    newForm.lastIndex = at;
    const construct = "`{,n}` or a quantifier with spaces, which older releases of PCRE take for text";
    return newForm.test(text) ? { construct } : undefined;
  }
  const [whole, number, comma, last, mark] = found;
  const end = at + whole.length;
  const possessive = mark === "+";
  if (number === undefined) {
    const most = whole.startsWith("?") ? 1 : Number.POSITIVE_INFINITY;
    return { least: whole.startsWith("+") ? 1 : 0, most, possessive, end };
  }
  const least = Number(number);
  const most = comma === undefined ? least : last ? Number(last) : Number.POSITIVE_INFINITY;
  const isRefused = most < least || least > 65_535 || (last && most > 65_535);
  return isRefused ? { construct: "a quantifier with numbers that PCRE refuses" } : { least, most, possessive, end };
}
