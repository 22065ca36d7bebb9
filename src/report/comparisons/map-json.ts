import type { Release } from "../../facts/release.js";
import { namesOfPairs } from "../../proof/compare/summary.js";
import type { ClientAccess, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import { formatJson } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import type { clientAccessSchema, mapOutput, mappedServerSchema } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import type { MapReport } from "./map-report.js";
import { describeClientAccess, serverAddressNamesOf } from "./map-words.js";

type ServerJson = JsonOf<typeof mappedServerSchema>;

/** Renders an access map as JSON, as `map.schema.json` describes it. */
export function* renderMapJson(mapped: MapReport, base: string | undefined): Generator<string> {
  const json = new AnswerJsonWriter(new PlaceResolver(base));
  const writer = new ScopeJson(json, mapped.releases);
  const { servers, unknown } = mapped.map;
  const whole: JsonOf<typeof mapOutput> = {
    releases: mapped.releases,
    startup: startupOf(mapped.startup, json),
    assumptions: assumptionsToJson(mapped.assumptions),
    servers: servers.map((each) => writer.server(each)),
    unknown: unknown.map((each) => json.unproved(each)),
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** The access of all clients to all paths. */
export class ScopeJson {
  constructor(
    private readonly writer: AnswerJsonWriter,
    private readonly releases: readonly Release[],
  ) {}

  server(server: MappedServer): ServerJson {
    const { entryPoints, scopes } = server;
    const [name] = serverAddressNamesOf(server);
    const hosts = [...(name === undefined ? [] : [name]), ...namesOfPairs(server.alike.map(({ pair }) => pair))];
    return { ...entryPointsToJson(entryPoints), hosts, scopes: scopes.map((each) => this.scope(each)) };
  }

  private scope({
    examples,
    place,
    sections,
    methods,
    who,
    differs,
    isUnsure,
  }: MappedScope): ServerJson["scopes"][number] {
    return {
      paths: examples.map(redactText),
      place,
      sections: sections.map((section) => this.writer.section({ section: formatLine(section), span: section.span })),
      methods,
      differs,
      unsure: isUnsure || undefined,
      access: Object.fromEntries(
        this.releases.flatMap((release, side) =>
          who[side] ? [[release, clientAccessToJson(who[side])] as const] : [],
        ),
      ),
    };
  }
}

/** Returns the entry points of a server for JSON, also by their earlier name. */
export function entryPointsToJson(found: MappedServer["entryPoints"]): Pick<ServerJson, "entryPoints" | "doors"> {
  const entryPoints = found.map((each) => {
    return { ...each, host: each.host === undefined ? undefined : toReadable(each.host) };
  });
  return { entryPoints, doors: entryPoints };
}

/** Returns the allowed clients for JSON, also in words. */
export function clientAccessToJson(who: ClientAccess): JsonOf<typeof clientAccessSchema> {
  const { allowed, others } = who;
  return {
    words: redactText(describeClientAccess(who)),
    allowed: allowed.map(({ clients, users, conditions }) => ({
      clients,
      users,
      conditions: conditions.map(redactText),
    })),
    others,
  };
}

function startupOf(startup: MapReport["startup"], json: AnswerJsonWriter): JsonOf<typeof mapOutput>["startup"] {
  const refused = startup.filter(({ findings }) => findings.length > 0);
  if (refused.length === 0) return undefined;
  return Object.fromEntries(refused.map(({ release, findings }) => [release, json.faults(findings)]));
}
