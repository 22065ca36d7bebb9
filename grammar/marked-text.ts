/**
 * Characters that httpd does not read as they are written, as code units of the private use area: these have no case, and are
 * not white space. Their low byte is the character, so that `toReadable` shows it.
 */

/** The first unit of the characters of which only the number is known, such as those of a value. */
const HIDDEN = 0xe000;
/** The first unit of the characters that a command removes, such as the backslash of an escape. `normalizeLine` omits them. */
const REMOVED = 0xe100;

/** Matches a hidden character. */
export const hiddenUnit = /[\ue000-\ue0ff]/;
/** The removed characters, for a class in a regular expression. */
export const removedRange = "\\ue100-\\ue1ff";
/** Matches a removed character. */
export const removedUnit = new RegExp(`[${removedRange}]`);

const removedUnits = new RegExp(removedUnit, "g");

/** Returns a text without its removed characters. */
export function omitRemoved(text: string): string {
  return text.replace(removedUnits, "");
}

/** Returns characters that `normalizeLine` omits. */
export function removeText(text: string): string {
  return mark(text, REMOVED);
}

/** Returns characters of which only the number is known; `toReadable` shows them as written. */
export function hideText(text: string): string {
  return mark(text, HIDDEN);
}

/** Returns a text with its hidden characters as written. */
export function showHidden(text: string): string {
  return text.replace(/[\ue000-\ue0ff]/g, (each) => String.fromCharCode(each.charCodeAt(0) - HIDDEN));
}

function mark(text: string, first: number): string {
  let marked = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    marked += String.fromCharCode(isRemoved(unit) ? unit : first + (unit & 0xff));
  }
  return marked;
}

function isRemoved(unit: number): boolean {
  return unit >= REMOVED && unit <= REMOVED + 0xff;
}
