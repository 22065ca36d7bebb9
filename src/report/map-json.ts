import type { MappedScope, MappedServer, WhoGetsIn } from "../compare/access-map.js";
import type { Unproved } from "../compare/doubts.js";
import { lineText } from "../simulate/written.js";
import { DecisionJson, said } from "./decision-json.js";
import type { Mapped } from "./map-text.js";
import { whoText } from "./map-words.js";
import { Places } from "./places.js";

/** An access map for programs, as `map.schema.json` describes it. */
export function* mapJson(mapped: Mapped, base: string | undefined): Generator<string> {
  const writer = new MapJson(mapped.releases, new DecisionJson(new Places(base)));
  const { servers, unknown } = mapped.map;
  const whole = {
    releases: mapped.releases,
    ...writer.startup(mapped.startup),
    servers: servers.map((each) => writer.server(each)),
    unknown: unknown.map((each) => writer.unknown(each)),
  };
  yield `${JSON.stringify(whole, undefined, 2)}\n`;
}

class MapJson {
  constructor(
    private readonly releases: readonly string[],
    private readonly writer: DecisionJson,
  ) {}

  startup(startup: Mapped["startup"]): object {
    const refused = startup.filter(({ findings }) => findings.length > 0);
    if (refused.length === 0) return {};
    return {
      startup: Object.fromEntries(refused.map(({ release, findings }) => [release, this.writer.faults(findings)])),
    };
  }

  server({ doors, scopes }: MappedServer): object {
    return { doors, scopes: scopes.map((each) => this.scope(each)) };
  }

  private scope({ examples, place, sections, methods, who, differs, isUnsure }: MappedScope): object {
    return {
      paths: examples,
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

  unknown({ reason, directive, example }: Unproved): object {
    return {
      reason: said(reason),
      ...(directive ? { location: this.writer.location(directive.span) } : {}),
      ...(example === undefined ? {} : { example }),
    };
  }
}
