import { resolvePath } from "../../config/files/paths.js";
import { type Directive, findSectionAround } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { decidingFactsOf, type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { effectsOfLine, type LineEffects, mayShareFacts } from "../../config/queries/line-effects.js";
import { programTextOf } from "../../config/queries/program-text.js";
import {
  type DirectiveEffects,
  type EffectName,
  effectsOf,
  type Fact,
  isUnknownEffect,
  unprovedReasonsOf,
} from "../../facts/effects.js";
import type { Release } from "../../facts/release.js";
import { isAccessLine } from "../../server/access/lines-of-24.js";
import { isOfOtherModule } from "../../server/access/other-modules.js";
import { argumentValuesOf, firstArgumentOf } from "../../server/model/config-layer.js";
import { addressesAsFirst } from "../../server/model/server.js";
import { documentOf } from "../../server/phases/error-documents.js";
import { linkOptionsOf } from "../../server/sections/options.js";
import { mayRefuseArguments } from "../../startup/directives/accepted-arguments.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { mapPair, type Pair } from "../model/server-pairs.js";
import { createUnprovedPart, type PlainReasonCode, type UnprovedPart } from "../model/unproved-reasons.js";
import {
  changesResponders,
  findOtherProgram,
  hasContentHandler,
  mayPassOnRequests,
  mayReplaceStatus,
} from "../paths/file-contents.js";
import { findBalancerDifference } from "./balancer-differences.js";
import { circumstances, matchesRepeatedSlashes } from "./circumstances.js";
import { mayChangeLookup, testsNameAfterCheck } from "./client-names.js";
import { compareDefaults } from "./defaults-of-22.js";
import { isForwardProxy, mayMatchUrls } from "./forwarded-requests.js";
import { decidesInvalidHeader } from "./invalid-headers.js";
import { findModuleDifferences } from "./module-differences.js";
import { mayRepeatCheck } from "./repeated-checks.js";
import { changesTestedValue, testsByPhase } from "./tested-values.js";
import { findUnreadParts } from "./unread-parts.js";

/**
 * Returns the differences of two configurations that a proof may not pass over. Two sides may differ only in lines whose
 * effect is modelled, or that no answer can depend on by the table of effects. For each reason, it is the first line that
 * one side has and the other does not, in the text as resolved: with variables, paths below ServerRoot, and place.
 */
export function findUnprovedDifferences(before: Project, after: Project): readonly UnprovedPart[] {
  const sides: Pair<Project> = [before, after];
  const deciding = new Set([...decidingFactsOf(before), ...decidingFactsOf(after)]);
  const [ofBefore, ofAfter] = mapPair(sides, (project) => openLinesOf(project, deciding, sides));
  const codes = new Set([...ofAfter.keys(), ...ofBefore.keys()]);
  // A line that one side refuses, and that is left out there, is on both sides.
  const [omittedBefore, omittedAfter] = mapPair(sides, omittedTextsOf);
  const parts = [...codes].flatMap((code) => {
    const lines: Pair<readonly OpenLine[]> = [
      (ofBefore.get(code) ?? []).filter(({ text }) => !omittedAfter.has(text)),
      (ofAfter.get(code) ?? []).filter(({ text }) => !omittedBefore.has(text)),
    ];
    const isOpen = createOpenTest(lines, code);
    const first = firstDifference(lines[1].filter(isOpen), lines[0].filter(isOpen));
    return first ? [createUnprovedPart(code, first.line)] : [];
  });
  return [
    ...parts,
    ...findLostPrograms(sides),
    ...findModuleDifferences(sides),
    ...findBalancerDifference(sides),
    ...sides.flatMap(findUnreadParts),
  ];
}

/** Returns a program that may depend on an option that 2.2 has by default, and 2.4 does not. */
function findLostPrograms([before, after]: Pair<Project>): readonly UnprovedPart[] {
  const lines = compareDefaults(before, after).lost.flatMap(({ findOpenUse }) => findOpenUse?.(before) ?? []);
  return lines.map((line) => createUnprovedPart("effect-on-answer", line));
}

/**
 * Effects that a comparison of two releases does not compare. The modules of the cache have other names in 2.4, so a
 * server of 2.2 has no cache there until they are loaded; the changed lines are listed as not compared. Which arguments
 * 2.2 accepts is not known.
 */
const reasonsInOneRelease: ReadonlySet<PlainReasonCode> = new Set(["cached-answers", "arguments", "repeated-slashes"]);

/** A line that may change an answer in a way that proofs do not analyze. */
interface OpenLine {
  readonly line: Directive;
  /** Its arguments, with paths below ServerRoot. */
  readonly argumentText: string;
  /** Its place, name and arguments. */
  readonly text: string;
  readonly absence: DirectiveEffects["absence"];
}

/** Returns the open lines of a configuration in order, by the reason. */
function openLinesOf(
  project: Project,
  deciding: ReadonlySet<Fact>,
  sides: Pair<Project>,
): ReadonlyMap<PlainReasonCode, OpenLine[]> {
  const found = new Map<PlainReasonCode, OpenLine[]>();
  const hasOtherRoot = hasTwoRoots(sides);
  const releases = new Set(sides.map(({ release }) => release));
  const kept = new Set(compareDefaults(...sides).keptBy);
  const hasNameTest = sides.some(testsNameAfterCheck);
  for (const placed of placedLinesOf(project)) {
    const { line } = placed;
    if (kept.has(line)) continue;
    const inReleases = [...releases].map((release) => effectsIn(release, placed, project));
    const codes = inReleases
      .flatMap((each) => reasonsOf(each, project, deciding))
      .filter((code) => releases.size === 1 || !reasonsInOneRelease.has(code));
    if (hasNameTest && mayChangeLookup(placed)) codes.push("value-in-condition");
    const effects = inReleases.find((each) => each.effects)?.effects?.of;
    if (hasOtherRoot && codes.length === 0 && isBelowRoot(line, effects)) codes.push("relative-file");
    if (codes.length === 0) continue;
    for (const code of new Set(codes)) {
      const ofOption = line.key === "options" ? optionTexts.get(code) : undefined;
      const argumentText = ofOption?.(line) ?? resolvedTextOf(line, effects, project);
      const text = `${placeOf(placed, project, effects)}\n${line.key} ${argumentText}`;
      getOrCreate(found, code, () => []).push({ line, argumentText, text, absence: effects?.absence });
    }
  }
  return found;
}

/** Returns the lines that a comparison leaves out because the server refuses them, each with its place. */
function omittedTextsOf(project: Project): ReadonlySet<string> {
  const lines = project.assumptions.flatMap((each) => (each.code === "refused-lines-omitted" ? [...each.lines] : []));
  const textsOf = (line: Directive) => {
    const placed = { line, siblings: line.parent?.children ?? project.directives, htaccess: undefined };
    const effects = effectsOfLine(line, project.release, placed)?.of;
    const ofOptions = line.key === "options" ? [...optionTexts.values()].map((textOf) => textOf(line)) : [];
    const texts = [resolvedTextOf(line, effects, project), ...ofOptions];
    return texts.map((text) => `${placeOf(placed, project, effects)}\n${line.key} ${text}`);
  };
  return new Set(lines.flatMap(textsOf));
}

/** The part of an Options line that a reason is about; for other reasons, it is the whole line. */
const optionTexts: ReadonlyMap<PlainReasonCode, (line: Directive) => string> = new Map([
  ["variant", (line) => optionIn(line, /^[-+]?multiviews$/i, "MultiViews")],
  ["effect-on-answer", (line) => optionIn(line, /^[-+]?(?:execcgi|all)$/i, "ExecCGI")],
  ["symbolic-links", (line) => linkOptionsOf(argumentValuesOf(line))],
]);

/** Returns how an Options line sets an option: a word without a sign replaces all options (core.c `set_options`). */
function optionIn(line: Directive, isOption: RegExp, name: string): string {
  const words = argumentValuesOf(line);
  const own = words.findLast((word) => isOption.test(word));
  const sign = own === undefined ? "" : own.startsWith("-") ? "-" : "+";
  return `${words.some((word) => !/^[-+]/.test(word)) ? "only " : ""}${sign}${name}`;
}

/**
 * Returns the arguments that count, with a program, and with the path of a file as httpd resolves it (server/config.c
 * `ap_server_root_relative`).
 */
function resolvedTextOf(line: Directive, effects: DirectiveEffects | undefined, project: Project): string {
  const program = programTextOf(line);
  if (program !== undefined) return `${line.argumentText}\n${program}`;
  // Its other arguments do not decide whether a program has its group.
  if (line.key === "wsgidaemonprocess") return firstArgumentOf(line) ?? "";
  // All URLs have one status.
  if (line.key === "errordocument" && documentOf(line)?.kind === "url") return `${firstArgumentOf(line)} URL`;
  const [path, ...rest] = argumentValuesOf(line);
  const isResolved = effects?.namesFile === true && path !== undefined;
  if (isResolved && (path.startsWith("/") || !project.serverRootIsAssumed))
    return [resolvePath(project.serverRoot, path), ...rest].join(" ");
  return isMapBelowRoot(line) && !project.serverRootIsAssumed
    ? `${project.serverRoot}/${line.argumentText}`
    : line.argumentText;
}

/** Returns a line with its effects in a release: a line on both sides does not differ because only one release knows it. */
function effectsIn(release: Release, placed: PlacedLine, project: Project): PlacedLine {
  if (release === project.release) return placed;
  const { line, siblings, htaccess } = placed;
  return { ...placed, effects: effectsOfLine(line, release, { siblings, isInHtaccess: htaccess !== undefined }) };
}

/** Returns why a difference in a line is open: its effect on an answer, or whether httpd starts with it. */
function reasonsOf(placed: PlacedLine, project: Project, deciding: ReadonlySet<Fact>): readonly PlainReasonCode[] {
  const reasons = effectReasonsOf(placed, project, deciding);
  return reasons.length === 0 && mayRefuseArguments(placed.line, project) ? ["arguments"] : reasons;
}

/** Returns why proofs do not analyze the effect of a line on an answer; nothing if they do, or if it does not have one. */
function effectReasonsOf(placed: PlacedLine, project: Project, deciding: ReadonlySet<Fact>): PlainReasonCode[] {
  const { line, effects } = placed;
  if (effects === undefined) return ["directive-not-in-table"];
  const { of, writes } = effects;
  if (of.effect === "third-party-setting" && isOfOtherModule(line)) return ["third-party-conditions"];
  if (changesResponders(line)) return ["effect-on-answer"];
  if (decidesInvalidHeader(placed, project)) return ["invalid-header"];
  if (testsByPhase(line, project)) return ["effect-on-answer"];
  // A provider alias may test it, whose arguments are not read as those of Require.
  if (mayPassOnRequests(project) && setsRenamedVariable(writes, project)) return ["passed-on-request"];
  if (mayRepeatCheck(placed, project)) return ["passed-on-request"];
  if (!mayShareFacts(writes, deciding)) return [];
  const unproved = ownReasonsOf(placed, project, deciding);
  if (isUnknownEffect(of.answer)) return [...unproved];
  const reasons: PlainReasonCode[] = [...unproved];
  for (const [code, facts] of readForUnseenEffects(project)) if (mayShareFacts(writes, facts)) reasons.push(code);
  if (isForwardProxy(project) && mayApplyToForwarded(line, project)) reasons.push("forward-proxy");
  if (isOfSentPath(placed) || isForwardedAsSent(line, project) || mayFollowEarlyProxy(placed, project))
    reasons.push("path-as-sent");
  if (matchesRepeatedSlashes(placed, project)) reasons.push("repeated-slashes");
  if (isUsedByCache(writes, project)) reasons.push("cached-answers");
  if (mayChangeDocument(effects, project)) reasons.push("error-document");
  if (line.key === "options" && findOtherProgram(project)) reasons.push("effect-on-answer");
  if (changesTestedValue(placed, project)) reasons.push("value-in-condition");
  if (hasContentHandler(project) && mapsFiles(of, writes)) reasons.push("file-of-handler");
  if (mayPassOnRequests(project) && mayChangePassedOn(line, effects, project, deciding))
    reasons.push("passed-on-request");
  return reasons;
}

/**
 * Reports whether a line decides what a request has that a handler passes on to another URL of the server: headers that
 * `RequestHeader` has changed, and variables, whose names then begin with `REDIRECT_` (modules/http/http_request.c
 * `internal_internal_redirect`). Proofs analyze the other URL for requests that clients send.
 */
function mayChangePassedOn(
  line: Directive,
  effects: LineEffects,
  project: Project,
  deciding: ReadonlySet<Fact>,
): boolean {
  const isInTest = findSectionAround(
    line,
    ({ key, argumentText }) => /^<(?:if|else)/.test(key) && /redirect_/i.test(argumentText),
  );
  if (isInTest !== undefined || isTestedAfterRedirect(effects, project)) return true;
  // Which lines set a variable depends on others, such as an earlier rule with `[L]` or AllowOverride.
  if (renamedVariablesOf(project).size > 0 && !isAccessLine(line) && !keptByMigration.has(line.key)) return true;
  const set = [...effects.writes].filter((fact) => /^(?:header|variable):/.test(fact));
  return mayShareFacts(new Set(set), deciding);
}

/** Lines that a migration adds; they set no variables. */
const keptByMigration: ReadonlySet<string> = new Set(["directorycheckhandler", "options"]);

/** Returns the variables that lines name as an internal redirect renames them, without the prefix; not the status. */
const renamedVariablesOf = memoize(
  (project: Project): ReadonlySet<string> =>
    new Set(
      [...iterateDirectives(project)].flatMap(({ argumentText }) =>
        [...argumentText.toLowerCase().matchAll(/redirect_([\w-]+)/g)].flatMap(([, name = ""]) =>
          name === "status" ? [] : [name.replace(/^(?:redirect_)+/, "")],
        ),
      ),
    ),
);

function setsRenamedVariable(writes: ReadonlySet<Fact>, project: Project): boolean {
  return [...renamedVariablesOf(project)].some((name) => writes.has(`variable:${name}`));
}

/** Returns why proofs do not analyze what a line itself does. */
function ownReasonsOf(placed: PlacedLine, project: Project, deciding: ReadonlySet<Fact>): readonly PlainReasonCode[] {
  const of = placed.effects?.of;
  if (of === undefined) return [];
  const unproved = unprovedReasonsOf(of, (circumstance) => circumstances[circumstance](placed, project, deciding));
  return unproved.length === 0 && isUnknownEffect(of.answer) ? ["effect-on-answer"] : unproved;
}

/** Effects that the answers of the simulator do not show, so that a comparison of answers cannot find them. */
const unseenEffects: ReadonlySet<PlainReasonCode> = new Set(["body-filter", "protocol-header"]);

/**
 * Returns the variables, headers and types that lines with unseen effects read, by the reason: such a line acts on other
 * requests if one of these changes.
 */
const readForUnseenEffects = memoize((project: Project): ReadonlyMap<PlainReasonCode, ReadonlySet<Fact>> => {
  const deciding = decidingFactsOf(project);
  const found = new Map<PlainReasonCode, Set<Fact>>();
  for (const placed of placedLinesOf(project)) {
    const { effects } = placed;
    if (effects === undefined || !mayShareFacts(effects.writes, deciding)) continue;
    const read = [...effects.reads].filter((fact) => /^(?:variable:|header:|media-type$|response-headers$)/.test(fact));
    if (read.length === 0) continue;
    for (const code of ownReasonsOf(placed, project, deciding).filter((each) => unseenEffects.has(each)))
      for (const fact of read) getOrCreate(found, code, () => new Set()).add(fact);
  }
  return found;
});

/**
 * Returns a predicate for lines that are open even if all lines of their name on both sides are alike. Which users a file has is not
 * analyzed; if there is only one file, it is visible whether it applies. This does not hold for the reasons that a line has whatever
 * other lines say.
 */
function createOpenTest(sides: Pair<readonly OpenLine[]>, code: PlainReasonCode): (open: OpenLine) => boolean {
  if (code === "invalid-header" || code === "effect-on-answer") return () => true;
  const texts = new Map<string, Set<string>>();
  for (const { line, argumentText } of sides.flat())
    getOrCreate(texts, line.key, () => new Set()).add(argumentText.trim().toLowerCase());
  return ({ line: { key }, absence }) => {
    const known = texts.get(key) ?? new Set();
    if (known.size > 1) return true;
    // If a login fails without such a line, it is visible whether it applies.
    return absence === "reads-files" ? !known.has("file") : absence !== "logins-fail";
  };
}

/** Returns the first difference: the order counts, because either the last line or all in turn may apply. */
function firstDifference(some: readonly OpenLine[], others: readonly OpenLine[]): OpenLine | undefined {
  const at = some.findIndex(({ text }, place) => text !== others[place]?.text);
  return at >= 0 ? some[at] : others[some.length];
}

/**
 * What httpd reads before it selects the virtual host by name: that of the first host of the address counts (server/protocol.c
 * `ap_read_request`).
 */
const effectsBeforeName: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["request-size", "protocol-options", "protocol", "host-name"] as const),
]);

