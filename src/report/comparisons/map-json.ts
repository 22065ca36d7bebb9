import { namesOfPairs } from "../../proof/compare/summary.js";
import type { ClientAccess, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatLine } from "../../server/trace/step.js";
import { formatJson } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { assumptionsToJson, DecisionJson, redactText } from "../answers/decision-json.js";
import { PlaceResolver } from "../text/source-places.js";
import type { MapReport } from "./map-text.js";
import { describeClientAccess, serverAddressNamesOf } from "./map-words.js";

/** Renders an access map as JSON, as `map.schema.json` describes it. */
export function* renderMapJson(mapped: MapReport, base: string | undefined): Generator<string> {
  const decisions = new DecisionJson(new PlaceResolver(base));
  const writer = new ScopeJson(decisions, mapped.releases);
  const { servers, unknown } = mapped.map;
  const whole = {
    releases: mapped.releases,
    ...startupOf(mapped.startup, decisions),
    ...assumptionsToJson(mapped.assumptions),
    servers: servers.map((each) => writer.server(each)),
    unknown: unknown.map((each) => decisions.unproved(each)),
  };
  yield `${formatJson(whole, 2)}\n`;
}

/** The access of all clients to all paths. */
export class ScopeJson {
  constructor(
    private readonly writer: DecisionJson,
    private readonly releases: readonly string[],
  ) {}

  server(server: MappedServer): object {
    const { entryPoints, scopes } = server;
    const doors = entryPointsToJson(entryPoints);
    const [name] = serverAddressNamesOf(server);
    const hosts = [...(name === undefined ? [] : [name]), ...namesOfPairs(server.alike.map(({ pair }) => pair))];
    return { doors, hosts, scopes: scopes.map((each) => this.scope(each)) };
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): object {
    return {
      paths: examples.map(redactText),
      place,
      sections: sections.map((section) => this.writer.section({ section: formatLine(section), span: section.span })),
      methods,
      differs,
      ...(isUnsure ? { unsure: true } : {}),
      access: Object.fromEntries(who.map((each, side) => [this.releases[side] ?? "", clientAccessToJson(each)])),
    };
  }
}

/** Returns the entry points of a server for JSON. */
export function entryPointsToJson(entryPoints: MappedServer["entryPoints"]): readonly object[] {
  return entryPoints.map((each) => ({ ...each, ...(each.host === undefined ? {} : { host: toReadable(each.host) }) }));
}

/** Returns the allowed clients for JSON, also in words. */
export function clientAccessToJson(who: ClientAccess): object {
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

function startupOf(startup: MapReport["startup"], decisions: DecisionJson): object {
  const refused = startup.filter(({ findings }) => findings.length > 0);
  if (refused.length === 0) return {};
  return { startup: Object.fromEntries(refused.map(({ release, findings }) => [release, decisions.faults(findings)])) };
}
