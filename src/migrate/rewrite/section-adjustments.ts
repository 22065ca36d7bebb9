import { type ConfigLayer, findSetting } from "../../httpd/model/config-layer.js";
import type { Directive } from "../../project/model/directive.js";
import type { HtaccessFile, Project } from "../../project/model/project.js";
import { iterateDirectives } from "../../project/queries/directive-tree.js";
import type { Span } from "../../text/source.js";
import type { MergeContext } from "../model/contexts.js";
import type { SectionPlan } from "../plan/section-plan.js";

/** What has to be allowed in `.htaccess` files so that they may hold Require. */
export type OverrideWidening =
  /** The words of an AllowOverride lack AuthConfig. */
  | { readonly kind: "line"; readonly line: Directive }
  /** 2.2 lets them hold everything where nothing is said; it is to be said for 2.4, in a section or in a new one. */
  | { readonly kind: "default"; readonly section: Directive | undefined };

/** The AllowOverride lines to be widened. */
export function findOverridesToWiden(
  project: Project,
  contexts: readonly MergeContext[],
  said: ReadonlyMap<ConfigLayer, SectionPlan>,
): readonly OverrideWidening[] {
  const lines = new Set<Directive>();
  let isDefault = false;
  for (const file of project.htaccess) {
    const needs = [...said].some(
      ([layer, each]) => (each.kind === "written" || each.kind === "wiped") && isLayerOfFile(layer, file),
    );
    for (const line of overridesFor(file, contexts)) {
      if (line === undefined) isDefault ||= project.release === "2.2";
      else if (needs && !holdsAuthConfig(line)) lines.add(line);
    }
  }
  const root = project.directives.find(isRoot);
  return [
    ...[...lines].map((line) => ({ kind: "line", line }) as const),
    ...(isDefault ? [{ kind: "default", section: root } as const] : []),
  ];
}

/** Whether a section is that of the root, and says nothing of overrides. */
function isRoot({ key, arguments: [word], children = [] }: Directive): boolean {
  return key === "<directory" && word?.value === "/" && !children.some((child) => child.key === "allowoverride");
}

/** Whether a section, or what is said outside of all, is a `.htaccess` file's. */
export function isLayerOfFile({ section, content }: ConfigLayer, { tree }: HtaccessFile): boolean {
  return (section ?? content[0])?.reading.tree === tree;
}

/** The AllowOverride in force for a file wherever it is read; undefined where there is none. */
function overridesFor(file: HtaccessFile, contexts: readonly MergeContext[]): ReadonlySet<Directive | undefined> {
  const found = new Set<Directive | undefined>();
  for (const { config } of contexts) {
    const { layers } = config;
    const at = layers.findIndex((layer) => layer.section === undefined && isLayerOfFile(layer, file));
    if (at >= 0) found.add(findSetting(layers.slice(0, at), "allowoverride"));
  }
  return found;
}

function holdsAuthConfig({ arguments: words }: Directive): boolean {
  const names = words.map(({ value }) => value.toLowerCase());
  return names.includes("all") || names.includes("authconfig");
}

/**
 * A DirectoryMatch section whose pattern says where a name ends. 2.2 asks it of the name with a slash behind it, and no name
 * ends there: 2.4 applies it where 2.2 did not.
 */
export type UnanchoredPattern =
  | { readonly section: Directive; readonly kind: "never" }
  /** What 2.2 makes of it, in words of 2.4. */
  | { readonly section: Directive; readonly kind: "pattern"; readonly span: Span; readonly text: string };

/** Those of a configuration of 2.2 that can be written for 2.4. */
export function findUnanchoredPatterns(project: Project): readonly UnanchoredPattern[] {
  if (project.release !== "2.2") return [];
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

/** Whether a pattern has a `$` that is none of its letters. */
function hasEndAnchor(pattern: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\$/.test(pattern);
}
