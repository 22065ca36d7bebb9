import { type Directive, dedupeByLine } from "../../../config/model/directive.js";
import type { Project } from "../../../config/model/project.js";
import { AccessMapBuilder } from "../../../proof/compare/access-map.js";
import { startExploration } from "../../../proof/compare/exploration.js";
import type { Side } from "../../../proof/compare/observed-sides.js";
import { defaultBudget } from "../../../proof/model/budget.js";
import type { MappedScope } from "../../../proof/model/mapped-access.js";
import { redactText } from "../../../report/answers/answer-json.js";
import { describeClientAccess } from "../../../report/comparisons/map-words.js";
import { installConfig } from "../../../startup/install-config.js";
import { getOrCreate } from "../../../text/collections.js";
import { editorRangeOf } from "../documents/protocol-conversion.js";
import type { DocumentSnapshot, SectionAccess } from "../job.js";
import { type AccessQuery, createHtaccessQuery, createSectionQuery, isPathSection, isSame } from "./access-query.js";
import { groupDocuments } from "./document-groups.js";

/** Limit on the sections of a document, and on the results shown for each. */
const MAX_SECTIONS = 200;
const MAX_RESULTS = 2;

/** A section with access control, or a whole `.htaccess` file. */
interface AccessSection {
  readonly query: AccessQuery;
  /** The line that shows the access. */
  readonly line: Directive;
  /** Reports whether a deciding line or section belongs to it. */
  readonly includes: (deciding: Directive) => boolean;
}

/** A section whose paths are being mapped. */
interface MappedSection extends AccessSection {
  readonly builder: AccessMapBuilder;
  isWhole: boolean;
}

/**
 * Computes the access to the paths of each section with access control in a document.
 *
 * @param milliseconds after which no more paths are checked
 */
export function describeSections(
  snapshot: DocumentSnapshot,
  uri: string,
  milliseconds: number,
): readonly SectionAccess[] {
  const end = performance.now() + milliseconds;
  for (const { project, documents, reading, before } of groupDocuments(snapshot)) {
    const [realPath] = [...documents].find(([, document]) => document.uri === uri) ?? [];
    if (realPath === undefined) continue;
    const sections = listAccessSections(installConfig(project.read, { part: "open" }), realPath).slice(0, MAX_SECTIONS);
    const { from, release } = reading.settings;
    const older = from === release ? undefined : before();
    return describeAll(older ? [older, project] : [project], sections, () => performance.now() > end);
  }
  return [];
}

/** Maps the requests of all sections together, because most share their paths with others. */
function describeAll(
  projects: readonly Project[],
  sections: readonly AccessSection[],
  isTimedOut: () => boolean,
): readonly SectionAccess[] {
  const [before, after = before] = projects.map((project): Side => ({ project, semantics: "server" }));
  if (before === undefined || after === undefined || sections.length === 0) return [];
  const exploration = startExploration(before, after, defaultBudget);
  const mapped = sections.map(
    (section): MappedSection => ({ ...section, builder: new AccessMapBuilder(exploration), isWhole: true }),
  );
  for (const pair of exploration.serverPairs) {
    const concerned = mapped.filter(({ query }) => query.matchesServer(pair));
    if (concerned.length === 0) continue;
    const partition = isTimedOut() ? "out of time" : exploration.pathClassesOf(pair);
    for (const each of concerned) {
      if (partition === "out of time") each.isWhole = false;
      else each.builder.visitPartition(pair, partition);
      if (typeof partition === "string") each.isWhole = false;
    }
    if (typeof partition === "string") continue;
    for (const pathClass of partition.classes) {
      const reached = concerned.filter(({ query }) => query.matchesPaths(pathClass));
      if (reached.length === 0) continue;
      const policies = isTimedOut() ? undefined : [...exploration.policiesOf(pair, pathClass)];
      for (const each of reached) {
        if (policies) each.builder.visitPathClass(pathClass, policies);
        else each.isWhole = false;
      }
    }
  }
  const releases = projects.map(({ release }) => release);
  return mapped.flatMap((each) => formatSection(each, releases) ?? []);
}