/**
 * Returns the sections around a line, and the names of the virtual host, because many share one address. If the line counts only
 * in the first one of an address, the addresses are added of which its host is that.
 */
function placeOf(
  { line, siblings, htaccess }: Omit<PlacedLine, "effects">,
  project: Project,
  effects: DirectiveEffects | undefined,
): string {
  const file = project.htaccess.find(({ directory }) => directory === htaccess);
  const places: string[] = [];
  for (let section = line.parent, inner: readonly Directive[] = siblings; section; section = section.parent) {
    const names = section.key === "<virtualhost" ? inner.filter(({ key }) => /^server(?:name|alias)$/.test(key)) : [];
    places.push([section, ...names].map(({ key, argumentText }) => `${key} ${argumentText}`).join(" "));
    if (section.key === "<virtualhost" && effects && effectsBeforeName.has(effects.effect))
      places.push(`first of ${addressesAsFirst(section, project).join(", ")}`);
    // An else belongs to the conditions before it.
    inner = section.parent?.children ?? (file ?? project).directives;
    if (/^<else/.test(section.key))
      for (const other of inner.slice(0, inner.indexOf(section)))
        if (/^<(?:if|elseif)$/.test(other.key)) places.push(other.argumentText);
  }
  if (htaccess === undefined) return places.join("\n");
  // The two configurations may be copies in two folders.
  return [
    htaccess.startsWith(`${project.serverRoot}/`) ? htaccess.slice(project.serverRoot.length) : htaccess,
    ...places,
  ].join("\n");
}

