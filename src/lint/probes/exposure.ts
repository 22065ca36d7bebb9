import { completePart } from "../../config/complete-part.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import type { ScopeVisitor } from "../../config/queries/walker.js";
import { isSince } from "../../facts/release.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { describeRequest } from "../../server/model/request.js";
import { mergeOptions } from "../../server/sections/options.js";
import { mergeOverrides, type Overrides } from "../../server/walk/overrides.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { Report } from "../finding.js";
import type { RuleContext } from "../rule.js";
import { enclosingHostOf } from "./access-scopes.js";
import { FamilyFindings } from "./family-findings.js";
import { OutsideClient, type OutsideServer, type SentRequest } from "./outside-client.js";

/** A line that a rule checks, with a server in which it applies. */
export interface ExposedLine {
  readonly line: Directive;
  readonly scope: Scope;
  readonly server: OutsideServer;
  readonly context: RuleContext;
}

/**
 * How a rule finds what an outside client can reach. It reports only if the simulator names a request and its answer, for
 * 2.4 and, unless it says otherwise, for the whole server.
 */
export interface ExposureCheck {
  /** Lower-case directive names: each line of them is checked. */
  readonly holding: readonly string[];
  /** Returns the findings for a line; each is shown by a request. */
  readonly check: (exposed: ExposedLine, client: OutsideClient) => Iterable<Report>;
  /** Whether the rule also reports on a fragment, as if an otherwise empty server included it. */
  readonly onFragments?: boolean;
  /**
   * Whether the rule also reports on every part of a server, what its lines decide: the rest of the server may grant access to
   * it or not, but does not change where they lead.
   */
  readonly onParts?: boolean;
  /** Whether servers that outside clients do not reach are checked, too: the rule is about what a line does. */
  readonly fromAnywhere?: boolean;
}

/** Returns the visitor that checks lines, if the configuration can be checked. */
export function createExposureVisitor(
  { holding, check, onFragments = false, onParts = false, fromAnywhere = false }: ExposureCheck,
  context: RuleContext,
): ScopeVisitor | undefined {
  const { project, report } = context;
  const parts = onParts ? "decided" : onFragments ? "assumed" : undefined;
  const view = findOutsideView(context, parts, fromAnywhere ? "anywhere" : "outside");
  if (view === undefined) return undefined;
  const names = new Set(holding);
  const checkLine = (line: Directive, scope: Scope, servers: readonly OutsideServer[]) => {
    for (const server of servers) {
      const found = [...check({ line, scope, server, context }, view.client)];
      found.forEach(report);
      if (found.length > 0) return;
    }
  };
  const isChecked = (line: Directive) =>
    names.has(line.key) && (project.view === undefined || project.view.isReported(line.span.file.path));
  const visit = (scope: Scope) => {
    for (const line of scope.directives) {
      if (!isChecked(line)) continue;
      const servers = view.serversOf(scope);
      // Most virtual hosts of a fleet are not checked again.
      if (servers.length === 0) return;
      checkLine(line, scope, servers);
    }
  };
  return { holding, visit, passesAlikeHosts: project.view === undefined };
}

/** Number of servers in which a line of the main server is checked. */
const MAX_SERVERS = 5;

/** The servers as an outside client sees them. The rules of a run share it. */
class OutsideView {
  private readonly alike: FamilyFindings<never>;
  private readonly served = new Map<Directive, readonly OutsideServer[]>();
  private first: readonly OutsideServer[] | undefined;

  constructor(
    project: Project,
    readonly client: OutsideClient,
  ) {
    this.alike = new FamilyFindings(project);
  }

  /**
   * Returns the servers in which the lines of a scope are checked: the virtual host around them, or a few for the main
   * server's. None for a host that differs only in numbers from several that were checked.
   */
  serversOf(scope: Scope): readonly OutsideServer[] {
    const host = enclosingHostOf(scope);
    const section = host?.section;
    if (host === undefined || section === undefined) {
      this.first ??= this.client.listServers(MAX_SERVERS);
      return this.first;
    }
    return getOrCreate(this.served, section, () =>
      this.alike.next(host).host.isFurther ? [] : this.client.findServer(section),
    );
  }
}

const knownViews = memoize((_: Project) => new Map<string, Map<RuleContext["files"], OutsideView>>());

/**
 * Returns the servers as an outside client sees them; undefined for 2.2, and for a part of a server that the rule does not
 * check.
 *
 * @param parts what a rule checks of a part: all `assumed` answers of a fragment, or those that the part has `decided`
 */
function findOutsideView(
  { project, release, files }: RuleContext,
  parts: "assumed" | "decided" | undefined,
  reach: "outside" | "anywhere",
): OutsideView | undefined {
  const isWhole = project.kind === "server";
  const isChecked = isWhole || parts === "decided" || (parts === "assumed" && project.kind === "fragment");
  if (!isSince(release, "2.4") || !isChecked) return undefined;
  const omitsOpen = !isWhole && parts === "decided";
  const views = getOrCreate(knownViews(project), `${reach} ${omitsOpen}`, () => new Map());
  return getOrCreate(views, files, () => {
    const server = completePart(project);
    return new OutsideView(server, new OutsideClient(server, files, reach, omitsOpen));
  });
}

/**
 * Returns the answer to a request that the lines of a scope deny. Of several such lines, only the first has one, so that
 * each scope is checked once.
 */
export function findDenial(
  { line, scope, server }: ExposedLine,
  client: OutsideClient,
  sent: SentRequest,
): DefiniteAnswer | undefined {
  const answer = client.ask(server, sent);
  const isDenied = answer?.class === "401" || answer?.class === "403";
  return isDenied && answer.decidedBy.find((each) => scope.directives.includes(each)) === line ? answer : undefined;
}

/** Returns the Options that apply to an answer, in lower case. */
export function optionsOf({ layers, setup }: DefiniteAnswer): ReadonlySet<string> {
  return mergeOptions(layers, setup.project);
}

/** Returns the classes of directives that a `.htaccess` file in the directory of an answer may contain. */
export function overrideClassesOf({ layers }: Pick<DefiniteAnswer, "layers">, project: Project): Overrides["classes"] {
  return mergeOverrides(layers, project).classes;
}

/** Describes a request and its answer: ``GET `/a` from 203.0.113.9 returns 200``. */
export function describeAnswer({ request, status }: DefiniteAnswer): string {
  return `${describeRequest(request)} returns ${status}`;
}
