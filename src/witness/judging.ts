import { oldNames } from "../access/old-rules.js";
import type { Report } from "../engine/finding.js";
import type { RuleContext, Visitor } from "../engine/rule.js";
import type { Directive } from "../project/directive.js";
import type { Scope } from "../project/scope.js";
import type { Request } from "../scope/request.js";
import { lineText } from "../simulate/written.js";
import { toReadable } from "../text/source.js";
import { AccessScopes } from "./access-scopes.js";
import { type Inspector, inspectorOf, type Seen, type Situation } from "./inspector.js";

/** What a rule wants to be asked about. */
export interface Judge {
  /** Whether a scope that holds access control is worth a request. */
  readonly concerns: (scope: Scope, all: AccessScopes) => boolean;
  /** What is wrong there, if anything. */
  readonly judge: (situation: Situation, inspector: Inspector, all: AccessScopes) => Report | undefined;
}

/** Whatever has a say in who comes in. */
const accessNames = [...oldNames, "require", "authmerging", "authtype"];

/**
 * The visitor of a rule that asks what requests into a section get. That takes a whole server, since what comes in from
 * outside decides, and 2.4, whose old and new rules stand side by side.
 */
export function judging({ project, release, report }: RuleContext, { concerns, judge }: Judge): Visitor {
  if (project.kind !== "server" || release !== "2.4") return {};
  const bench = benchOf(inspectorOf(project));
  bench.judges.push({ concerns, judge, report });
  return {
    scope: { holding: accessNames, visit: (scope) => bench.scopes.add(scope) },
    project: () => bench.judgeAll(),
  };
}

/** The judges of one run. They look at a scope together: what a request to it comes to is worked out once, and not kept. */
class Bench {
  /** The scopes that hold access control. */
  scopes = new AccessScopes();
  judges: (Judge & Pick<RuleContext, "report">)[] = [];

  constructor(private readonly inspector: Inspector) {}

  /** Whoever comes first has all judge; the next run over the project begins anew. */
  judgeAll(): void {
    const { judges, scopes, inspector } = this;
    this.judges = [];
    this.scopes = new AccessScopes();
    for (const scope of judges.length > 0 ? scopes : []) {
      const concerned = isAskedFor(scope) ? judges.filter(({ concerns }) => concerns(scope, scopes)) : [];
      const situation = concerned.length > 0 ? inspector.situationOf(scope) : undefined;
      if (situation === undefined) continue;
      for (const { judge, report } of concerned) {
        const finding = judge(situation, inspector, scopes);
        if (finding && !inspector.isRefused(situation)) report(finding);
      }
    }
  }
}

const benches = new WeakMap<Inspector, Bench>();

function benchOf(inspector: Inspector): Bench {
  const known = benches.get(inspector) ?? new Bench(inspector);
  benches.set(inspector, known);
  return known;
}

/** Whether a request into a scope can be told from its sections; conditions and backends tell none. */
function isAskedFor({ place, parent }: Scope): boolean {
  if (place === "if" || place === "proxy" || place === "server" || place === "virtualhost") return false;
  return parent === undefined || parent.place === "server" || parent.place === "virtualhost" || isAskedFor(parent);
}

/**
 * The first client that shows something, as it is seen.
 *
 * @param lines with the rules that tell clients apart
 */
export function firstThat(
  inspector: Inspector,
  situation: Situation,
  lines: readonly Directive[],
  shows: (seen: Seen) => boolean,
): Seen | undefined {
  for (const request of inspector.requestsOf(situation, lines)) {
    const seen = inspector.see(situation, request);
    if (seen && shows(seen)) return seen;
  }
  return undefined;
}

/** A request in words: ``GET `http://a.test/x` from 10.0.0.1``. */
export function requestText({
  method,
  path,
  scheme,
  host,
  port,
  serverIp,
  clientIp,
  clientHost,
  user,
  groups,
  env,
}: Request): string {
  const isUsual = port === undefined || port === (scheme === "https" ? 443 : 80);
  const authority = host ?? (serverIp?.includes(":") ? `[${serverIp}]` : serverIp);
  const url = authority === undefined ? path : `${scheme ?? "http"}://${authority}${isUsual ? "" : `:${port}`}${path}`;
  const who = user === undefined ? "" : ` as user \`${user}\`${groups ? ` of group \`${groups.join(" ")}\`` : ""}`;
  const name = clientHost === undefined || clientHost === "localhost" ? "" : ` (\`${clientHost}\`)`;
  const variables = env === undefined ? "" : ` with ${env.map((each) => `\`${each}\``).join(", ")} set`;
  return toReadable(`${method} \`${url}\` from ${clientIp}${name}${who}${variables}`);
}

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

/** A line of the configuration in backticks, as it is written. */
export function lineTitle(directive: Directive): string {
  return `\`${lineText(directive)}\``;
}
