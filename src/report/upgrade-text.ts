import type { Finding } from "../engine/finding.js";
import { verdictWords } from "./comparison-words.js";
import { DifferenceText } from "./difference-text.js";
import { type Look, thousands } from "./painter.js";
import { ScopeText } from "./scope-text.js";
import { Teller } from "./teller.js";
import { FindingText } from "./text.js";
import {
  fromBefore,
  type Upgraded,
  type UpgradePart,
  upgradeCounts,
  upgradeHeadings,
  upgradeParts,
} from "./upgrade-words.js";

/** An upgrade for people: how much there is of what, and then each in the order in which it matters. */
export function* upgradeText(upgraded: Upgraded, look: Look): Generator<string> {
  yield* new UpgradeWriter(upgraded, look).whole();
}

class UpgradeWriter {
  private readonly teller: Teller;
  private readonly findings: FindingText;

  constructor(
    private readonly upgraded: Upgraded,
    look: Look,
  ) {
    this.teller = new Teller(look);
    this.findings = new FindingText(look);
  }

  *whole(): Generator<string> {
    const { findings } = this.upgraded.upgrade;
    yield* this.summary();
    yield this.startupBefore();
    yield* this.section("start", this.each(findings.start));
    yield* this.section("answers", this.answers());
    yield* this.section("behaviour", this.each(findings.behaviour));
    yield* this.section("review", this.review());
    yield* this.section("recommended", this.each(findings.recommended));
    yield* this.section("build", this.build());
    yield `${this.teller.say(fromBefore, 0)}\n`;
  }

  /** What keeps the old release from starting: of the first reason here, of the others where a list of its own is asked for. */
  private startupBefore(): string {
    const {
      releases: [release],
      startupBefore: reasons,
    } = this.upgraded;
    const others = reasons.length > 1 ? `\`httpd-lint check --release ${release}\` tells of all; ` : "";
    const refusal = this.teller.refusal(
      release,
      reasons,
      `${others}what follows is as if what it refuses was not there`,
    );
    return refusal === "" ? "" : `${refusal}\n`;
  }

  private *summary(): Generator<string> {
    const { upgraded } = this;
    const { bold, green, red, yellow, cyan } = this.teller.colours;
    const paints = { start: red, answers: red, behaviour: yellow, review: cyan, recommended: cyan, build: yellow };
    yield `${bold(`from ${upgraded.releases[0]} to ${upgraded.releases[1]}`)}\n`;
    const counts = upgradeCounts(upgraded);
    for (const part of upgradeParts) {
      if (part === "build" && upgraded.build === undefined) continue;
      const count = thousands(counts[part]).padStart(6);
      yield `${counts[part] === 0 ? green(count) : bold(paints[part](count))}  ${upgradeHeadings[part]}\n`;
    }
    if (upgraded.upgrade.ignored > 0) yield `${thousands(upgraded.upgrade.ignored).padStart(6)}  ignored by comments\n`;
    yield "\n";
  }

  /** A heading with what stands below it, where there is something. */
  private *section(part: UpgradePart, content: Iterable<string>): Generator<string> {
    let isOpen = false;
    for (const piece of content) {
      if (!isOpen) yield `${this.teller.colours.bold(`== ${upgradeHeadings[part]}`)}\n\n`;
      isOpen = true;
      yield piece;
    }
  }

  private *each(findings: readonly Finding[]): Generator<string> {
    for (const finding of findings) yield this.findings.finding(finding);
  }

  private *answers(): Generator<string> {
    const { comparison, findings, supplied } = this.upgraded.upgrade;
    yield* this.each(findings.answers);
    if (supplied.length > 0)
      yield `${this.teller.say(`told of as if what is to be loaded was: ${supplied.map((each) => `\`${each}\``).join(", ")}`, 2)}\n\n`;
    yield `${this.teller.say(verdictWords(comparison), 0)}\n`;
    yield* new DifferenceText(this.teller, this.upgraded.releases, comparison).all();
    yield "\n";
  }

  private *review(): Generator<string> {
    const { servers, unknown } = this.upgraded.upgrade.review;
    yield* new ScopeText(this.teller, this.upgraded.releases).servers(servers);
    if (servers.length > 0) yield "\n";
    if (unknown.length > 0) yield `${this.teller.doubts("not known", unknown)}\n`;
  }

  private *build(): Generator<string> {
    const { build } = this.upgraded;
    if (build === undefined) return;
    const { changed, switches } = build;
    for (const { written, word, advice } of changed) {
      const meant = word === undefined ? "" : `\`${word}\` in `;
      yield `${this.teller.say(`${meant}\`${written}\`: ${advice}`, 2)}\n`;
    }
    const isWhole = new Set(changed.map(({ written }) => written)).size === switches;
    if (!isWhole)
      yield `${changed.length === 0 ? "all switches" : "the other switches"} can be taken over as recorded\n`;
    yield "\n";
  }
}
