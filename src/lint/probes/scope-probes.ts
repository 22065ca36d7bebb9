import { needsDirectory } from "../../config/complete-part.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { type ConfigurationVisitor, walkProject } from "../../config/queries/walker.js";
import { isExpansion } from "../../config/reader/macros.js";
import { lineOf, type ReleaseLine } from "../../facts/release.js";
import { compatDirectiveNames } from "../../server/access/compat-rules.js";
import type { AccessAnswer } from "../../server/definite-answer.js";
import { describeRequest } from "../../server/model/request.js";
import { formatLine } from "../../server/trace/step.js";
import { lineAt, type SourceFile, type Span } from "../../text/source.js";
import { formatWordList, shortenText } from "../../text/words.js";
import { partsOfText, type Report } from "../finding.js";
import type { RuleContext } from "../rule.js";
import { AccessScopes, enclosingHostOf } from "./access-scopes.js";
import { listAssumptions } from "./assumptions.js";
import { FamilyFindings, type HostFinding } from "./family-findings.js";
import { type Inspector, inspectorOf, type ProbeContext } from "./inspector.js";

/** How a rule probes scopes: it simulates requests into them. */
export interface ScopeProbe {
  /** Lower-case directive names: a scope is checked if it holds one of them. Default: access control. */
  readonly holding?: readonly string[];
  /** Whether servers are checked as well as sections and `.htaccess` files. */
  readonly checksServers?: boolean;
  /** Whether the scope is worth a probe. */
  readonly applies: (scope: Scope, all: AccessScopes, context: RuleContext) => boolean;
  /** Returns the finding in the scope, if any. */
  readonly check: (
    situation: ProbeContext,
    inspector: Inspector,
    all: AccessScopes,
    context: RuleContext,
  ) => Report | undefined;
  /** Default: only 2.4, in which mod_access_compat directives and Require can be combined. */
  readonly releases?: readonly ReleaseLine[];
}

/** Directives that affect access. */
const accessNames = [...compatDirectiveNames, "require", "authmerging", "authtype"];

/** A probe, and the rule that reports its findings. */
interface ReportingRule extends Required<Omit<ScopeProbe, "releases">> {
  readonly context: RuleContext;
}

/** Returns a probe with the defaults; none for a release that it does not check. */
export function listReportingRules(probe: ScopeProbe | undefined, context: RuleContext): readonly ReportingRule[] {
  if (probe === undefined) return [];
  const { holding = accessNames, checksServers = false, applies, check, releases = ["2.4"] } = probe;
  return releases.includes(lineOf(context.release)) ? [{ holding, checksServers, applies, check, context }] : [];
}

/**
 * The probes of one run. They check each scope together: its request is simulated once and not kept. A fragment or a
 * `.htaccess` file on its own is probed in an assumed server, and its findings have notes with the assumptions.
 */
export class ScopeProbes {
  /** Collects the scopes with directives that some rule checks. */
  readonly visitor: ConfigurationVisitor;
  private readonly scopes: AccessScopes;

  constructor(
    private readonly rules: readonly ReportingRule[],
    private readonly project: Project,
  ) {
    this.scopes = new AccessScopes(project.view !== undefined);
    const holding = [...new Set(rules.flatMap((rule) => rule.holding))];
    this.visitor = rules.length === 0 ? {} : { scope: { holding, visit: (scope) => this.scopes.add(scope) } };
  }

  /** Checks all scopes; to be called after the walk. */
  check(): void {
    const { rules, scopes, project } = this;
    if (rules.length === 0) return;
    addScopesAbove(project, scopes, rules);
    const alike = new FamilyFindings<ReportingRule>(project);
    const reporter = new FamilyReporter();
    for (const scope of scopes) {
      if (!isReported(scope, project)) continue;
      const host = enclosingHostOf(scope);
      const entry = host && alike.next(host);
      const expected = entry && alike.expected(entry.host, entry.place);
      if (expected) {
        for (const each of expected) reporter.report(each, scope);
        continue;
      }
      const found: HostFinding<ReportingRule>[] = [];
      for (const [rule, report] of findingsIn(scope, rules, scopes, project)) {
        rule.context.report(report);
        found.push({ rule, report, line: scope.directives.findIndex(({ span }) => isSamePlace(span, report.span)) });
      }
      if (entry) alike.note(entry.host, entry.place, found);
    }
  }
}

function* findingsIn(
  scope: Scope,
  rules: readonly ReportingRule[],
  scopes: AccessScopes,
  project: Project,
): Generator<readonly [ReportingRule, Report]> {
  // The directives of a scope are searched only for rules that apply to it.
  const isServer = isServerLevel(scope);
  const isApplicable = ({ holding, checksServers, applies, context }: ReportingRule) =>
    (checksServers || !isServer) && applies(scope, scopes, context) && holds(scope, holding);
  const applicable = isServer || isProbeable(scope) ? rules.filter(isApplicable) : [];
  if (applicable.length === 0) return;
  // Most configurations need no probe: the simulator is loaded at the first request.
  const inspector = inspectorOf(project);
  const situation = inspector.findProbeContext(scope);
  if (situation === undefined) return;
  for (const rule of applicable) {
    const report = rule.check(situation, inspector, scopes, rule.context);
    if (report && !inspector.isRefused(situation)) yield [rule, withAssumptions(report, situation, project)];
  }
}

