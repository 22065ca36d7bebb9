import type { Argument, Directive } from "../../src/lint/api/configuration.js";

/** A line that maps all paths below one, or all that a pattern matches. */
export interface Mapping {
  readonly kind: "alias" | "redirect";
  readonly isPattern: boolean;
  readonly from: Argument;
  readonly directive: Directive;
}

export const mappingDirectives: ReadonlySet<string> = new Set([
  ...["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"],
  ...["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"],
]);

/** Returns the mapping of one of these directives; undefined if it has no path of its own. */
export function mappingOf(directive: Directive): Mapping | undefined {
  const { key, arguments: words } = directive;
  const kind = key.startsWith("redirect") ? "redirect" : "alias";
  const isStatus = kind === "redirect" && /^(?:permanent|temp|seeother|gone|\d+)$/i.test(words[0]?.value ?? "");
  const from = words[isStatus ? 1 : 0];
  const isPattern = key.endsWith("match");
  const isPath = from?.value.startsWith("/") === true && words.length > 1;
  return from && (isPattern || isPath) ? { kind, isPattern, from, directive } : undefined;
}

/** A pattern that matches every path with a literal prefix. */
const prefixPattern = /^\^((?:\/[\w-]+)+\/?)(?:\(?\.\*\)?\$?)?$/;

/** Lines by the prefix of the paths that they match; a server may have thousands. */
export class MappingIndex {
  private readonly paths = new Map<string, Mapping>();
  private readonly patterns = new Map<string, Mapping>();
  private readonly order = new Map<Mapping, number>();

  constructor(mappings: readonly Mapping[] = []) {
    for (const each of mappings) this.add(each);
  }

  add(mapping: Mapping): void {
    const { isPattern, from } = mapping;
    const prefix = isPattern ? prefixPattern.exec(from.value)?.[1] : collapseSlashes(from.value);
    const index = isPattern ? this.patterns : this.paths;
    if (prefix === undefined || index.has(prefix)) return;
    index.set(prefix, mapping);
    this.order.set(mapping, this.order.size);
  }

  /**
   * Returns the first line that matches all paths below that of another line (modules/mappers/mod_alias.c
   * `alias_matches`); undefined for a pattern.
   */
  findCovering({ isPattern, from }: Mapping): Mapping | undefined {
    if (isPattern) return undefined;
    const path = collapseSlashes(from.value);
    const found = [...path].flatMap((_, index) => {
      const prefix = path.slice(0, index + 1);
      const isWhole = prefix.endsWith("/") || prefix === path || path[prefix.length] === "/";
      return [isWhole ? this.paths.get(prefix) : undefined, this.patterns.get(prefix)];
    });
    const placeOf = (mapping: Mapping) => this.order.get(mapping) ?? 0;
    return found.filter((each) => each !== undefined).sort((a, b) => placeOf(a) - placeOf(b))[0];
  }
}

function collapseSlashes(path: string): string {
  return path.replace(/\/{2,}/g, "/");
}
