import { type AccessMap, type MappedScope, Mapping } from "../compare/access-map.js";
import { doorText, type ServerPair } from "../compare/server-pairs.js";
import { type Side, type Survey, surveyOf } from "../compare/survey.js";
import { usualBudget } from "../compare/survey-budget.js";
import { assumeServer } from "../project/assumed-server.js";
import { assumptionsOf } from "../project/assumptions.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { said, saidLine } from "../report/decision-json.js";
import { whoText } from "../report/map-words.js";
import { lineText } from "../simulate/written.js";
import type { SourceFile } from "../text/source.js";
import { type AskedPlace, askedPlace } from "./asked-place.js";
import { EditorFindings } from "./findings.js";
import type { Snapshot, WhoIsTold } from "./jobs.js";
import { inCode } from "./markdown.js";
import { rangeOfSpan } from "./placed-text.js";
import { groupsIn } from "./reading.js";

/** So many kinds of paths are told of, and so many paths of one. */
const MOST_SCOPES = 6;
const MOST_EXAMPLES = 3;

/**
 * Computes the access at a line: at the paths that its section applies to. For a part of a server, it states the assumptions.
 *
 * @param milliseconds after which no more paths are looked at
 */
export function whoGetsIn(
  snapshot: Snapshot,
  uri: string,
  offset: number,
  milliseconds: number,
): WhoIsTold | undefined {
  const end = performance.now() + milliseconds;
  for (const { project, documents, reading, before } of groupsIn(snapshot)) {
    const [realPath] = [...documents].find(([, document]) => document.uri === uri) ?? [];
    if (realPath === undefined) continue;
    const place = askedPlace(assumeServer(project), realPath, offset);
    if (place === undefined) return undefined;
    const { from, release } = reading.settings;
    const older = from === release ? undefined : before();
    const put = new EditorFindings(documents);
    return new PlaceText(older ? [older, project] : [project], place, (file) => put.uri(file)).told(end);
  }
  return undefined;
}

/** Tells of one place, under one release or two beside each other. */
class PlaceText {
  constructor(
    private readonly projects: readonly Project[],
    private readonly place: AskedPlace,
    private readonly uri: (file: SourceFile) => string,
  ) {}

  told(end: number): WhoIsTold | undefined {
    const [before, after = before] = this.projects.map((project): Side => ({ project, reading: "server" }));
    if (before === undefined || after === undefined) return undefined;
    const { map, isWhole } = this.mapped(surveyOf(before, after, usualBudget), end);
    const scopes = map.servers.flatMap((server) => server.scopes);
    if (scopes.length === 0) return undefined;
    const sections = new Map(scopes.flatMap((scope) => scope.sections).map((section) => [this.link(section), section]));
    return {
      markdown: this.text(map, isWhole),
      sections: [...sections.values()].map(({ nameSpan }) => ({
        uri: this.uri(nameSpan.file),
        range: rangeOfSpan(nameSpan),
      })),
    };
  }

  /** Of all that can be asked what comes to the place, as far as there is time. */
  private mapped(survey: Survey, end: number): { readonly map: AccessMap; readonly isWhole: boolean } {
    const mapping = new Mapping(survey);
    const isOver = () => performance.now() > end;
    let isWhole = true;
    for (const pair of survey.pairs.filter((each) => this.place.isOf(each))) {
      if (isOver()) isWhole = false;
      else isWhole = this.mapPair(survey, pair, mapping, isOver) && isWhole;
    }
    return { map: mapping.map(), isWhole };
  }

  private mapPair(survey: Survey, pair: ServerPair, mapping: Mapping, isOver: () => boolean): boolean {
    const cells = survey.cellsOf(pair);
    mapping.pair(pair, cells);
    if (typeof cells === "string") return false;
    for (const cell of cells.cells) {
      if (!this.place.holdsFor(cell)) continue;
      if (isOver()) return false;
      mapping.cell([...survey.policiesOf(pair, cell)], cell);
    }
    return true;
  }

  private text({ servers, unknown }: AccessMap, isWhole: boolean): string {
    const told = servers.filter(({ scopes }) => scopes.length > 0);
    const lines = told.flatMap(({ doors, scopes }) => {
      const name = doors.map(doorText).find((each) => each !== "") ?? "";
      const at = (told.length > 1 || !isWhole) && name !== "" ? ` at ${name}` : "";
      return scopes.map((scope) => this.scope(scope, at));
    });
    const shown = [...new Set(lines)];
    const more = shown.length - MOST_SCOPES;
    return [
      "**Who gets in here**",
      "",
      ...shown.slice(0, MOST_SCOPES),
      ...(more > 0 ? [`- and ${more} more; \`httpd-lint map\` tells of all`] : []),
      ...(isWhole ? [] : ["- more paths were not looked at in time; `httpd-lint map` tells of all"]),
      ...unknown.slice(0, 1).map(({ reason }) => `- not known: ${said(reason)}`),
      ...this.assumptions().map((clause) => `- assuming that ${said(clause)}`),
    ].join("\n");
  }

  private assumptions(): readonly string[] {
    return this.projects.slice(0, 1).flatMap(assumptionsOf);
  }

  private scope({ examples, methods, who, differs, isUnsure, sections }: MappedScope, at: string): string {
    const paths = examples
      .slice(0, MOST_EXAMPLES)
      .map((path) => inCode(said(path)))
      .join(", ");
    const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
    const releases = this.projects.map(({ release }) => release);
    const words = who.map((each, side) => `${differs ? `${releases[side]}: ` : ""}${said(whoText(each))}`);
    const shown = (differs ? words : words.slice(0, 1)).join("; ");
    const from = sections.length === 0 ? "" : ` (${sections.map((section) => this.link(section)).join(", ")})`;
    return `- ${paths}${at}${by}: ${shown}${isUnsure ? ", as far as is known" : ""}${from}`;
  }

  private link(section: Directive): string {
    const { line } = rangeOfSpan(section.nameSpan).start;
    return `[${inCode(saidLine(lineText(section)))}](${this.uri(section.nameSpan.file)}#L${line + 1})`;
  }
}
