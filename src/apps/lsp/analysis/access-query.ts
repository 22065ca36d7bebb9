import { isWithin } from "../../../config/files/paths.js";
import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import type { Project } from "../../../config/model/project.js";
import { AccessMapBuilder } from "../../../proof/compare/access-map.js";
import { type Exploration, startExploration } from "../../../proof/compare/exploration.js";
import type { Side } from "../../../proof/compare/observed-sides.js";
import { defaultBudget } from "../../../proof/model/budget.js";
import type { AccessMap, MappedScope } from "../../../proof/model/mapped-access.js";
import type { PathClass } from "../../../proof/model/path-class.js";
import { describeEntryPoint, type ServerPair } from "../../../proof/model/server-pairs.js";
import { redactQuotedLine, redactText } from "../../../report/answers/answer-json.js";
import { describeClientAccess } from "../../../report/comparisons/map-words.js";
import { describeAssumptions } from "../../../report/text/assumption-words.js";
import { toInlineCode } from "../../../report/text/markdown.js";
import { formatLine } from "../../../server/trace/step.js";
import { installConfig } from "../../../startup/install-config.js";
import type { SourceFile } from "../../../text/source.js";
import { editorRangeOf } from "../documents/protocol-conversion.js";
import type { AccessDescription, DocumentSnapshot } from "../job.js";
import { groupDocuments } from "./document-groups.js";
import { FindingConverter } from "./finding-conversion.js";

/** Limits on the path classes shown, and on the example paths of each. */
const MAX_SCOPES = 6;
const MAX_EXAMPLES = 3;

/**
 * Computes the access at a line: at the paths that its section applies to. For a part of a server, it states the
 * assumptions.
 *
 * @param milliseconds after which no more paths are checked
 */
export function describeAccess(
  snapshot: DocumentSnapshot,
  uri: string,
  offset: number,
  milliseconds: number,
): AccessDescription | undefined {
  const end = performance.now() + milliseconds;
  for (const { project, documents, reading, before } of groupDocuments(snapshot)) {
    const [realPath] = [...documents].find(([, document]) => document.uri === uri) ?? [];
    if (realPath === undefined) continue;
    const server = installConfig(project.read, { part: "open" });
    const place = createAccessQuery(server, realPath, offset);
    if (place === undefined) return undefined;
    const { from, release } = reading.settings;
    const older = from === release ? undefined : before();
    const put = new FindingConverter(documents);
    const servers = older ? [installConfig(older.read, { part: "open" }), server] : [server];
    return new AccessDescriber(servers, place, (file) => put.uri(file)).describe(end);
  }
  return undefined;
}

/** Renders the access at one line, for one release or for two side by side. */
class AccessDescriber {
  constructor(
    private readonly projects: readonly Project[],
    private readonly place: AccessQuery,
    private readonly uri: (file: SourceFile) => string,
  ) {}

  describe(end: number): AccessDescription | undefined {
    const [before, after = before] = this.projects.map((project): Side => ({ project, semantics: "server" }));
    if (before === undefined || after === undefined) return undefined;
    const { map, isWhole } = this.mapAccess(startExploration(before, after, defaultBudget), end);
    const scopes = map.servers.flatMap((server) => server.scopes);
    if (scopes.length === 0) return undefined;
    const sections = new Map(scopes.flatMap((scope) => scope.sections).map((section) => [this.link(section), section]));
    return {
      markdown: this.text(map, isWhole),
      sections: [...sections.values()].map(({ nameSpan }) => ({
        uri: this.uri(nameSpan.file),
        range: editorRangeOf(nameSpan),
      })),
    };
  }

  /** Maps the requests that reach the line, as far as time allows. */
  private mapAccess(exploration: Exploration, end: number): { readonly map: AccessMap; readonly isWhole: boolean } {
    const builder = new AccessMapBuilder(exploration);
    const isTimedOut = () => performance.now() > end;
    let isWhole = true;
    for (const pair of exploration.serverPairs.filter((each) => this.place.matchesServer(each))) {
      if (isTimedOut()) isWhole = false;
      else isWhole = this.mapPair(exploration, pair, builder, isTimedOut) && isWhole;
    }
    return { map: builder.build(), isWhole };
  }

  private mapPair(
    exploration: Exploration,
    pair: ServerPair,
    builder: AccessMapBuilder,
    isTimedOut: () => boolean,
  ): boolean {
    const partition = exploration.pathClassesOf(pair);
    builder.visitPartition(pair, partition);
    if (typeof partition === "string") return false;
    for (const pathClass of partition.classes) {
      if (!this.place.matchesPaths(pathClass)) continue;
      if (isTimedOut()) return false;
      builder.visitPathClass(pathClass, [...exploration.policiesOf(pair, pathClass)]);
    }
    return true;
  }