/** Reports whether a line reads a file by a path below ServerRoot, on which an answer may depend. */
function isBelowRoot(line: Directive, effects: DirectiveEffects | undefined): boolean {
  if (effects?.namesFile !== true) return isMapBelowRoot(line);
  return !(firstArgumentOf(line) ?? "/").startsWith("/");
}

function isMapBelowRoot(line: Directive): boolean {
  return line.key === "rewritemap" && /^(?:txt|rnd|prg|dbm(?:=\w+)?):[^/]/i.test(argumentValuesOf(line)[1] ?? "");
}

/** Reports whether both sides name a ServerRoot, and not the same. */
function hasTwoRoots([before, after]: Pair<Project>): boolean {
  const isNamed = !before.serverRootIsAssumed && !after.serverRootIsAssumed;
  return isNamed && before.serverRoot !== after.serverRoot;
}

/**
 * Reports whether a line changes what conditions find after the redirect to an error document, which may replace the status:
 * it tests the variables of such a redirect itself, or sets what another line may test beside them.
 */
function mayChangeDocument(effects: LineEffects, project: Project): boolean {
  return hasReplacingDocument(project) && isTestedAfterRedirect(effects, project);
}

/** Reports whether a line tests the variables of an internal redirect, or sets what such a line tests. */
function isTestedAfterRedirect({ reads, writes }: LineEffects, project: Project): boolean {
  const isTest = [...reads].some((fact) => fact.startsWith(REDIRECTED));
  return isTest || mayShareFacts(writes, testedAfterRedirect(project));
}

