import { oldNames } from "../access/old-rules.js";
import type { Report } from "../engine/finding.js";
import type { RuleContext, Visitor } from "../engine/rule.js";
import { needsDirectory } from "../project/assumed-server.js";
import type { Directive } from "../project/directive.js";
import { isExpansion } from "../project/macros.js";
import { notingDirectories } from "../project/naming-directories.js";
import { listed } from "../project/problems.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import { walkProject } from "../project/walk.js";
import { lineText } from "../simulate/written.js";
import { lineAt } from "../text/position.js";
import type { SourceFile, Span } from "../text/source.js";
import { AccessScopes, hostAround } from "./access-scopes.js";
import { AlikeHosts, type Found } from "./alike-hosts.js";
import { assumptionsBehind } from "./assumptions.js";
import { type Inspector, inspectorOf, type Seen, type Situation } from "./inspector.js";

/** What a rule wants to be asked about. */
export interface Judge {
  /** Lower-case names: a scope is looked at where it holds one of them. Default: access control. */
  readonly holding?: readonly string[];
  /** Whether such a scope is worth a request. */
  readonly concerns: (scope: Scope, all: AccessScopes) => boolean;
  /** What is wrong there, if anything. */
  readonly judge: (situation: Situation, inspector: Inspector, all: AccessScopes) => Report | undefined;
  /** Default: 2.4 alone, whose old and new rules stand side by side. */
  readonly releases?: readonly RuleContext["release"][];
}

/** Whatever has a say in who comes in. */
const accessNames = [...oldNames, "require", "authmerging", "authtype"];

/**
 * Returns the visitor of a rule that probes requests into sections. A fragment or a `.htaccess` file on its own is probed
 * in an assumed server, and its findings have notes with the assumptions.
 */
export function judging(
  { project, release, report }: RuleContext,
  { holding = accessNames, concerns, judge, releases = ["2.4"] }: Judge,
): Visitor {
  if (!releases.includes(release)) return {};
  const bench = benchOf(project);
  // The first of the judges sees for all of them what they and the requests that they ask need to know.
  const isFirst = bench.judges.length === 0;
  bench.take({ holding, concerns, judge, report });
  const judgeAll = () => bench.judgeAll();
  if (!isFirst) return { project: judgeAll };
  return {
    ...notingDirectories(project),
    // Those who come after it add to the names before the walk begins.
    scope: { holding: bench.names, visit: (scope) => bench.scopes.add(scope) },
    project: judgeAll,
  };
}

/** The judges of one run. They look at a scope together: what a request to it comes to is worked out once, and not kept. */
class Bench {
  /** The scopes that hold what some judge looks at. */
  scopes: AccessScopes;
  judges: ReportingJudge[] = [];
  /** What the judges look at. */
  names: string[] = [];

  constructor(private readonly project: Project) {
    this.scopes = this.noScopes();
  }

  private noScopes(): AccessScopes {
    return new AccessScopes(this.project.view !== undefined);
  }

  take(judge: ReportingJudge): void {
    this.judges.push(judge);
    for (const name of judge.holding) if (!this.names.includes(name)) this.names.push(name);
  }

  /** Whoever comes first has all judge; the next run over the project begins anew. */
  judgeAll(): void {
    const { judges, scopes, project } = this;
    this.judges = [];
    this.names = [];
    this.scopes = this.noScopes();
    if (judges.length === 0) return;
    addScopesAbove(project, scopes, judges);
    const alike = new AlikeHosts<ReportingJudge>();
    const reporter = new AlikeReporter();
    for (const scope of scopes) {
      if (!isTold(scope, project)) continue;
      const host = hostAround(scope);
      const entry = host && alike.next(host);
      const expected = entry && alike.expected(entry.host, entry.place);
      if (expected) {
        for (const each of expected) reporter.report(each, scope);
        continue;
      }
      const found: Found<ReportingJudge>[] = [];
      for (const [judge, report] of findingsIn(scope, judges, scopes, project)) {
        judge.report(report);
        found.push({ judge, report, line: scope.directives.findIndex(({ span }) => isSamePlace(span, report.span)) });
      }
      if (entry) alike.note(entry.host, entry.place, found);
    }
  }
}

type ReportingJudge = Judge & Required<Pick<Judge, "holding">> & Pick<RuleContext, "report">;

function* findingsIn(
  scope: Scope,
  judges: readonly ReportingJudge[],
  scopes: AccessScopes,
  project: Project,
): Generator<readonly [ReportingJudge, Report]> {
  // The names of a scope are gone through for those judges alone whom it concerns otherwise.
  const isConcerned = ({ holding, concerns }: ReportingJudge) => concerns(scope, scopes) && holds(scope, holding);
  const concerned = isAskedFor(scope) ? judges.filter(isConcerned) : [];
  if (concerned.length === 0) return;
  // Most configurations come to none: the simulator is loaded when the first request is asked.
  const inspector = inspectorOf(project);
  const situation = inspector.situationOf(scope);
  if (situation === undefined) return;
  for (const judge of concerned) {
    const report = judge.judge(situation, inspector, scopes);
    if (report && !inspector.isRefused(situation)) yield [judge, withAssumptions(report, situation, project)];
  }
}

