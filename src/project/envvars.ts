/**
 * The variables that an envvars file gives the server: the shell assignments of Debian's `/etc/apache2/envvars` and its
 * like. The file is read, never run: a value that takes a shell to work out (a command, an arithmetic, a pattern) leaves
 * its variable without one, and assignments inside `if` are passed over, since the condition is not evaluated.
 */
export function readEnvvars(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  let depth = 0;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^(if|case|for|while)\b/.test(line)) depth++;
    if (depth === 0) assign(line, variables);
    if (/^(fi|esac|done)\b/.test(line)) depth--;
  }
  return variables;
}

function assign(line: string, variables: Map<string, string>): void {
  const match = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
  if (!match) return;
  const [, name = "", written = ""] = match;
  const value = valueOfWord(written, variables);
  if (value === undefined) variables.delete(name);
  else variables.set(name, value);
}

/** A shell word: bare, `"…"` with variables, or `'…'`; undefined where it would have to be run. */
function valueOfWord(written: string, variables: ReadonlyMap<string, string>): string | undefined {
  const single = /^'([^']*)'/.exec(written);
  if (single) return single[1];
  const word = /^"([^"]*)"/.exec(written)?.[1] ?? /^[^\s;#"']*/.exec(written)?.[0] ?? "";
  const replaced = word.replace(/\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g, (_, bare, braced) => {
    return variables.get(bare ?? braced) ?? "";
  });
  return /[`$]/.test(replaced) ? undefined : replaced;
}
