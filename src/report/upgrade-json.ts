import type { Finding } from "../engine/finding.js";
import { jsonText } from "../text/json-text.js";
import { DifferenceJson } from "./comparison-json.js";
import { assumed, DecisionJson, said } from "./decision-json.js";
import { written } from "./findings.js";
import { jsonFinding } from "./json.js";
import { ScopeJson } from "./map-json.js";
import { Places } from "./places.js";
import { type Upgraded, upgradeCounts } from "./upgrade-words.js";

/** An upgrade for programs, as `upgrade.schema.json` describes it. */
export function* upgradeJson(upgraded: Upgraded, base: string | undefined): Generator<string> {
  const { upgrade, releases, startupBefore, build } = upgraded;
  const { findings, comparison, review } = upgrade;
  const places = new Places(base);
  const decisions = new DecisionJson(places);
  const scopes = new ScopeJson(decisions, releases);
  const differences = new DifferenceJson(decisions, comparison.methods);
  const each = (some: readonly Finding[]) => some.map((finding) => jsonFinding(written(finding, places), places));
  const [from, to] = releases;
  const whole = {
    from,
    to,
    ...assumed(upgraded.assumptions),
    ...(startupBefore.length === 0 ? {} : { startup: decisions.faults(startupBefore) }),
    start: each(findings.start),
    answers: {
      ...(upgrade.supplied.length === 0 ? {} : { supplied: upgrade.supplied }),
      findings: each(findings.answers),
      verdict: comparison.verdict,
      differences: comparison.differences.map((difference) => differences.difference(difference)),
      unknown: comparison.unproved.map((unproved) => decisions.unproved(unproved)),
    },
    behaviour: each(findings.behaviour),
    review: {
      servers: review.servers.map((server) => scopes.server(server)),
      unknown: review.unknown.map((unproved) => decisions.unproved(unproved)),
    },
    recommended: each(findings.recommended),
    ...(build === undefined
      ? {}
      : {
          build: {
            changed: build.changed.map(({ written: as, word, advice }) => ({
              switch: said(as),
              ...(word === undefined ? {} : { word: said(word) }),
              advice,
            })),
            switches: build.switches,
          },
        }),
    summary: { ...upgradeCounts(upgraded), ignored: upgrade.ignored },
  };
  yield `${jsonText(whole, 2)}\n`;
}