const REDIRECTED = "variable:redirect_";

/** Returns what the lines read that test the variables of an internal redirect. */
const testedAfterRedirect = memoize(
  (project: Project): ReadonlySet<Fact> =>
    new Set(
      placedLinesOf(project).flatMap(({ effects }) => {
        const read = [...(effects?.reads ?? [])].filter((fact) => fact !== "path");
        return read.some((fact) => fact.startsWith(REDIRECTED)) ? read : [];
      }),
    ),
);

const hasReplacingDocument = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => mayReplaceStatus(line, project)),
);

/** Reports whether a line decides which answers a cache keeps, and sends again without an access check. */
function isUsedByCache(writes: ReadonlySet<Fact>, project: Project): boolean {
  return (writes.has("response-headers") || writes.has("variable:no-cache")) && hasCache(project);
}

const hasCache = memoize((project: Project) => placedLinesOf(project).some(({ line }) => line.key === "cacheenable"));

/** Reports whether a line decides which file a URL leads to. */
function mapsFiles({ answer }: DirectiveEffects, writes: ReadonlySet<Fact>): boolean {
  return answer === "modelled" && writes.has("file") && writes.has("path");
}

/** Effects that requests to other servers meet in the server context. */
const forwardedEffects: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["forward-proxy", "backend-section", "condition"] as const),
  ...(["variable", "variables-by-attribute", "variables-by-browser", "variables-by-expression"] as const),
  ...(["rewrite-engine", "rewrite-setting", "rewrite-map", "rewrite-condition", "rewrite-rule"] as const),
]);

