import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { type Layer, settingIn } from "../scope/layer.js";
import type { Context } from "./contexts.js";
import type { Said } from "./said.js";

/** What has to be allowed in `.htaccess` files so that they may hold Require. */
export type Widening =
  /** The words of an AllowOverride lack AuthConfig. */
  | { readonly kind: "line"; readonly line: Directive }
  /** 2.2 lets them hold everything where nothing is said; it is to be said for 2.4, in a section or in a new one. */
  | { readonly kind: "default"; readonly section: Directive | undefined };

/** The AllowOverride lines to be widened. */
export function overrideLines(
  project: Project,
  contexts: readonly Context[],
  said: ReadonlyMap<Layer, Said>,
): readonly Widening[] {
  const lines = new Set<Directive>();
  let isDefault = false;
  for (const file of project.htaccess) {
    const needs = [...said].some(
      ([layer, each]) => (each.kind === "written" || each.kind === "wiped") && standsIn(layer, file),
    );
    for (const line of inForceFor(file, contexts)) {
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
export function standsIn({ section, content }: Layer, { tree }: HtaccessFile): boolean {
  return (section ?? content[0])?.reading.tree === tree;
}

/** The AllowOverride in force for a file wherever it is read; undefined where there is none. */
function inForceFor(file: HtaccessFile, contexts: readonly Context[]): ReadonlySet<Directive | undefined> {
  const found = new Set<Directive | undefined>();
  for (const { config } of contexts) {
    const { layers } = config;
    const at = layers.findIndex((layer) => layer.section === undefined && standsIn(layer, file));
    if (at >= 0) found.add(settingIn(layers.slice(0, at), "allowoverride"));
  }
  return found;
}

function holdsAuthConfig({ arguments: words }: Directive): boolean {
  const names = words.map(({ value }) => value.toLowerCase());
  return names.includes("all") || names.includes("authconfig");
}
