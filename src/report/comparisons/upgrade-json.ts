import type { Finding } from "../../lint/finding.js";
import { unlessEmpty } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import { convertFinding } from "../findings/json.js";
import { renderFinding } from "../findings/rendered-finding.js";
import type { upgradeOutput } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import { DifferenceJson } from "./comparison-json.js";
import { ScopeJson } from "./map-json.js";
import { countUpgradeParts, type UpgradeReport } from "./upgrade-report.js";
import { versionsToJson } from "./version-json.js";

/** Renders an upgrade as JSON, as `upgrade.schema.json` describes it. */
export function* renderUpgradeJson(upgraded: UpgradeReport, base: string | undefined): Generator<string> {
  const { upgrade, releases, startupBefore, build, newer } = upgraded;
  const { findings, comparison, review } = upgrade;
  const places = new PlaceResolver(base);
  const json = new AnswerJsonWriter(places);
  const scopes = new ScopeJson(json, releases);
  const differences = new DifferenceJson(json, comparison.methods);
  const each = (some: readonly Finding[]) =>
    some.map((finding) => convertFinding(renderFinding(finding, places), places));
  const [from, to] = releases;
  const whole: JsonOf<typeof upgradeOutput> = {
    from,
    to,
    notOf22: newer && json.place(newer.span),
    assumptions: assumptionsToJson(upgraded.assumptions),
    startup: json.startup(startupBefore),
    start: each(findings.start),
    answers: {
      supplied: unlessEmpty(upgrade.supplied),
      findings: each(findings.answers),
      verdict: newer ? "unknown" : comparison.verdict,
      differences: (newer ? [] : comparison.differences).map((difference) => differences.difference(difference)),
      unknown: comparison.unproved.map((unproved) => json.unproved(unproved)),
      uncomparedRequests: unlessEmpty(comparison.uncomparedRequests),
    },
    behaviour: each(findings.behaviour),
    versions: upgrade.versions && versionsToJson(upgrade.versions, releases, json),
    review: {
      servers: (newer ? [] : review.servers).map((server) => scopes.server(server)),
      unknown: review.unknown.map((unproved) => json.unproved(unproved)),
    },
    recommended: each(findings.recommended),
    build: build && {
      changed: build.changed.map(({ written: as, word, advice }) => ({
        switch: redactText(as),
        word: word === undefined ? undefined : redactText(word),
        advice,
      })),
      switches: build.switches,
    },
    summary: { ...countUpgradeParts(upgraded), ignored: upgrade.ignored },
  };
  yield `${formatJson(whole, 2)}\n`;
}
