import type { ConfigTree, Line, SectionNode, TreeNode } from "../../grammar/ast.js";
import { findBackendModules } from "../facts/backend-modules.js";
import { findDirectiveFacts } from "../facts/directives.js";
import { findModuleByManualName, findModuleByName } from "../facts/modules.js";
import { lineOf, otherLineOf, type Release, releaseOf, type Version, versionOf } from "../facts/release.js";
import { memoize } from "../text/memoize.js";
import { lineAt, type Span, toReadable } from "../text/source.js";
import { conditionTextOf, decideTemplateCondition, decideVersion, type Guard, guardKinds } from "./model/guards.js";
import { identifierOf, isKnownModule } from "./model/modules.js";
import type { AlternativeReading, Alternatives, Branch, ReadConfig } from "./model/project.js";
import { listNeededModules } from "./reader/assumed-modules.js";
import { sourceLineOf } from "./reader/source-lines.js";

/** What another server has, so that conditional sections apply there. */
export interface Conditions {
  /** Absent if no section depends on it. */
  readonly version?: Version;
  /** Modules by name, and whether they are loaded. */
  readonly modules: ReadonlyMap<string, boolean>;
  readonly defines: ReadonlySet<string>;
  /** Files by path as written, and whether they exist. */
  readonly files: ReadonlyMap<string, boolean>;
  /** Conditions of templates, and whether they hold. */
  readonly templateConditions: ReadonlyMap<string, boolean>;
  /** Macros that no Use line inserts, by the key of their first line. */
  readonly macros: ReadonlySet<string>;
  /** Whether the sections apply whose conditions depend on a variable. */
  readonly appliesUndecided: boolean;
}

/** What is known of the server: no alternative changes it. A module may be loaded, and a file created, at any time. */
export interface KnownConditions {
  readonly release: Release;
  readonly modulesAreKnown: boolean;
  /** Whether the user names all modules. */
  readonly modulesAreGiven: boolean;
  /** Whether the release is chosen: files for 2.2 are also read as those of 2.4, which is the default. */
  readonly releaseIsChosen: boolean;
  /** Whether the server is of one version, so that conditions on the version have one result. */
  readonly versionIsChosen: boolean;
  /** Whether the names are known that a start of httpd defines. */
  readonly definesAreKnown: boolean;
}

/** Maximum number of readings: files with more contradicting conditions are rare. */
const MAX_READINGS = 4;

/**
 * Reads a configuration again for the conditional sections that are skipped, until each applies in a reading. Conditions
 * that do not contradict each other are read together.
 *
 * @param read returns the configuration as read under conditions; undefined if it cannot be read
 */
export function readAlternatives(
  base: ReadConfig,
  known: KnownConditions,
  read: (conditions: Conditions) => ReadConfig | undefined,
): Alternatives {
  const appliedFirst: ReadonlySet<string> = new Set(
    listParts(base).flatMap(({ key, applies }) => (applies ? [key] : [])),
  );
  const applied = new Set(appliedFirst);
  const skipped = new Map<string, ConditionalPart>();
  const noteSkipped = (config: ReadConfig) => {
    for (const part of listParts(config)) if (!part.applies && !skipped.has(part.key)) skipped.set(part.key, part);
  };
  noteSkipped(base);
  const tried = new Set<string>();
  const readings: AlternativeReading[] = [];
  while (readings.length < MAX_READINGS) {
    const open = [...skipped.values()].filter(({ key }) => !applied.has(key) && !tried.has(key));
    const chosen = chooseConditions(open, appliedFirst, known);
    for (const key of chosen.keys) tried.add(key);
    const config = chosen.keys.length === 0 ? undefined : read(chosen.conditions);
    if (config === undefined) break;
    noteSkipped(config);
    const applying = new Map(listParts(config).flatMap((part) => (part.applies ? [[part.key, part] as const] : [])));
    const branches = [...applying].flatMap(([key, part]) => (applied.has(key) ? [] : [part.toBranch()]));
    for (const key of applying.keys()) applied.add(key);
    if (branches.length > 0) readings.push({ config, branches, isOfOtherServer: chosen.isOfOtherServer });
  }
  return { readings, unread: [...skipped].flatMap(([key, part]) => (applied.has(key) ? [] : [part.toBranch()])) };
}

/** Returns the skipped parts of a configuration that is read in one way only. */
export function listUnread(config: ConfigAsRead): Alternatives {
  const skipped = listParts(config).flatMap((part) => (part.applies ? [] : [[part.key, part] as const]));
  return { readings: [], unread: [...new Map(skipped).values()].map((part) => part.toBranch()) };
}

