import type { Difference, Unproved } from "../compare/compare.js";
import type { Verdict } from "../compare/replay.js";
import { type RegionSummary, summaryOf } from "../compare/summary.js";
import type { Finding } from "../engine/finding.js";
import type { Directive } from "../project/directive.js";
import { lineText } from "../simulate/written.js";
import type { Span } from "../text/source.js";
import type { Compared } from "./comparison-text.js";
import { Places } from "./places.js";
import { redact } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** A comparison for programs, as `compare.schema.json` describes it. */
export function* comparisonJson({ comparison, startup }: Compared, base: string | undefined): Generator<string> {
  const writer = new ComparisonJson(new Places(base), comparison.methods);
  const { verdict, differences, unproved, servers, cells } = comparison;
  const whole = {
    verdict,
    ...writer.startup(startup),
    differences: differences.map((each) => writer.difference(each)),
    unknown: unproved.map((each) => writer.unproved(each)),
    summary: { servers, paths: cells },
  };
  yield `${JSON.stringify(whole, undefined, 2)}\n`;
}

class ComparisonJson {
  constructor(
    private readonly places: Places,
    private readonly methods: readonly string[],
  ) {}

  startup([before, after]: Compared["startup"]): object {
    if (before.length + after.length === 0) return {};
    const told = (findings: readonly Finding[]) =>
      findings.map(({ message, span }) => ({ message: said(message), location: this.location(span) }));
    return { startup: { before: told(before), after: told(after) } };
  }

  difference({ request, given: { files, terms }, before, after, regions }: Difference): object {
    const given = [...terms].map((term) => said(term));
    return {
      request,
      ...(files.size === 0 ? {} : { files: Object.fromEntries(files) }),
      ...(given.length === 0 ? {} : { given }),
      before: this.verdict(before),
      after: this.verdict(after),
      region: summaryOf(regions, this.methods).map((each) => this.region(each)),
    };
  }

  private verdict({ status, class: decided, log, decidedBy }: Verdict): object {
    return { status, class: decided, log, decidedBy: decidedBy.map(({ span }) => this.location(span)) };
  }

  private region({ paths, ...region }: RegionSummary): object {
    const { clients, users, methods, hosts, conditions } = region;
    return {
      paths: paths.map(({ example, kinds, sections }) => ({
        example,
        kinds,
        sections: sections.map((section) => this.section(section)),
      })),
      ...{ clients, users, methods, hosts, conditions: conditions.map(said) },
    };
  }

  private section(section: Directive): object {
    return { section: said(lineText(section)), location: this.location(section.span) };
  }

  unproved({ reason, directive, example }: Unproved): object {
    return {
      reason: said(reason),
      ...(directive ? { location: this.location(directive.span) } : {}),
      ...(example === undefined ? {} : { example }),
    };
  }

  private location(span: Span): object {
    return { path: this.places.path(span.file), ...this.places.range(span) };
  }
}

/** Words without the secrets that a URL in them may hold. */
function said(text: string): string {
  return wellFormed(redact(text, []));
}
