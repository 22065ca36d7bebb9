import {
  type IneffectiveList,
  ineffectiveLists,
  isCompatDirective,
  isRequireContainer,
  parseRequireLine,
  requiresUser,
  type ShadowedLine,
} from "../../src/lint/api/access.js";
import { type Directive, findLimitAround, lineKeyOf, type Scope } from "../../src/lint/api/configuration.js";
import { getOrCreate } from "../../src/lint/api/rule.js";

/** Why lines have no effect. The lines that decide may be the opposite of what the others state. */
export type CauseKind =
  /** `Allow` or `Deny` lines that the Order makes ineffective. */
  | IneffectiveList["kind"]
  /** `Allow` lines beside `Allow from all`. */
  | "everybody"
  /** `Allow from all` and `Deny from all`. */
  | "opposite"
  /** `Deny` lines for clients that no `Allow` names, under `Order allow,deny`; the same for `Require not`. */
  | "denied already"
  /** Require lines in RequireAll beside `Require all denied`. */
  | "require nobody"
  /** Require lines in RequireAny beside `Require all granted`. */
  | "require everybody"
  /** Users or groups beside `Require valid-user`. */
  | "any user"
  /** A line that is there twice. */
  | "repeated"
  /** Anything else, such as an address of a network that another line names. */
  | "included";

/** A line without effect in its section. */
export interface ShadowedFinding extends ShadowedLine {
  readonly scope: Scope;
  /** All redundant lines of the section. */
  readonly removed: ReadonlySet<Directive>;
}

/** Lines of a section without effect for the same reason, in order. */
export interface ShadowCause extends Pick<ShadowedFinding, "scope" | "by" | "removed"> {
  readonly kind: CauseKind;
  readonly first: Directive;
  readonly lines: readonly Directive[];
}

/** Causes whose lines contradict those that decide: until one of them is changed, no other line can be judged. */
const contradictions: ReadonlySet<CauseKind> = new Set([
  ...(["nobody", "everybody", "unbanned", "opposite", "unrestricted", "all denied"] as const),
  ...(["require nobody", "require everybody", "any user"] as const),
]);

/** Reports whether the lines of a cause contradict those that decide. */
export function isContradiction({ kind }: ShadowCause): boolean {
  return contradictions.has(kind);
}

const opening: ReadonlySet<CauseKind> = new Set([
  "everybody",
  "unbanned",
  "unrestricted",
  "require everybody",
  "any user",
]);

/** Reports whether the lines that decide allow clients that those without effect were written to exclude. */
export function mayAllow({ kind, first }: ShadowCause): boolean {
  return opening.has(kind) || (kind === "opposite" && first.key === "deny");
}

/** Groups the lines of a section by their cause. @param found in section order */
export function groupByCause(found: readonly ShadowedFinding[]): readonly ShadowCause[] {
  const groups = new Map<string, ShadowCause & { readonly lines: Directive[] }>();
  for (const { directive, by: deciding, scope, removed } of found.flatMap(openContainer)) {
    const by = findWiderLine(directive, deciding, scope) ?? deciding;
    const kind = kindOf(directive, by, scope);
    // A repeated line is not the fault of the other ones.
    const key = [kind, directive.key, containerOf(directive), ...by.map(lineKeyOf)].join("\n");
    getOrCreate(groups, key, () => ({ kind, by, scope, removed, first: directive, lines: [] })).lines.push(directive);
  }
  return [...groups.values()].map((group) => {
    if (group.kind !== "unrestricted" && group.kind !== "all denied") return group;
    // The last line of a section is not redundant by itself, but has no effect for the same reason.
    const lines = group.scope.directives.filter(({ key }) => key === group.first.key);
    return { ...group, first: lines[0] ?? group.first, lines };
  });
}

/** Returns the lines of a RequireAll that denies every client, in place of the container: they are what has no effect. */
function openContainer(found: ShadowedFinding): readonly ShadowedFinding[] {
  const { directive } = found;
  const lines = directive.key === "<requireall" ? (directive.children ?? []) : [];
  const denial = lines.find((line) => isFixedRequire(line, "denied"));
  const others = lines.filter((line) => line !== denial);
  if (denial === undefined || others.length === 0) return [found];
  return others.map((line) => ({ ...found, directive: line, by: [denial] }));
}

