import type { Difference } from "../compare/compare.js";
import { type RegionSummary, summaryOf } from "../compare/summary.js";
import type { UncomparedChange } from "../compare/uncompared-changes.js";
import { lineText } from "../simulate/written.js";
import { jsonText } from "../text/json-text.js";
import type { Compared } from "./comparison-text.js";
import { assumed, DecisionJson, said } from "./decision-json.js";
import { Places } from "./places.js";

/** A comparison for programs, as `compare.schema.json` describes it. */
export function* comparisonJson(compared: Compared, base: string | undefined): Generator<string> {
  const { comparison, startup, assumptions, notCompared } = compared;
  const decisions = new DecisionJson(new Places(base));
  const writer = new DifferenceJson(decisions, comparison.methods);
  const { verdict, differences, unproved, servers, cells } = comparison;
  const whole = {
    verdict,
    ...assumed(assumptions),
    ...startupOf(startup, decisions),
    differences: differences.map((each) => writer.difference(each)),
    unknown: unproved.map((each) => decisions.unproved(each)),
    notCompared: notCompared.map((each) => uncomparedChange(each, decisions)),
    summary: { servers, paths: cells },
  };
  yield `${jsonText(whole, 2)}\n`;
}

/** What two sides answer differently. */
export class DifferenceJson {
  constructor(
    private readonly writer: DecisionJson,
    private readonly methods: readonly string[],
  ) {}

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
}

function uncomparedChange({ name, before, after }: UncomparedChange, decisions: DecisionJson): object {
  return {
    directive: said(name),
    ...(before ? { before: decisions.location(before.span) } : {}),
    ...(after ? { after: decisions.location(after.span) } : {}),
  };
}

function startupOf([before, after]: Compared["startup"], decisions: DecisionJson): object {
  if (before.length + after.length === 0) return {};
  return { startup: { before: decisions.faults(before), after: decisions.faults(after) } };
}