/** Returns the conditional sections that apply in a configuration, each with its lines. */
export const listAppliedSections = memoize(({ guards, files }: ReadConfig): readonly Branch[] =>
  guards.flatMap(({ holds, span }) => (holds ? [sectionBranch(span, files)] : [])),
);

/** Returns the opening tag of a section, for display. */
export function textOfTag({ file, start, end }: Span): string {
  return toReadable(file.text.slice(start, end)).trim().replace(/\s+/g, " ");
}

/** What the conditional parts of a configuration are found in. */
type ConfigAsRead = Pick<ReadConfig, "guards" | "templateBranches" | "macros" | "files" | "modules">;

/** A conditional section, an alternative in a template, or a macro, which applies if it is used. */
interface ConditionalPart {
  /** Equal for all readings. */
  readonly key: string;
  readonly applies: boolean;
  readonly toBranch: () => Branch;
  /**
   * Returns what makes it apply if it is skipped: its condition, and those of the sections around it that are skipped first.
   * Undefined if nothing does, or if the server is known to skip it.
   */
  readonly findChanges: (known: KnownConditions, appliedFirst: ReadonlySet<string>) => Changes | undefined;
}

/** What makes a section apply. */
interface Changes {
  readonly changes: readonly Change[];
  /** The conditions of the sections around it that apply, and must remain so. */
  readonly kept: readonly Change[];
}

function listParts(config: ConfigAsRead): readonly ConditionalPart[] {
  const { guards, templateBranches, macros, files } = config;
  const sections = guards.map((guard): ConditionalPart => {
    return {
      key: keyOf(guard.span),
      applies: guard.holds,
      toBranch: () => sectionBranch(guard.span, files),
      findChanges(known, appliedFirst) {
        const found = findChangesAround(guard, known, appliedFirst);
        return found && withNeededModules(found, guard, config, known);
      },
    };
  });
  const alternatives = templateBranches.map(({ file, tag, end, applies, requires }): ConditionalPart => {
    const at = { file, start: tag.start, end: tag.end };
    return {
      key: keyOf(at),
      applies,
      toBranch: () => createBranch("template", at, { start: tag.end, end }),
      findChanges(known) {
        const change = templateChangeOf(requires, known);
        return change && { changes: [change], kept: [] };
      },
    };
  });
  const definitions = macros.map(({ span, isUsed }): ConditionalPart => {
    const key = keyOf(span);
    const toBranch = () => ({ ...sectionBranch(span, files), kind: "macro" as const });
    return { key, applies: isUsed, toBranch, findChanges: () => ({ changes: [{ macro: key }], kept: [] }) };
  });
  return [...sections, ...alternatives, ...definitions];
}

/** Returns a key for the line of a tag; the uses of a macro share those of its definition. */
export function keyOf(tag: Span): string {
  const { file, start } = sourceLineOf(tag);
  return `${start} ${file.realPath}`;
}

function findChangesAround(
  guard: Guard,
  known: KnownConditions,
  appliedFirst: ReadonlySet<string>,
): Changes | undefined {
  const own = findChange(guard, known);
  if (own === undefined) return undefined;
  const changes = [own];
  const kept: Change[] = [];
  for (let outer = guard.parent; outer; outer = outer.parent) {
    const applies = appliedFirst.has(keyOf(outer.span));
    // One that needs no change, such as `!NAME`, applied when this section was read.
    const change = applies ? conditionOf(outer, known.release) : findChange(outer, known);
    if (change) (applies ? kept : changes).push(change);
  }
  return { changes, kept };
}

/**
 * Adds the modules that the lines of a section need. A server that has others than the known one, so that the section applies,
 * also has these.
 */
function withNeededModules(found: Changes, guard: Guard, config: ConfigAsRead, known: KnownConditions): Changes {
  const kind = kindOfAll(found.changes, known);
  if (!known.modulesAreKnown || !kindsOfOtherModules.has(kind)) return found;
  const { file, start } = sourceLineOf(guard.span);
  const tree = treesOf(config.files).get(file);
  const section = tree && findSection(tree.nodes, start);
  if (tree === undefined || section === undefined) return found;
  const decided = new Set(
    [...found.changes, ...found.kept].flatMap((change) =>
      change !== "undecided" && "modules" in change ? (change.modules ?? []).map(([name]) => name) : [],
    ),
  );
  const lines = [...linesIn(section.children, tree)];
  const needed = [
    ...listNeededModules(tree, lines, known.release, config.modules),
    ...lines.flatMap((line) => backendModuleOf(line, tree) ?? []).filter((each) => !config.modules.has(each)),
  ];
  const added = needed.filter((each) => !decided.has(each)).map((each) => [each, true] as const);
  return added.length === 0 ? found : { ...found, changes: [...found.changes, { modules: added }] };
}

