import { parseArguments } from "../../grammar/arguments.js";
import type { SourceFile } from "../text/source.js";
import { isSecretName } from "./secret-names.js";

/** What is shorter stands in other words by chance. */
const SHORTEST = 4;

/** Variables with their values, as flags and the environment give them. */
type Given = ReadonlyMap<string, string | undefined> | undefined;

/**
 * What variables stand for whose names say that it is a secret: where a line says `${DB_PASSWORD}`, what it comes to holds one.
 *
 * @returns binary strings, the longest first
 */
export function secretValuesOf(files: Iterable<SourceFile>, ...given: readonly Given[]): readonly string[] {
  const all = [...given.flatMap((each) => [...(each ?? [])]), ...[...files].flatMap(({ text }) => definesIn(text))];
  const values = all.flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []));
  return [...new Set(values)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}

function definesIn(text: string): [name: string, value: string | undefined][] {
  return [...text.matchAll(/^[\t ]*Define[\t ]+(.*)$/gim)].map(([, words = ""]) => {
    const [name, value] = parseArguments(words);
    return [name?.value ?? "", value?.value];
  });
}
