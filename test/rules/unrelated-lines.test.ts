import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import type { EntryKind } from "../../src/config/model/project.js";
import { sampleOf } from "../support/depth.js";
import { readRulePage } from "../support/rule-pages.js";
import type { Given } from "../support/rules.js";
import {
  addAt,
  type Kept,
  keptFindings,
  listPlaces,
  lostFindings,
  type Place,
  unrelatedLines,
} from "../support/unrelated-lines.js";

/** Lines that do change what a rule reports: the rules, the first words of the lines, and why. */
const exceptions: readonly (readonly [rules: RegExp, lines: RegExp, why: string])[] = [
  [/./, /^SSLRequireSSL/, "the server of the example has no TLS, so that every request returns 403"],
  [/^(?:old-access-control|compat-precedence)$/, /^AuthMerging/, "the section is then reported as mixed"],
  [
    /compat|redundant-host-rules|^(?:limit-|satisfy-|old-access-control|upgrade-changes-access)/,
    /^Satisfy/,
    "the line is a part of the access rules of the section",
  ],
  [/^inactive-rewrite-rule$/, /RewriteEngine/, "the engine is then on, or with other modules or defines"],
  [/^expires-inactive$/, /ExpiresActive/, "the expiry times are then active, or with other modules"],
  [
    /^(?:handler-on-inner-extension|request-always-fails)$/,
    /RewriteEngine/,
    "without FollowSymLinks, rules in a directory return 403",
  ],
  [/^shadowed-line$/, /Rewrite/, "rules of its section replace those of the directory"],
  [/^missing-proxy-module$/, /^ProxyPass /, "the first line that needs the module is reported"],
  [/^unknown-directive$/, /Rewrite/, "the module of the line is then loaded"],
  [/^verbose-server$/, /^Server(?:Tokens|Signature)/, "the line is the correction"],
  [/^trace-enabled$/, /^TraceEnable/, "the line is the correction"],
  [/^etag-inode$/, /^FileETag/, "the line is the correction"],
  [/^request-limits$/, /^(?:LimitRequestBody|TimeOut|KeepAliveTimeout)/, "the line is the correction"],
  [/^changed-default$/, /^TimeOut/, "the line sets the value"],
  [/^directory-listing$/, /^(?:Options -Indexes|Index)/, "the directory is then not listed, or on purpose"],
  [/^wrong-target-path$/, /^RewriteBase/, "the line is the correction"],
  [/^authentication-incomplete$/, /^AuthName/, "the line is the correction"],
  [/^inactive-rewrite-rule$/, /RewriteRule/, "the conditions then have a rule"],
  [/^inactive-rewrite-rule$/, /^RewriteOptions Inherit/, "the line is the correction"],
  [/^(?:credentials-in-clear|spoofable-client-address)$/, /^RemoteIPHeader/, "a proxy is then in front of the server"],
];

const kindsOf = ({ kind = "server" }: Given): readonly EntryKind[] =>
  kind === "server" ? ["server", "fragment"] : [kind];

/** Where a line is added: to the main server, or to the section of a finding. */
const positions = ["before all lines", "after all lines", "before the findings", "after the findings"] as const;

/** An example with a line at a position. */
interface Case {
  readonly rule: string;
  readonly text: string;
  readonly given: Given;
  readonly findings: () => readonly Kept[];
  readonly position: (typeof positions)[number];
  readonly added: string;
}

function listCases(rule: string): readonly Case[] {
  return readRulePage(rule).examples.flatMap(({ verdict, text, given: ofPage }) => {
    if (verdict !== "bad") return [];
    return kindsOf(ofPage).flatMap((kind) => {
      const given = { ...ofPage, kind };
      let found: readonly Kept[] | undefined;
      const findings = () => {
        found ??= keptFindings(allRules, text, given).filter((each) => each.rule === rule);
        return found;
      };
      const common = { rule, text, given, findings };
      return positions.flatMap((position) => unrelatedLines.map((added) => ({ ...common, position, added })));
    });
  });
}

function placesOf({ text, given, findings, position }: Case): readonly Place[] {
  const places = listPlaces(text, given);
  const lineOf = ({ at }: Place) => text.slice(0, at).split("\n").length;
  switch (position) {
    case "before all lines":
      return places.slice(0, 1);
    case "after all lines":
      return places.slice(-1);
    case "before the findings":
      return places.filter((place) => findings().some(({ line }) => line === lineOf(place)));
    case "after the findings":
      return places.filter((place) => findings().some(({ line }) => line + 1 === lineOf(place)));
  }
}

function lostIn(tried: Case): readonly string[] {
  const { rule, text, given, findings, position, added } = tried;
  if (exceptions.some(([rules, lines]) => rules.test(rule) && lines.test(added))) return [];
  return placesOf(tried).flatMap((place) => {
    const changed = addAt(text, place, added, given);
    return (changed === undefined ? [] : lostFindings(allRules, findings(), changed)).map(
      ({ line, message }) => `${added} ${position} (${given.kind}) hides line ${line}: ${message}`,
    );
  });
}

const cases = sampleOf(
  allRules.flatMap(({ id }) => listCases(id)),
  199,
);

test("each rule is in the sample, and each exception is about a rule and a line", () => {
  const ids = allRules.map(({ id }) => id);
  expect(ids.filter((id) => !cases.some(({ rule }) => rule === id))).toEqual([]);
  const isUsed = ([rules, lines]: (typeof exceptions)[number]) =>
    ids.some((id) => rules.test(id)) && unrelatedLines.some((line) => lines.test(line));
  expect(exceptions.filter((each) => !isUsed(each))).toEqual([]);
});

describe("an unrelated line does not hide a finding", { timeout: 600_000 }, () => {
  test.each(allRules.map(({ id }) => id))("of %s", (id) => {
    expect(cases.filter(({ rule }) => rule === id).flatMap(lostIn)).toEqual([]);
  });
});
