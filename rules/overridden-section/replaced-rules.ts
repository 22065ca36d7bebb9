import {
  type AccessAnswer,
  findWitness,
  type Inspector,
  mergeLast,
  ownEffectiveRulesOf,
  type ProbeContext,
  requireLinesOf,
  sourceLayersOf,
} from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, iterateDescendants, type Scope } from "../../src/lint/api/configuration.js";
import { isWithin } from "../../src/lint/api/rule.js";

/** Access rules of files that those of a URL path replace. */
export interface ReplacedRules {
  /** The first line that does not apply. */
  readonly line: Directive;
  /** The Location section. */
  readonly later: Directive;
  /** A request that the Location section answers, and the file's own rules would answer otherwise. */
  readonly answer: AccessAnswer;
}

type Rules = Pick<ProbeContext, "compat" | "require">;

/**
 * Finds a Location section that replaces the access rules of a Directory or Files section or of a `.htaccess` file, and
 * changes an answer by mistake: httpd merges Location sections last (server/request.c `ap_process_request_internal`).
 *
 * @returns undefined for a section that was written for the same requests elsewhere: it may be an intended exception
 */
export function findReplacedRules(situation: ProbeContext, inspector: Inspector): ReplacedRules | undefined {
  const { scope, request } = situation;
  const own = ownEffectiveRulesOf(situation);
  const [line, ...others] = linesOf(own);
  const later = replacingSection(situation, own);
  // The root is denied by default, so that each part of a server can be opened on purpose.
  if (line === undefined || later === undefined || scope.section?.arguments[0]?.value === "/") return undefined;
  const isBeside = isWrittenBeside(scope, later);
  if (!isBeside && !coversMore(later, request.path, scope)) return undefined;
  const lines = [line, ...others, ...linesOf(situation)];
  const find = (isWanted: (isAllowed: boolean, answer: AccessAnswer) => boolean) =>
    findWitness(inspector, situation, lines, (answer) => {
      const unreplaced = inspector.probe(situation, answer.request, mergeLast(situation));
      const [is, was] = [answer, unreplaced].map((each) => each?.class === "allowed");
      return unreplaced !== undefined && is !== was && isWanted(is === true, answer);
    });
  const answer =
    find((isAllowed, { request: { user } }) => isAllowed && (isBeside || user === undefined)) ??
    (isBeside && deniesAll(situation) && !hasExceptions(later, situation)
      ? find((isAllowed) => !isAllowed)
      : undefined);
  return answer && { line, later, answer };
}

function linesOf({ compat, require }: Rules): readonly Directive[] {
  return [...(compat?.rules.directives ?? []), ...(require ? requireLinesOf(require) : [])];
}

/** Returns the Location section whose rules replace all rules of the scope; undefined if it is another one, or none does. */
function replacingSection({ compat, require, state, layer }: ProbeContext, own: Rules): Directive | undefined {
  const deciding = [
    ...(own.compat && compat ? [compat.layer] : []),
    ...(own.require && require ? sourceLayersOf(require) : []),
  ];
  const [first] = deciding;
  const isLater = deciding.every((each) => state.layers.indexOf(each) > state.layers.indexOf(layer));
  const section = isLater ? first?.section : undefined;
  return section?.key === "<location" && deciding.every((each) => each === first) ? section : undefined;
}

/** Reports whether two sections are next to each other: in one file, and in the same virtual host or outside of any. */
function isWrittenBeside({ section, parent }: Scope, { span, parent: around }: Directive): boolean {
  return section?.span.file === span.file && parent?.section === around;
}

/** Reports whether a Location section applies to more than the directory of a URL path, or than the file of a Files section. */
function coversMore({ arguments: [location] }: Directive, path: string, { place }: Scope): boolean {
  const own = place === "files" ? path : path.slice(0, path.lastIndexOf("/"));
  return location !== undefined && own !== location.value && isWithin(own, location.value);
}

/** Reports whether the rules deny every client. */
function deniesAll(rules: Rules): boolean {
  const lines = linesOf(rules);
  return (
    lines.every(({ key, argumentText }) => key === "order" || /^(?:all denied|from all)$/i.test(argumentText)) &&
    lines.every(({ key }) => key !== "allow")
  );
}

/** Reports whether another Location section has access rules: then one that denies every client is a default. */
function hasExceptions(section: Directive, { state: { project } }: ProbeContext): boolean {
  const index = indexDirectives(project);
  const others = ["<location", "<locationmatch"]
    .flatMap((name) => index.named(name))
    .filter((each) => each !== section);
  return others.some((other) =>
    [...iterateDescendants(other.children ?? [])].some(({ key }) => key === "require" || key === "allow"),
  );
}
