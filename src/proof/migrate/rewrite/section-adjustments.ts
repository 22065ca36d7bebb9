import type { Directive } from "../../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../../config/model/project.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import { isSince } from "../../../facts/release.js";
import { type ConfigLayer, findSetting } from "../../../server/model/config-layer.js";
import type { Span } from "../../../text/source.js";
import type { MergeContext } from "../plan/contexts.js";
import type { SectionPlan } from "../plan/section-plan.js";

/** An AllowOverride change that `.htaccess` files need before they may contain Require. */
export type OverrideWidening =
  /** An AllowOverride without AuthConfig. */
  | { readonly kind: "line"; readonly line: Directive }
  /** No AllowOverride: the default of 2.2 allows everything. It is set for 2.4 in an existing or a new section. */
  | { readonly kind: "default"; readonly section: Directive | undefined };

/** Returns the AllowOverride lines to widen. */
export function findOverridesToWiden(
  project: Project,
  contexts: readonly MergeContext[],
  plans: ReadonlyMap<ConfigLayer, SectionPlan>,
): readonly OverrideWidening[] {
  const lines = new Set<Directive>();
  let isDefault = false;
  for (const file of project.htaccess) {
    const needs = [...plans].some(
      ([layer, each]) => (each.kind === "written" || each.kind === "wiped") && isLayerOfFile(layer, file),
    );
    for (const line of overridesFor(file, contexts)) {
      if (line === undefined) isDefault ||= !isSince(project.release, "2.4");
      else if (needs && !holdsAuthConfig(line)) lines.add(line);
    }
  }
  const root = project.directives.find(isRoot);
  return [
    ...[...lines].map((line) => ({ kind: "line", line }) as const),
    ...(isDefault ? [{ kind: "default", section: root } as const] : []),
  ];
}

/** Reports whether a section is `<Directory "/">` without an AllowOverride. */
function isRoot({ key, arguments: [word], children = [] }: Directive): boolean {
  return key === "<directory" && word?.value === "/" && !children.some((child) => child.key === "allowoverride");
}

/** Reports whether a section, or the content outside of sections, is in a `.htaccess` file. */
export function isLayerOfFile({ section, content }: ConfigLayer, { tree }: HtaccessFile): boolean {
  return (section ?? content[0])?.reading.tree === tree;
}

/** Returns the AllowOverride lines that apply to a file in its contexts; undefined stands for a context without one. */
function overridesFor(file: HtaccessFile, contexts: readonly MergeContext[]): ReadonlySet<Directive | undefined> {
  const found = new Set<Directive | undefined>();
  for (const { config } of contexts) {
    const { layers } = config;
    const at = layers.findIndex((layer) => layer.section === undefined && isLayerOfFile(layer, file));
    if (at >= 0) found.add(findSetting(layers.slice(0, at), "allowoverride"));
  }
  return found;
}

/** Reports whether an AllowOverride line allows Require and the directives of logins. */
export function holdsAuthConfig({ arguments: words }: Directive): boolean {
  const names = words.map(({ value }) => value.toLowerCase());
  return names.includes("all") || names.includes("authconfig");
}

/**
 * A DirectoryMatch section whose pattern anchors the end of a name. 2.2 matches it against the name with a trailing
 * slash, so it never matches there; 2.4 applies it.
 */
export type UnanchoredPattern =
  | { readonly section: Directive; readonly kind: "never" }
  /** The equivalent pattern for 2.4. */
  | { readonly section: Directive; readonly kind: "pattern"; readonly span: Span; readonly text: string };

/** Returns the sections with such patterns in a 2.2 configuration that can be rewritten for 2.4. */
export function findUnanchoredPatterns(project: Project): readonly UnanchoredPattern[] {
  if (isSince(project.release, "2.4")) return [];
  const found: UnanchoredPattern[] = [];
  for (const section of iterateDirectives(project)) {
    const [first, second] = section.arguments;
    const argument = section.key === "<directorymatch" ? first : first?.value === "~" ? second : undefined;
    if (argument === undefined || !/^<directory/.test(section.key) || !hasEndAnchor(argument.value)) continue;
    const text = argument.value.replace(/\((?:\?:)?(?:\/\|\$|\$\|\/)\)/g, "/");
    if (!hasEndAnchor(text)) found.push({ section, kind: "pattern", span: section.spanOf(argument), text });
    else if (/[^\\]\$$/.test(text) && !text.includes("|")) found.push({ section, kind: "never" });
  }
  return found;
}

/** Reports whether a pattern has an unescaped `$`. */
function hasEndAnchor(pattern: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\$/.test(pattern);
}