/** Formats the access to a section's paths; undefined if no path was mapped. */
function formatSection(
  { builder, isWhole, includes, line }: MappedSection,
  releases: readonly string[],
): SectionAccess | undefined {
  const scopes = builder.build().servers.flatMap((server) => server.scopes);
  if (scopes.length === 0) return undefined;
  const decided = scopes.filter((scope) => scope.sections.some(includes));
  // Files matter more than directories and missing paths, which many sections decide, too.
  const ofFiles = decided.filter(({ place }) => place === "file" || place === "elsewhere");
  const texts = formatScopes(ofFiles.length > 0 ? ofFiles : decided, releases);
  const more = texts.length - MAX_RESULTS;
  const shown = [...texts.slice(0, MAX_RESULTS), ...(more > 0 ? [`${more} more`] : [])].join(" | ");
  const results = decided.length > 0 ? shown : "other sections decide the access to its paths";
  return { range: editorRangeOf(line.nameSpan), title: isWhole ? results : `${results} (incomplete)` };
}

/** Formats each access once, with the methods that it applies to. */
function formatScopes(scopes: readonly MappedScope[], releases: readonly string[]): readonly string[] {
  const methodsByAccess = new Map<string, Set<string>>();
  for (const scope of scopes) {
    const methods = getOrCreate(methodsByAccess, formatAccess(scope, releases), () => new Set());
    for (const method of scope.methods.length === 0 ? [""] : scope.methods) methods.add(method);
  }
  return [...methodsByAccess].map(([access, methods]) =>
    methods.has("") ? access : `${[...methods].join(", ")}: ${access}`,
  );
}

function formatAccess({ who, differs, isUnsure }: MappedScope, releases: readonly string[]): string {
  const texts = who.map(
    (each, side) => `${differs ? `${releases[side]}: ` : ""}${redactText(describeClientAccess(each))}`,
  );
  const access = (differs ? texts : texts.slice(0, 1)).join("; ");
  return isUnsure ? `${access} (incomplete: some facts are unknown)` : access;
}

/** Lists the sections of a file that contain access control; for a `.htaccess` file, also the file itself. */
function listAccessSections(project: Project, realPath: string): readonly AccessSection[] {
  const inFiles = project.htaccess.flatMap(({ directives, directory }): AccessSection[] => {
    const line = directives.find(({ key }) => accessLine.test(key)) ?? directives[0];
    if (line === undefined || !isInFile(line, realPath)) return [];
    const includes = (deciding: Directive) =>
      isInFile(deciding, realPath) && createSectionQuery(deciding) === undefined;
    const own = controlsAccess(directives) ? [{ query: createHtaccessQuery(directory), line, includes }] : [];
    return [...own, ...listSections(directives, realPath)];
  });
  return [...inFiles, ...listSections(project.directives, realPath)];
}

function listSections(directives: readonly Directive[], realPath: string): readonly AccessSection[] {
  return dedupeByLine([...findSections(directives, realPath)]).flatMap((line) => {
    const query = createSectionQuery(line);
    return query === undefined ? [] : [{ query, line, includes: (deciding: Directive) => isSame(deciding, line) }];
  });
}

function* findSections(directives: readonly Directive[], realPath: string): Generator<Directive> {
  for (const directive of directives) {
    const { children } = directive;
    if (children === undefined) continue;
    if (isPathSection(directive) && isInFile(directive, realPath) && controlsAccess(children)) yield directive;
    yield* findSections(children, realPath);
  }
}

const accessLine = /^(?:require|order|allow|deny|satisfy)$/;

/** Reports whether lines control access, not counting inner sections for other paths. */
function controlsAccess(directives: readonly Directive[]): boolean {
  return directives.some(
    (directive) =>
      accessLine.test(directive.key) ||
      (directive.children !== undefined && !isPathSection(directive) && controlsAccess(directive.children)),
  );
}

function isInFile(directive: Directive, realPath: string): boolean {
  return directive.reading.tree.source.realPath === realPath;
}
