import type { Difference } from "../compare/compare.js";
import type { Unproved } from "../compare/doubts.js";
import { type RegionSummary, summaryOf } from "../compare/summary.js";
import { lineText } from "../simulate/written.js";
import type { Compared } from "./comparison-text.js";
import { DecisionJson, said } from "./decision-json.js";
import { Places } from "./places.js";

/** A comparison for programs, as `compare.schema.json` describes it. */
export function* comparisonJson({ comparison, startup }: Compared, base: string | undefined): Generator<string> {
  const writer = new ComparisonJson(new DecisionJson(new Places(base)), comparison.methods);
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
    private readonly writer: DecisionJson,
    private readonly methods: readonly string[],
  ) {}

  startup([before, after]: Compared["startup"]): object {
    if (before.length + after.length === 0) return {};
    return { startup: { before: this.writer.faults(before), after: this.writer.faults(after) } };
  }

  difference({ request, given: { files, terms }, before, after, regions }: Difference): object {
    const given = [...terms].map((term) => said(term));
    return {
      request,
      ...(files.size === 0 ? {} : { files: Object.fromEntries(files) }),
      ...(given.length === 0 ? {} : { given }),
      before: this.writer.verdict(before),
      after: this.writer.verdict(after),
      region: summaryOf(regions, this.methods).map((each) => this.region(each)),
    };
  }

  private region({ paths, ...region }: RegionSummary): object {
    const { clients, users, methods, hosts, conditions } = region;
    return {
      paths: paths.map(({ example, kinds, sections }) => ({
        example,
        kinds,
        sections: sections.map((section) => this.writer.section({ section: lineText(section), span: section.span })),
      })),
      ...{ clients, users, methods, hosts, conditions: conditions.map(said) },
    };
  }

  unproved({ reason, directive, example }: Unproved): object {
    return {
      reason: said(reason),
      ...(directive ? { location: this.writer.location(directive.span) } : {}),
      ...(example === undefined ? {} : { example }),
    };
  }
}
