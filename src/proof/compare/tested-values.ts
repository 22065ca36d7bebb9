import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { decidingFactsOf, type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts, uncomputedFactsOf } from "../../config/queries/line-effects.js";
import type { Fact } from "../../facts/effects.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { memoize } from "../../text/memoize.js";

/**
 * Reports whether a line may change a value that a condition tests, and that proofs do not compute: a test of such a value
 * counts as one fact, with the same result on both sides.
 */
export function changesTestedValue({ line, effects }: PlacedLine, project: Project): boolean {
  if (effects && mayShareFacts(effects.writes, factsOfValues(project))) return true;
  if (effects && mayShareFacts(effects.writes, variablesBeforeRedirect(project))) return true;
  if (!testsQuery(project)) return false;
  return (
    changesQuery(line) || (changesAnyQuery(project) && effects !== undefined && mayShareFacts(effects.writes, leading))
  );
}

/**
 * Reports whether a line tests a value that changes while httpd handles a request, other than in a Require line: the type of the
 * login, and the certificate that a section asks for. Such a test counts as one fact, whenever it is made.
 */
export function testsByPhase({ key, argumentText }: Directive, project: Project): boolean {
  if (!/^(?:<if|<elseif|rewritecond|setenvifexpr)$/.test(key)) return false;
  // Rules know the login of each phase, but not those of expressions.
  const isRule = key === "rewritecond" && !/^"?expr\b/i.test(argumentText);
  if (!isRule && /\bAUTH_TYPE\b/i.test(argumentText)) return true;
  return /\bSSL_/i.test(argumentText) && asksForCertificate(project);
}

/** Reports whether a section asks for a certificate, after the sections are known. */
const asksForCertificate = memoize((project: Project) =>
  placedLinesOf(project).some(
    ({ line: { key, parent } }) => key === "sslverifyclient" && parent !== undefined && parent.key !== "<virtualhost",
  ),
);

/** Returns the variables that a SetEnvIf tests as those of the request before an internal redirect. */
const variablesBeforeRedirect = memoize(
  (project: Project): ReadonlySet<Fact> =>
    new Set(
      placedLinesOf(project).flatMap(({ line }): readonly Fact[] => {
        const [, name] = (/^setenvif/.test(line.key) && /^redirect_(.+)$/i.exec(argumentValuesOf(line)[0] ?? "")) || [];
        return name === undefined ? [] : [`variable:${name.toLowerCase()}`];
      }),
    ),
);

/** What the lines write that decide whether another line, which changes the query, applies. */
const leading: ReadonlySet<Fact> = new Set<Fact>(["path", "query", "file", "config:mod_rewrite"]);

const changesAnyQuery = memoize((project: Project) => placedLinesOf(project).some(({ line }) => changesQuery(line)));

/** Returns the facts on which the values depend that the deciding lines of a configuration test or compute. */
const factsOfValues = memoize(
  (project: Project): ReadonlySet<Fact> => new Set(decidingLinesOf(project).flatMap(uncomputedFactsOf)),
);

const testsQuery = memoize((project: Project) =>
  decidingLinesOf(project).some((line) => /%\{(?:QUERY_STRING|ARGS|THE_REQUEST)/i.test(line.argumentText)),
);

/** Returns the lines that may decide about a request, and the sections, which apply to such lines. */
function decidingLinesOf(project: Project): readonly Directive[] {
  const deciding = decidingFactsOf(project);
  return placedLinesOf(project).flatMap(({ line, effects }) =>
    line.children || (effects && mayShareFacts(effects.writes, deciding)) ? [line] : [],
  );
}

/** Reports whether a line leads to another URL with another query, or without one. */
function changesQuery(line: Directive): boolean {
  const words = argumentValuesOf(line);
  if (line.key === "directoryindex" || line.key === "fallbackresource" || line.key === "errordocument")
    return words.some((word) => word.includes("?"));
  if (line.key !== "rewriterule") return false;
  const [, target = "", flags = ""] = words;
  return /\?|%\{|\$\{/.test(target) || /[[,]\s*(?:qsd|qsdiscard|qsa|qsappend)\s*[,\]]/i.test(flags);
}
