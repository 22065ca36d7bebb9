import {
  type Argument,
  compileServerAlias,
  type Directive,
  findPlaceholder,
  stripServerName,
} from "../../src/lint/api/configuration.js";

/** A name of a virtual host. */
export interface HostName {
  /** In lower case; an alias may have wildcards. */
  readonly text: string;
  readonly argument: Argument;
  readonly line: Directive;
}

/** The names of the virtual hosts with one address. */
export class HostNames {
  private readonly exact = new Map<string, HostName>();
  private readonly wildcards: { readonly alias: HostName; readonly matches: (name: string) => boolean }[] = [];
  isEmpty = true;

  /** Returns the name that matches one. A name with wildcards or an unknown part is matched only by the same one. */
  find(name: string): HostName | undefined {
    const exact = this.exact.get(name);
    if (exact || this.wildcards.length === 0 || isOpenName(name)) return exact;
    return this.wildcards.find(({ matches }) => matches(name))?.alias;
  }

  add(names: readonly HostName[]): void {
    this.isEmpty = false;
    for (const name of names) {
      const { text } = name;
      if (this.exact.has(text)) continue;
      if (isWildcardName(text)) this.wildcards.push({ alias: name, matches: compileServerAlias(text) });
      this.exact.set(text, name);
    }
  }
}

/** Returns whether a name has wildcards or an unknown part. */
function isOpenName(name: string): boolean {
  return isWildcardName(name) || name.includes("${") || findPlaceholder(name) !== undefined;
}

/** Returns whether a ServerAlias matches more than one name. */
export function isWildcardName(name: string): boolean {
  return /[*?]/.test(name);
}

/** Returns the names of a virtual host: its last ServerName and its aliases. */
export function listNames({ children = [] }: Directive): readonly HostName[] {
  const aliases: HostName[] = [];
  let last: Directive | undefined;
  for (const line of children) {
    if (line.key === "servername") last = line;
    else if (line.key === "serveralias")
      for (const argument of line.arguments) aliases.push({ text: argument.value.toLowerCase(), argument, line });
  }
  const [argument] = last?.arguments ?? [];
  return last && argument ? [{ text: stripServerName(argument.value), argument, line: last }, ...aliases] : aliases;
}