/** Returns the module that connects to the backend of a ProxyPass line. */
function backendModuleOf({ nameStart, nameEnd, restStart, restEnd }: Line, { text }: ConfigTree): string | undefined {
  if (!text.slice(nameStart, nameEnd).toLowerCase().startsWith("proxypass")) return undefined;
  const [, scheme] = /\s"?([a-z]\w*):\/\//i.exec(` ${text.slice(restStart, restEnd)}`) ?? [];
  return scheme && findBackendModules(scheme.toLowerCase())?.[0];
}

/** Returns the lines that apply with a section: all but those of conditional sections inside it. */
function* linesIn(nodes: readonly TreeNode[], tree: ConfigTree): Generator<Line> {
  for (const node of nodes) {
    if (!("open" in node)) yield node;
    else if (!isConditional(node, tree)) {
      yield node.open;
      yield* linesIn(node.children, tree);
    }
  }
}

function isConditional({ open }: SectionNode, { text }: ConfigTree): boolean {
  const name = text.slice(open.nameStart, open.nameEnd).toLowerCase();
  return guardKinds.some((kind) => kind === name);
}

/** Returns the condition of a section that applies, as far as another section may contradict it. */
function conditionOf({ kind, argument, negated, isUndecided }: Guard, release: Release): Change | undefined {
  if (isUndecided) return undefined;
  if (kind === "<iffile") return { file: [argument, !negated] };
  if (kind !== "<ifmodule") return undefined;
  return { modules: [[findModuleByName(release, argument)?.identifier ?? argument, !negated]] };
}

/** Returns the trees of a configuration by their source. Readings of a template have different trees. */
const treesOf = memoize(
  (files: ReadConfig["files"]) => new Map([...files.values()].map((tree) => [tree.source, tree] as const)),
);

function sectionBranch(read: Span, files: ReadConfig["files"]): Branch {
  const tag = sourceLineOf(read);
  const tree = treesOf(files).get(tag.file);
  const section = tree && findSection(tree.nodes, tag.start);
  return createBranch("section", tag, section ? contentsOf(section) : { start: tag.end, end: tag.end });
}

function createBranch(kind: Branch["kind"], tag: Span, { start, end }: Pick<Span, "start" | "end">): Branch {
  const { file } = tag;
  return { kind, tag, span: { file, start, end }, lines: lineAt(file, end) - lineAt(file, start) };
}

/** Returns the section whose tag starts at an offset. */
function findSection(nodes: readonly TreeNode[], opening: number): SectionNode | undefined {
  for (const node of nodes) {
    if (!("open" in node)) continue;
    if (node.open.nameStart === opening) return node;
    if (node.open.start <= opening && opening < contentsOf(node).end) return findSection(node.children, opening);
  }
  return undefined;
}

/** Returns the offsets of the contents of a section. */
function contentsOf({ open, close, children }: SectionNode): { start: number; end: number } {
  return { start: open.end, end: close?.start ?? endOf(children.at(-1)) ?? open.end };
}

function endOf(node: TreeNode | undefined): number | undefined {
  if (node === undefined || !("open" in node)) return node?.end;
  return node.close?.end ?? endOf(node.children.at(-1)) ?? node.open.end;
}

/** The versions under which a section applies. */
interface VersionChange {
  readonly accepts: (version: Version) => boolean;
  readonly versions: readonly Version[];
  /** The modules that the section needs there, too. */
  readonly modules?: ModuleChange;
}

type ModuleChange = readonly (readonly [name: string, isLoaded: boolean])[];

/** Conditions under which a section applies. */
type Change =
  | VersionChange
  | { readonly modules: ModuleChange }
  | { readonly define: string }
  | { readonly macro: string }
  | "undecided"
  | { readonly requires: ReadonlyMap<string, boolean>; readonly version?: VersionChange }
  | { readonly file: readonly [path: string, exists: boolean] };

const noConditions: Conditions = {
  ...{ modules: new Map(), defines: new Set(), macros: new Set(), files: new Map(), templateConditions: new Map() },
  appliesUndecided: false,
};

