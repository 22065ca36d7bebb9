import { listHosts, type RegionSummary, summarizeRegions } from "../../proof/compare/summary.js";
import type { UncomparedChange } from "../../proof/compare/uncompared-changes.js";
import type { Difference, ProbedMethods } from "../../proof/model/comparison.js";
import { wordsOfFact } from "../../server/model/unknown-facts.js";
import { formatLine } from "../../server/trace/step.js";
import { unlessEmpty } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import type { compareOutput, differenceSchema } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import type { ComparisonReport } from "./comparison-report.js";

type DifferenceFields = JsonOf<typeof differenceSchema>;

/** Renders a comparison as JSON, as `compare.schema.json` describes it. */
export function* renderComparisonJson(compared: ComparisonReport, base: string | undefined): Generator<string> {
  const { comparison, startup, assumptions, notCompared } = compared;
  const json = new AnswerJsonWriter(new PlaceResolver(base));
  const writer = new DifferenceJson(json, comparison.methods);
  const { verdict, differences, unproved, byServer, provedExcept, serverPairs, pathClasses } = comparison;
  const whole: JsonOf<typeof compareOutput> = {
    verdict,
    startup: startupOf(startup, json),
    assumptions: assumptionsToJson(assumptions),
    differences: differences.map((each) => writer.difference(each)),
    unknown: unproved.map((each) => json.unproved(each)),
    servers: json.serverProofs(byServer),
    provedExcept,
    uncomparedRequests: unlessEmpty(comparison.uncomparedRequests),
    notCompared: notCompared.map((each) => uncomparedToJson(each, json)),
    summary: { servers: serverPairs, paths: pathClasses },
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** Renders the differences between two sides as plain values. */
export class DifferenceJson {
  constructor(
    private readonly writer: AnswerJsonWriter,
    private readonly methods: ProbedMethods,
  ) {}

  difference(difference: Difference): DifferenceFields {
    const { request, files, before, after, change, regions } = difference;
    const { facts } = difference.assumptions;
    return {
      request,
      files: [...files].map(([path, kind]) => ({ path: toReadable(path), kind })),
      given: unlessEmpty([...facts].map((fact) => redactText(wordsOfFact(fact)))),
      before: { ...this.writer.shown(before), status: before.status },
      after: { ...this.writer.shown(after), status: after.status },
      change,
      hosts: listHosts(difference),
      region: summarizeRegions(regions, this.methods).map((each) => this.region(each)),
    };
  }

  private region({ paths, ...region }: RegionSummary): DifferenceFields["region"][number] {
    const { clients, users, methods, hosts, conditions } = region;
    return {
      paths: paths.map(({ example, kind, sections }) => ({
        example,
        kind,
        sections: sections.map((section) => this.writer.section({ section: formatLine(section), span: section.span })),
      })),
      ...{ clients, users, methods, hosts, conditions: conditions.map(redactText) },
    };
  }
}

function uncomparedToJson(
  { name, before, after }: UncomparedChange,
  json: AnswerJsonWriter,
): JsonOf<typeof compareOutput>["notCompared"][number] {
  return {
    directive: redactText(name),
    before: before && json.place(before.span),
    after: after && json.place(after.span),
  };
}

function startupOf(
  [before, after]: ComparisonReport["startup"],
  json: AnswerJsonWriter,
): JsonOf<typeof compareOutput>["startup"] {
  if (before.length + after.length === 0) return undefined;
  return { before: json.faults(before), after: json.faults(after) };
}
