import type { OutsideScope, OutsideViewServer } from "../../proof/audit/outside-model.js";
import type { SensitiveProbe } from "../../proof/audit/sensitive-probes.js";
import { namesOfPairs } from "../../proof/compare/summary.js";
import type { Request } from "../../server/model/request.js";
import { formatLine } from "../../server/trace/step.js";
import { unlessEmpty } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import { convertFinding } from "../findings/json.js";
import { renderFinding } from "../findings/rendered-finding.js";
import type { auditOutput, outsideServerSchema, sensitiveAnswerSchema } from "../schema/comparisons.js";
import type { JsonOf, requestSchema } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import type { AuditReport } from "./audit-words.js";
import { clientAccessToJson, entryPointsToJson } from "./map-json.js";
import { serverAddressNamesOf } from "./map-words.js";

type ServerJson = JsonOf<typeof outsideServerSchema>;

/** Renders an outside view as JSON, as `audit.schema.json` describes it. */
export function* renderAuditJson(report: AuditReport, base: string | undefined): Generator<string> {
  const { release, view, probes, checkedPaths, findings, startup, assumptions } = report;
  const places = new PlaceResolver(base);
  const json = new AnswerJsonWriter(places);
  const writer = new OutsideJson(json);
  const whole: JsonOf<typeof auditOutput> = {
    release,
    startup: json.startup(startup),
    assumptions: assumptionsToJson(assumptions),
    servers: view.servers.map((server) => writer.server(server)),
    unreachable: namesOfPairs(view.unreachable),
    sensitivePaths: { checked: checkedPaths, answers: probes.map((each) => writer.probe(each)) },
    findings: findings.map((finding) => convertFinding(renderFinding(finding, places), places)),
    unknown: view.unknown.map((each) => json.unproved(each)),
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** Returns a request in readable text; its path may contain a token. */
function requestToJson(request: Request): JsonOf<typeof requestSchema> {
  const { path, host } = request;
  return { ...request, path: redactText(toReadable(path)), host: host === undefined ? undefined : toReadable(host) };
}

class OutsideJson {
  constructor(private readonly json: AnswerJsonWriter) {}

  server({ entryPoints, alike, scopes, unknownPaths }: OutsideViewServer): ServerJson {
    const [name] = serverAddressNamesOf({ entryPoints, alike, scopes: [] });
    const hosts = [...(name === undefined ? [] : [name]), ...namesOfPairs(alike.map(({ pair }) => pair))];
    return {
      ...entryPointsToJson(entryPoints),
      hosts,
      scopes: scopes.map((each) => this.scope(each)),
      unknownPaths: unlessEmpty(unknownPaths.map((path) => redactText(toReadable(path)))),
    };
  }

  probe({
    path,
    outcome,
    request,
    status,
    decidedBy,
    unknown,
    hosts,
  }: SensitiveProbe): JsonOf<typeof sensitiveAnswerSchema> {
    return {
      path: redactText(path),
      outcome,
      request: requestToJson(request),
      status,
      decidedBy: decidedBy.map(({ span }) => this.json.place(span)),
      unknown: unlessEmpty(unknown.map(redactText)),
      hosts,
    };
  }

  private scope(scope: OutsideScope): ServerJson["scopes"][number] {
    const { effect, examples, place, methods, sections, alternatives, isListing, isForward, isUnsure, answer, access } =
      scope;
    return {
      effect,
      paths: examples.map(redactText),
      place,
      methods,
      listing: isListing || undefined,
      forwardProxy: isForward,
      conditions: unlessEmpty(alternatives.map((each) => each.map(redactText))),
      unsure: isUnsure || undefined,
      sections: sections.map((section) => this.json.section({ section: formatLine(section), span: section.span })),
      request: requestToJson(answer.request),
      status: answer.status,
      decidedBy: answer.decidedBy.map(({ span }) => this.json.place(span)),
      access: access && clientAccessToJson(access),
    };
  }
}