/** Chooses conditions under which the first section applies, and as many others of its kind as possible. */
function chooseConditions(open: readonly ConditionalPart[], appliedFirst: ReadonlySet<string>, known: KnownConditions) {
  let conditions = noConditions;
  let kind: ReadingKind | undefined;
  const keys: string[] = [];
  for (const { key, findChanges } of open) {
    const found = findChanges(known, appliedFirst);
    if (found === undefined) continue;
    const { changes, kept } = found;
    const added = [...changes, ...kept].reduce<Conditions | undefined>(addChangeIfPossible, conditions);
    if (added === undefined) continue;
    kind ??= kindOfAll(changes, known);
    if (kind !== kindOfAll(changes, known)) continue;
    conditions = added;
    keys.push(key);
  }
  return { conditions, keys, isOfOtherServer: known.modulesAreKnown && kind !== "same server" };
}

/**
 * Readings are of different kinds if one makes lines of the other legal, for a release or for an unknown module. If the
 * modules of a server are known, they also are if it has others, and if it lacks one that other lines need.
 */
type ReadingKind =
  | "same server"
  | "other release"
  | "other version"
  | "other modules"
  | "unknown module"
  | "without module";

/** Those in which a server has other modules than the known one. */
const kindsOfOtherModules: ReadonlySet<ReadingKind> = new Set<ReadingKind>([
  "other modules",
  "unknown module",
  "without module",
]);

function kindOfAll(changes: readonly Change[], known: KnownConditions): ReadingKind {
  return changes.map((each) => kindOf(each, known)).find((kind) => kind !== "same server") ?? "same server";
}

function kindOf(change: Change, { release, modulesAreKnown }: KnownConditions): ReadingKind {
  if (change === "undecided") return "same server";
  const onVersion = "requires" in change ? change.version : "accepts" in change ? change : undefined;
  const version = onVersion?.versions.find(onVersion.accepts);
  if (version && lineOf(releaseOf(version)) !== lineOf(release)) return "other release";
  if (version && !("modules" in change)) return modulesAreKnown ? "other version" : "same server";
  if ("file" in change) return modulesAreKnown ? "other modules" : "same server";
  if (!("modules" in change) || change.modules === undefined) return "same server";
  if (modulesAreKnown && change.modules.some(([, isLoaded]) => !isLoaded)) return "without module";
  if (change.modules.some(([name]) => !isKnownModule(identifierOf(name)))) return "unknown module";
  return modulesAreKnown ? "other modules" : "same server";
}

function addChangeIfPossible(conditions: Conditions | undefined, change: Change): Conditions | undefined {
  return conditions && addChange(conditions, change);
}

/** Returns conditions with a change; undefined if they contradict each other. */
function addChange(conditions: Conditions, change: Change): Conditions | undefined {
  if (change === "undecided") return { ...conditions, appliesUndecided: true };
  if ("accepts" in change) {
    const { version: before } = conditions;
    const version = before ?? change.versions.find(change.accepts);
    const modules = addAll(conditions.modules, change.modules ?? []);
    return modules && version && change.accepts(version) ? { ...conditions, version, modules } : undefined;
  }
  if ("define" in change) return { ...conditions, defines: new Set([...conditions.defines, change.define]) };
  if ("macro" in change) return { ...conditions, macros: new Set([...conditions.macros, change.macro]) };
  if ("file" in change) {
    const files = addAll(conditions.files, [change.file]);
    return files && { ...conditions, files };
  }
  if ("requires" in change) {
    const rest = change.version ? addChange(conditions, change.version) : conditions;
    const templateConditions = addAll(conditions.templateConditions, change.requires);
    return rest && templateConditions && { ...rest, templateConditions };
  }
  const modules = addAll(conditions.modules, change.modules);
  return modules && { ...conditions, modules };
}

/** Adds entries to a map; undefined if one has another value there. */
function addAll(map: ReadonlyMap<string, boolean>, entries: Iterable<readonly [string, boolean]>) {
  const isContradicted = [...entries].some(([key, value]) => map.has(key) && map.get(key) !== value);
  return isContradicted ? undefined : new Map([...map, ...entries]);
}