/** Returns an `Allow from all` beside an Allow that the Order makes ineffective anyway; the same for Deny. */
function findWiderLine(
  line: Directive,
  by: readonly Directive[],
  { directives }: Scope,
): readonly Directive[] | undefined {
  if (line.key !== "allow" && line.key !== "deny") return undefined;
  const wider = directives.find((each) => each.key === line.key && each !== line && namesAll(each));
  return wider && by.every((each) => each.key === "order") ? [wider] : undefined;
}

function containerOf({ parent, key }: Directive): string {
  return parent !== undefined && key === "require" ? lineKeyOf(parent) : "";
}

function kindOf(line: Directive, by: readonly Directive[], scope: Scope): CauseKind {
  if (by.some((each) => each.key === line.key && textOf(each) === textOf(line))) return "repeated";
  return isCompatDirective(line) ? compatKindOf(line, by, scope) : requireKindOf(line, by);
}

function compatKindOf(line: Directive, by: readonly Directive[], scope: Scope): CauseKind {
  const { key } = line;
  if (key !== "allow" && key !== "deny") return "included";
  const opposite = key === "allow" ? "deny" : "allow";
  if (by.every((each) => each.key === "order")) {
    if (!scope.directives.some((each) => each.key === opposite)) return ineffectiveKindOf(key, "default");
    return key === "deny" ? "denied already" : "included";
  }
  const isByAll = by.every(namesAll);
  if (isByAll && by.every((each) => each.key === opposite))
    return namesAll(line) ? "opposite" : ineffectiveKindOf(key, "all");
  return isByAll && key === "allow" && by.every((each) => each.key === "allow") ? "everybody" : "included";
}

function ineffectiveKindOf(list: "allow" | "deny", decidedBy: IneffectiveList["decidedBy"]): CauseKind {
  return ineffectiveLists.find((each) => each.list === list && each.decidedBy === decidedBy)?.kind ?? "included";
}

function requireKindOf(line: Directive, by: readonly Directive[]): CauseKind {
  const isAll = (word: string) => (each: Directive) => isFixedRequire(each, word);
  const isNegated = (each: Directive) => !isRequireContainer(each) && parseRequireLine(each).negated;
  if (isNegated(line)) return by.some(isNegated) ? "included" : "denied already";
  if (by.length === 0 || isFixedRequire(line, "granted") || isFixedRequire(line, "denied")) return "included";
  const isInAll = (each: Directive) => each.parent?.key === "<requireall";
  if (by.every((each) => isAll("denied")(each) && isInAll(each))) return "require nobody";
  if (by.every((each) => isAll("granted")(each) && !isInAll(each))) return "require everybody";
  const isUserLine = !isRequireContainer(line) && requiresUser(parseRequireLine(line).provider);
  const isAnyUser = by.every((each) => !isRequireContainer(each) && /^valid-user\s*$/i.test(each.argumentText));
  return isUserLine && isAnyUser && !isInAll(line) ? "any user" : "included";
}

/** Returns whether a line is `Require all granted` or `Require all denied`. */
export function isFixedRequire({ key, argumentText }: Directive, word: string): boolean {
  return key === "require" && new RegExp(`^all\\s+${word}\\s*$`, "i").test(argumentText);
}

/** Returns whether an Allow or Deny line matches every client. */
export function namesAll({ key, argumentText }: Directive): boolean {
  return (key === "allow" || key === "deny") && /^from\s+all$/i.test(argumentText.trim());
}

/** Returns whether a section applies to every method, and Order, Allow and Deny are not only one of two conditions. */
export function decidesForAll({ directives }: Scope): boolean {
  return !directives.some(
    (line) => findLimitAround(line) !== undefined || (line.key === "satisfy" && /^any\s*$/i.test(line.argumentText)),
  );
}

function textOf({ argumentText }: Directive): string {
  return argumentText.trim().replace(/\s+/g, " ");
}