function withAssumptions(report: Report, situation: ProbeContext, project: Project): Report {
  const assumptions = listAssumptions(situation, project);
  return assumptions.length === 0 ? report : { ...report, notes: [...(report.notes ?? []), ...assumptions] };
}

/**
 * Adds the scopes of `.htaccess` files above one that is the entry: it inherits from them, but nothing is reported in
 * them.
 */
function addScopesAbove(project: Project, scopes: AccessScopes, rules: readonly ReportingRule[]): void {
  const { htaccessEntry } = project;
  const names = rules.flatMap(({ holding }) => holding);
  if (htaccessEntry === undefined || scopes.isEmpty) return;
  const above: Project = { ...project, kind: "server", directives: [], htaccess: htaccessEntry.above() };
  walkProject(above, [{ scope: { holding: names, visit: (scope) => scopes.addOuter(scope) } }], () => 0);
}

function holds({ directives }: Scope, names: readonly string[]): boolean {
  return directives.some(({ key }) => names.includes(key));
}

/** The report for a further host with the same finding: identical for all hosts in one file. */
type FamilyReport = Omit<Report, "span">;

/** Repeats a finding for hosts that differ only in numbers. */
class FamilyReporter {
  private readonly made = new Map<
    HostFinding<ReportingRule>,
    { readonly file: SourceFile; readonly report: FamilyReport }
  >();

  report(found: HostFinding<ReportingRule>, scope: Scope): void {
    const directive = scope.directives[found.line];
    if (directive === undefined) return;
    const { span } = directive;
    found.rule.context.report({ ...this.reportIn(span.file, found), span });
  }

  private reportIn(file: SourceFile, found: HostFinding<ReportingRule>): FamilyReport {
    const known = this.made.get(found);
    if (known?.file === file) return known.report;
    const report = createFamilyReport(found.report, file);
    this.made.set(found, { file, report });
    return report;
  }
}

function createFamilyReport({ message: text, severity, span }: Report, file: SourceFile): FamilyReport {
  const line = lineAt(span.file, span.start);
  const isSameFile = span.file === file;
  const where = isSameFile ? `line ${line}` : `${span.file.path}:${line}`;
  const { message, notes = [], ...parts } = partsOfText(text);
  const evidence = `a request shows the problem at ${where}; this virtual host differs only in numbers and was not probed`;
  return {
    // The quoted line may differ in numbers.
    message: {
      ...parts,
      message: `${message} (same as ${isSameFile ? where : "in another virtual host"})`,
      notes: [evidence, ...notes],
    },
    related: [{ message: "found here with a request", span }],
    cause: { key: `${span.file.path}:${span.start}`, also: "same problem" },
    ...(severity ? { severity } : {}),
  };
}

function isSamePlace(a: Span, b: Span): boolean {
  return a.file === b.file && a.start === b.start;
}

/** Returns whether findings in a scope are reported. */
function isReported({ section, content: [first] }: Scope, { view }: Project): boolean {
  let file = (section ?? first)?.span.file;
  if (view === undefined || file === undefined) return true;
  while (isExpansion(file)) file = file.use.file;
  return view.isReported(file.path);
}

/** Returns whether a request into a scope can be derived from its sections; not possible for backends. */
function isProbeable(scope: Scope): boolean {
  const { place, parent, content } = scope;
  if (place === "proxy" || isServerLevel(scope)) return false;
  if (place === "unknown") return parent === undefined && needsDirectory(content);
  return parent === undefined || isServerLevel(parent) || parent.place === "unknown" || isProbeable(parent);
}

function isServerLevel({ place }: Scope): boolean {
  return place === "server" || place === "virtualhost";
}

/**
 * Finds the first client whose probe satisfies a predicate.
 *
 * @param lines the rules that distinguish clients
 * @param methods the methods to try; by default, that of the probed request
 */
export function findWitness(
  inspector: Inspector,
  situation: ProbeContext,
  lines: readonly Directive[],
  shows: (seen: AccessAnswer) => boolean,
  methods: readonly string[] = [situation.request.method],
): AccessAnswer | undefined {
  for (const method of methods)
    for (const request of inspector.sampleRequests(situation, lines, method)) {
      const seen = inspector.probe(situation, request);
      if (seen && shows(seen)) return seen;
    }
  return undefined;
}

/** Describes a request and its response: `GET /a from 192.0.2.1 returns 403 (AH01797)`. */
export function describeProbe({ request, class: decided, log }: AccessAnswer): string {
  const codes = log.length === 0 ? "" : ` (${log.join(", ")})`;
  return `${describeRequest(request)} ${decided === "allowed" ? "is allowed" : `returns ${decided}${codes}`}`;
}

/** Returns a directive's name as spelled in the manual. */
export function manualNameOf({ name, known }: Directive): string {
  const [facts] = known.facts;
  return facts ? `${facts.section ? "<" : ""}${facts.name}${facts.section ? ">" : ""}` : name;
}

/** Lists the names of some directives without duplicates: `` `Order` and `Allow` ``. */
export function formatDirectiveNames(directives: readonly Directive[]): string {
  return formatWordList([...new Set(directives.map((directive) => `\`${manualNameOf(directive)}\``))]);
}

/** Maximum length of a line in a header, which may name two of them. */
const MAX_TITLE_LENGTH = 48;

/** Formats a line of the configuration in backticks, as written; a long one is shortened. */
export function formatLineTitle(directive: Directive): string {
  return `\`${shortenText(formatLine(directive), MAX_TITLE_LENGTH)}\``;
}