  private text({ servers, unknown }: AccessMap, isWhole: boolean): string {
    const mapped = servers.filter(({ scopes }) => scopes.length > 0);
    const lines = mapped.flatMap(({ entryPoints, scopes }) => {
      const name = entryPoints.map(describeEntryPoint).find((each) => each !== "") ?? "";
      const at = (mapped.length > 1 || !isWhole) && name !== "" ? ` at ${name}` : "";
      return scopes.map((scope) => this.scope(scope, at));
    });
    const shown = [...new Set(lines)];
    const more = shown.length - MAX_SCOPES;
    return [
      "**Access to these paths**",
      "",
      ...shown.slice(0, MAX_SCOPES),
      ...(more > 0 ? [`- and ${more} more; run \`httpd-lint map\` to list all`] : []),
      ...(isWhole ? [] : ["- some paths were not checked within the time limit; run `httpd-lint map` to list all"]),
      ...unknown.slice(0, 1).map(({ reason }) => `- unknown: ${redactText(reason)}`),
      ...describeAssumptions(this.projects[0]?.assumptions ?? []).map(
        (clause) => `- assuming that ${redactText(clause)}`,
      ),
    ].join("\n");
  }

  private scope({ examples, methods, who, differs, isUnsure, sections }: MappedScope, at: string): string {
    const paths = examples
      .slice(0, MAX_EXAMPLES)
      .map((path) => toInlineCode(redactText(path)))
      .join(", ");
    const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
    const releases = this.projects.map(({ release }) => release);
    const texts = who.map(
      (each, side) => `${differs ? `${releases[side]}: ` : ""}${redactText(describeClientAccess(each))}`,
    );
    const shown = (differs ? texts : texts.slice(0, 1)).join("; ");
    const from = sections.length === 0 ? "" : ` (${sections.map((section) => this.link(section)).join(", ")})`;
    return `- ${paths}${at}${by}: ${shown}${isUnsure ? " (incomplete: some facts are unknown)" : ""}${from}`;
  }

  private link(section: Directive): string {
    const { line } = editorRangeOf(section.nameSpan).start;
    return `[${toInlineCode(redactQuotedLine(formatLine(section)))}](${this.uri(section.nameSpan.file)}#L${line + 1})`;
  }
}

/** The target of an access query: a section for paths, a virtual host, or the folder of a `.htaccess` file. */
export interface AccessQuery {
  /** Reports whether requests to a server may reach it. */
  matchesServer(pair: ServerPair): boolean;
  /** Reports whether it affects such paths. */
  matchesPaths(pathClass: PathClass): boolean;
}

/** Reports whether a directive is a section for paths. */
export function isPathSection({ key }: Directive): boolean {
  return /^<(?:directory|files|location|proxy)(?:match)?$/.test(key);
}

const matchesAny = () => true;

/** Returns the place of a line; undefined if the line does not apply to specific paths, or was not loaded. */
function createAccessQuery(project: Project, realPath: string, offset: number): AccessQuery | undefined {
  const own = findDirectiveAt(project.directives, realPath, offset);
  if (own) return createSectionQuery(own);
  for (const { directives, directory } of project.htaccess) {
    const inside = findDirectiveAt(directives, realPath, offset);
    if (inside === undefined) continue;
    return createSectionQuery(inside) ?? createHtaccessQuery(directory);
  }
  return undefined;
}

/** Returns the query for the `.htaccess` file of a directory. */
export function createHtaccessQuery(directory: string): AccessQuery {
  return { matchesServer: matchesAny, matchesPaths: (pathClass) => isBelow(pathClass, directory) };
}

/** Returns the directive whose line contains an offset of a file. */
function findDirectiveAt(directives: readonly Directive[], realPath: string, offset: number): Directive | undefined {
  for (const directive of directives) {
    if (directive.reading.tree.source.realPath === realPath) {
      const { start, end } = directive.line;
      if (offset >= start && offset < end) return directive;
    }
    const inside = directive.children && findDirectiveAt(directive.children, realPath, offset);
    if (inside) return inside;
  }
  return undefined;
}

/** Returns the enclosing sections from the inside out, including the directive itself if it is one. */
function listSectionsAround(directive: Directive): readonly Directive[] {
  const outer = directive.parent ? listSectionsAround(directive.parent) : [];
  return directive.children ? [directive, ...outer] : outer;
}

/** Returns the query for a line in a section; undefined if no section around it is for paths or a host. */
export function createSectionQuery(directive: Directive): AccessQuery | undefined {
  const sections = listSectionsAround(directive);
  const host = sections.find(({ key }) => key === "<virtualhost");
  const section = sections.find(isPathSection);
  if (host === undefined && section === undefined) return undefined;
  const isHost = (other: Directive | undefined) => other !== undefined && host !== undefined && isSame(other, host);
  return {
    matchesServer: host ? ({ servers }) => servers.some((server) => isHost(server.section)) : matchesAny,
    matchesPaths: section ? (pathClass) => pathClass.sections.flat().some((each) => isSame(each, section)) : matchesAny,
  };
}

/** Reports whether two directives are the same line of a file. */
export function isSame(one: Directive, other: Directive): boolean {
  return lineKeyOf(one) === lineKeyOf(other);
}

function isBelow({ walks }: PathClass, directory: string): boolean {
  return walks.some((walk) => walk !== undefined && isWithin(walk.filename, directory));
}
