/** Macros that put what they are given into a line with a secret, by name; of the text that was looked at last. */
let known: { readonly text: string; readonly names: ReadonlySet<string> } | undefined;

const use = /[\t ]*Use[\t ]+["']?([^\s"']+)["']?[\t ]+/iy;
const opened = /^[\t ]*<Macro[\t ]+["']?([^\s"'>]+)["']?([^>]*)>/i;
const closed = /^[\t ]*<\/Macro/i;

/**
 * Where the words begin that a Use line gives to a macro of its own file, if that puts them where a secret stands.
 *
 * @param secretStart tells where the secret of a line begins
 */
export function givenToMacro(
  text: string,
  lineStart: number,
  secretStart: (text: string, lineStart: number) => number | undefined,
): number | undefined {
  use.lastIndex = lineStart;
  const name = use.exec(text)?.[1];
  if (name === undefined) return undefined;
  const end = use.lastIndex;
  if (known?.text !== text) known = { text, names: secretiveMacros(text, secretStart) };
  return known.names.has(name.toLowerCase()) ? end : undefined;
}

function secretiveMacros(
  text: string,
  secretStart: (text: string, lineStart: number) => number | undefined,
): ReadonlySet<string> {
  const names = new Set<string>();
  let inside: { readonly name: string; readonly parameters: readonly string[] } | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const [, name, parameters = ""] = opened.exec(line) ?? [];
    if (name !== undefined) inside = { name: name.toLowerCase(), parameters: parameters.match(/[^\s"']+/g) ?? [] };
    else if (closed.test(line)) inside = undefined;
    else if (inside) {
      const secret = secretStart(text, start);
      const said = secret === undefined ? "" : text.slice(secret, start + line.length);
      if (inside.parameters.some((each) => said.includes(each))) names.add(inside.name);
    }
    start += line.length + 1;
  }
  return names;
}