/** Returns what makes a skipped section apply; undefined if nothing does, or if the server is known to skip it. */
function findChange(guard: Guard, known: KnownConditions): Change | undefined {
  const { kind, argument, negated, isUndecided, dependsOnFile } = guard;
  if (isUndecided && !dependsOnFile) return "undecided";
  switch (kind) {
    case "<ifdefine":
      // A Define line of the configuration decides a negated condition.
      return negated || known.definesAreKnown ? undefined : { define: argument };
    case "<ifversion":
      return known.versionIsChosen ? undefined : versionChangeOf(conditionTextOf(guard), known);
    case "<iffile":
      return { file: [argument, !negated] };
    case "<ifmodule":
      return known.modulesAreGiven ? undefined : moduleChangeOf(argument, !negated, known);
    case "<ifdirective":
      return known.modulesAreGiven ? undefined : providerChangeOf(argument, !negated, known.release);
    case "<ifsection":
      return known.modulesAreGiven ? undefined : providerChangeOf(`<${argument}`, !negated, known.release);
  }
}

/** Returns what makes an alternative of a template apply. */
function templateChangeOf(requires: ReadonlyMap<string, boolean>, known: KnownConditions): Change | undefined {
  const { release, releaseIsChosen } = known;
  const isOnVersion = ([key]: readonly [string, boolean]) =>
    decideTemplateCondition(key, versionOf(release)) !== undefined;
  const onVersion = [...requires].filter(isOnVersion);
  if (onVersion.length === 0) return { requires };
  if (releaseIsChosen) return undefined;
  const accepts = (version: Version) =>
    onVersion.every(([key, isWanted]) => decideTemplateCondition(key, version) === isWanted);
  const rest = new Map([...requires].filter((each) => !isOnVersion(each)));
  const versions = [versionOf(release), versionOf(otherLineOf(release))];
  return { requires: rest, version: { accepts, versions } };
}

/** Tries the versions around those that a condition names, and the last one of each release; those of 2.2 and 2.4 only. */
function versionChangeOf(condition: string, { release, releaseIsChosen }: KnownConditions): Change {
  const around = [...condition.matchAll(/\d+(?:\.\d+){0,2}/g)].flatMap(([text]): Version[] => {
    const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
    return [patch, patch + 1, Math.max(0, patch - 1)].map((each) => [major, minor, each]);
  });
  const isModeled = ([major, minor]: Version) => major === 2 && (minor === 2 || minor === 4);
  const isOther = (version: Version) => lineOf(releaseOf(version)) !== lineOf(release);
  const accepts = (version: Version) => {
    const decided = decideVersion(condition, { version });
    return decided.ok && decided.value.holds;
  };
  const modeled = [...around, versionOf("2.4"), versionOf("2.2")].filter(
    (version) => isModeled(version) && !(releaseIsChosen && isOther(version)),
  );
  return { accepts, versions: modeled.toSorted((a, b) => Number(isOther(a)) - Number(isOther(b))) };
}

/** Modules that every server of 2.4 has: a test for their absence is a test for 2.2. */
const modulesOf24: ReadonlySet<string> = new Set(["authz_core_module", "authn_core_module", "unixd_module"]);

/** A module that a server of either release may lack. A test for its absence is meant for old servers first. */
const OPTIONAL_MODULE = "version_module";

function moduleChangeOf(
  name: string,
  isLoaded: boolean,
  { release, releaseIsChosen }: KnownConditions,
): Change | undefined {
  const other = otherLineOf(release);
  const [here, there] = [findModuleByName(release, name), findModuleByName(other, name)];
  const modules: ModuleChange = [[(here ?? there)?.identifier ?? name, isLoaded]];
  const on = (releases: readonly Release[]) => ({
    accepts: (version: Version) => releases.some((each) => lineOf(each) === lineOf(releaseOf(version))),
    versions: releases.map((each) => versionOf(each)),
    modules,
  });
  const tellsRelease = isLoaded ? here === undefined && there : here && modulesOf24.has(here.identifier);
  if (tellsRelease) return releaseIsChosen ? undefined : on([other]);
  if (!isLoaded && here?.identifier === OPTIONAL_MODULE && !releaseIsChosen) return on([other, release]);
  return isLoaded && here && !there ? on([release]) : { modules };
}

/** Returns the modules whose presence or absence decides whether a directive exists; undefined if none does. */
function providerChangeOf(name: string, exists: boolean, release: Release): Change | undefined {
  const providers = findDirectiveFacts(release, name).map(({ module }) => findModuleByManualName(release, module));
  const modules = providers.flatMap((each) => (each ? [each.identifier] : []));
  const [first] = modules;
  if (first === undefined || (!exists && modules.length < providers.length)) return undefined;
  return { modules: exists ? [[first, true]] : modules.map((each) => [each, false] as const) };
}
