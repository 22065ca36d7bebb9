import type { MappedScope, MappedServer, WhoGetsIn } from "../compare/access-map.js";
import { lineText } from "../simulate/written.js";
import { jsonText } from "../text/json-text.js";
import { toReadable } from "../text/source.js";
import { assumed, DecisionJson, said } from "./decision-json.js";
import type { Mapped } from "./map-text.js";
import { whoText } from "./map-words.js";
import { Places } from "./places.js";

/** An access map for programs, as `map.schema.json` describes it. */
export function* mapJson(mapped: Mapped, base: string | undefined): Generator<string> {
  const decisions = new DecisionJson(new Places(base));
  const writer = new ScopeJson(decisions, mapped.releases);
  const { servers, unknown } = mapped.map;
  const whole = {
    releases: mapped.releases,
    ...assumed(mapped.assumptions),
    ...startupOf(mapped.startup, decisions),
    servers: servers.map((each) => writer.server(each)),
    unknown: unknown.map((each) => decisions.unproved(each)),
  };
  yield `${jsonText(whole, 2)}\n`;
}

/** Who gets in where. */
export class ScopeJson {
  constructor(
    private readonly writer: DecisionJson,
    private readonly releases: readonly string[],
  ) {}

  server({ doors, scopes }: MappedServer): object {
    const readable = doors.map((door) => ({
      ...door,
      ...(door.host === undefined ? {} : { host: toReadable(door.host) }),
    }));
    return { doors: readable, scopes: scopes.map((each) => this.scope(each)) };
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): object {
    return {
      paths: examples.map(said),
      place,
      sections: sections.map((section) => this.writer.section({ section: lineText(section), span: section.span })),
      methods,
      differs,
      ...(isUnsure ? { unsure: true } : {}),
      access: Object.fromEntries(who.map((each, side) => [this.releases[side] ?? "", this.who(each)])),
    };
  }

  private who(who: WhoGetsIn): object {
    const { allowed, others } = who;
    return {
      words: said(whoText(who)),
      allowed: allowed.map(({ clients, users, conditions }) => ({ clients, users, conditions: conditions.map(said) })),
      others,
    };
  }
}

function startupOf(startup: Mapped["startup"], decisions: DecisionJson): object {
  const refused = startup.filter(({ findings }) => findings.length > 0);
  if (refused.length === 0) return {};
  return { startup: Object.fromEntries(refused.map(({ release, findings }) => [release, decisions.faults(findings)])) };
}
