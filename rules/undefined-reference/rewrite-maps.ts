import {
  type Directive,
  indexDirectives,
  isWholeServer,
  mayHaveMoreLines,
  type Project,
  type Scope,
} from "../../src/lint/api/configuration.js";

/** The functions of mod_rewrite, by the names that people give their maps. */
export const internalMaps: ReadonlyMap<string, string> = new Map([
  ...["lc", "lower", "lowercase", "tolower"].map((name) => [name, "tolower"] as const),
  ...["uc", "upper", "uppercase", "toupper"].map((name) => [name, "toupper"] as const),
  ...["esc", "escape"].map((name) => [name, "escape"] as const),
  ...["unesc", "unescape"].map((name) => [name, "unescape"] as const),
]);

export function isInternalMap(name: string): boolean {
  return internalMaps.has(name.toLowerCase());
}

/** A map that a line of rewriting uses, and where its name is. */
interface UsedMap {
  readonly directive: Directive;
  readonly name: string;
  readonly start: number;
}

/**
 * Yields the first use of each map that is not defined for a scope. A virtual host has only maps of its own, unless it
 * inherits rules (mod_rewrite.c `config_server_merge`, `lookup_map`).
 */
export function* findUnknownMaps({ directives, place, section }: Scope, project: Project): Generator<UsedMap> {
  const index = indexDirectives(project);
  const used = directives.flatMap((each) => (each.key.startsWith("rewrite") ? usedMaps(each) : []));
  if (used.length === 0) return;
  const mayInherit = index.named("rewriteoptions").some(({ argumentText }) => /inherit/i.test(argumentText));
  const isHost = place === "virtualhost" && section !== undefined && !mayInherit;
  // The maps of a part may be in another file, except for those of a virtual host.
  if (mayHaveMoreLines(project) || (!isHost && !isWholeServer(project))) return;
  const defined = new Set(
    index
      .named("rewritemap")
      .flatMap((line) => (!isHost || line.parent === section ? (line.arguments[0]?.value ?? []) : [])),
  );
  const reported = new Set<string>();
  for (const each of used) {
    if (defined.has(each.name) || reported.has(each.name)) continue;
    reported.add(each.name);
    yield each;
  }
}

/** Returns the line of the main server that defines a map, if a virtual host does not. */
export function findMapOfMain(name: string, { place }: Scope, project: Project): Directive | undefined {
  if (place !== "virtualhost") return undefined;
  return project.directives.find(({ key, arguments: [word] }) => key === "rewritemap" && word?.value === name);
}

function usedMaps(directive: Directive): readonly UsedMap[] {
  if (!/^rewrite(?:rule|cond)$/.test(directive.key)) return [];
  return [...directive.argumentText.matchAll(/(?<!\\)\$\{([\w-]+):/g)].map(({ 1: name = "", index }) => ({
    directive,
    name,
    start: index + 2,
  }));
}