/** Lines apply to requests to other servers in a section that may match a whole URL, and in the server context. */
function mayApplyToForwarded(line: Directive, { release }: Project): boolean {
  for (let each = line; ; ) {
    const { parent } = each;
    if (parent !== undefined && parent.key !== "<virtualhost") {
      each = parent;
      continue;
    }
    const { effect } = effectsOf(each.key, release) ?? {};
    return effect === "path-section" ? mayMatchUrls(each) : effect !== undefined && forwardedEffects.has(effect);
  }
}

/** Effects of lines that run before the path is decoded. */
const earlySetters: ReadonlySet<EffectName> = new Set<EffectName>([
  ...(["variables-by-attribute", "variables-by-expression"] as const),
]);

/** Directives in the server context read the path as it is sent. */
function isOfSentPath({ line, effects }: PlacedLine): boolean {
  const { parent } = line;
  const isAtServer = parent === undefined || parent.key === "<virtualhost";
  const isSetter = effects !== undefined && earlySetters.has(effects.of.effect);
  return isAtServer && isSetter && effects.reads.has("path");
}

/**
 * Reports whether a line maps paths beside a ProxyPass that maps them as sent, before all other lines (mod_proxy.c
 * `proxy_pre_translate_name`), or is such a ProxyPass.
 */
function mayFollowEarlyProxy({ effects }: PlacedLine, project: Project): boolean {
  if (effects === undefined || !hasEarlyProxy(project)) return false;
  return (
    mapsFiles(effects.of, effects.writes) || effects.of.effect === "redirect" || effects.of.effect === "proxy-mapping"
  );
}

const hasEarlyProxy = memoize((project: Project) =>
  placedLinesOf(project).some(({ line }) => line.key.startsWith("proxypass") && /\bmapping=/i.test(line.argumentText)),
);

/** Reports whether a backend gets the path as sent, which sections for backends then match (mod_proxy.c `proxy_trans`). */
function isForwardedAsSent(line: Directive, project: Project): boolean {
  if (!line.key.startsWith("proxypass") || !/\bnocanon\b/i.test(line.argumentText)) return false;
  return placedLinesOf(project).some(({ effects }) => effects?.of.effect === "backend-section");
}
