import type { GuessedRoot } from "../project/guessed-root.js";
import { shortPath } from "./settings.js";

/** Returns the note on a guessed ServerRoot; none if nothing was guessed. */
export function guessNotes(guess: GuessedRoot | undefined): readonly string[] {
  if (guess === undefined) return [];
  const { root, named, isHere } = guess;
  const where = isHere ? "outside the repository" : "not here";
  return [
    `httpd-lint: the ServerRoot \`${named}\` is ${where}: relative paths start in \`${shortPath(root)}\`; name another directory with --server-root`,
  ];
}