function withAssumptions(report: Report, situation: Situation, project: Project): Report {
  const assumptions = assumptionsBehind(situation, project);
  return assumptions.length === 0 ? report : { ...report, notes: [...(report.notes ?? []), ...assumptions] };
}

/** The scopes of `.htaccess` files above an entry that is one: it inherits from them, and nothing is reported in them. */
function addScopesAbove(project: Project, scopes: AccessScopes, judges: readonly ReportingJudge[]): void {
  const { htaccessEntry } = project;
  const names = judges.flatMap(({ holding }) => holding);
  if (htaccessEntry === undefined || scopes.isEmpty) return;
  const above: Project = { ...project, kind: "server", directives: [], htaccess: htaccessEntry.above() };
  walkProject(above, [{ scope: { holding: names, visit: (scope) => scopes.addOuter(scope) } }], () => 0);
}

function holds({ directives }: Scope, names: readonly string[]): boolean {
  return directives.some(({ key }) => names.includes(key));
}

/** What is reported where a further host of a kind has what was found: the same for all of them in one file. */
type AlikeReport = Omit<Report, "span">;

/** Reports what stands where a host that is written alike has a finding. */
class AlikeReporter {
  private readonly made = new Map<Found<ReportingJudge>, { readonly file: SourceFile; readonly report: AlikeReport }>();

  report(found: Found<ReportingJudge>, scope: Scope): void {
    const directive = scope.directives[found.line];
    if (directive === undefined) return;
    const { span } = directive;
    found.judge.report({ ...this.reportIn(span.file, found), span });
  }

  private reportIn(file: SourceFile, found: Found<ReportingJudge>): AlikeReport {
    const known = this.made.get(found);
    if (known?.file === file) return known.report;
    const report = alikeReport(found.report, file);
    this.made.set(found, { file, report });
    return report;
  }
}

function alikeReport({ message: said, severity, span }: Report, file: SourceFile): AlikeReport {
  const line = lineAt(span.file, span.start);
  const where = span.file === file ? `line ${line}` : `${span.file.path}:${line}`;
  const message = (others: number) => {
    const hosts = others === 0 ? "this virtual host is" : `this virtual host and ${others} more are`;
    return `${hosts} written like that of ${where}, but for numbers, and what is said there will hold here, too: ${said}`;
  };
  return {
    message: message(0),
    related: [{ message: "the finding that was made by a request is here", span }],
    cause: { key: `${span.file.path}:${span.start}`, message, also: "written like that, too" },
    ...(severity ? { severity } : {}),
  };
}

function isSamePlace(a: Span, b: Span): boolean {
  return a.file === b.file && a.start === b.start;
}

const benches = new WeakMap<Project, Bench>();

function benchOf(project: Project): Bench {
  const known = benches.get(project) ?? new Bench(project);
  benches.set(project, known);
  return known;
}

/** Whether anybody asks what is found in a scope. */
function isTold({ section, content: [first] }: Scope, { view }: Project): boolean {
  let file = (section ?? first)?.span.file;
  if (view === undefined || file === undefined) return true;
  while (isExpansion(file)) file = file.use.file;
  return view.isTold(file.path);
}

/** Whether a request into a scope can be told from its sections; backends tell none. */
function isAskedFor(scope: Scope): boolean {
  const { place, parent, content } = scope;
  if (place === "proxy" || isServerLevel(scope)) return false;
  if (place === "unknown") return parent === undefined && needsDirectory(content);
  return parent === undefined || isServerLevel(parent) || parent.place === "unknown" || isAskedFor(parent);
}

function isServerLevel({ place }: Scope): boolean {
  return place === "server" || place === "virtualhost";
}

/**
 * The first client that shows something, as it is seen.
 *
 * @param lines with the rules that tell clients apart
 * @param methods where others than the situation's are to be tried, too
 */
export function firstThat(
  inspector: Inspector,
  situation: Situation,
  lines: readonly Directive[],
  shows: (seen: Seen) => boolean,
  methods: readonly string[] = [situation.request.method],
): Seen | undefined {
  for (const method of methods)
    for (const request of inspector.requestsOf(situation, lines, method)) {
      const seen = inspector.see(situation, request);
      if (seen && shows(seen)) return seen;
    }
  return undefined;
}

export { givenWords, requestText } from "../scope/request-text.js";

/** What a request gets, in words: `gets 403 (AH01797)`. */
export function answerText({ class: decided, log }: Seen): string {
  if (decided === "allowed") return "is let in";
  return log.length === 0 ? `gets ${decided}` : `gets ${decided} (${log.join(", ")})`;
}

/** A directive's name as the manual spells it. */
export function manualName({ name, known }: Directive): string {
  const [facts] = known.facts;
  return facts ? `${facts.section ? "<" : ""}${facts.name}${facts.section ? ">" : ""}` : name;
}

/** The names of some directives, each once: `` `Order` and `Allow` ``. */
export function namesText(directives: readonly Directive[]): string {
  return listed([...new Set(directives.map((directive) => `\`${manualName(directive)}\``))]);
}

/** A line of the configuration in backticks, as it is written. */
export function lineTitle(directive: Directive): string {
  return `\`${lineText(directive)}\``;
}
