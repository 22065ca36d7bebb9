import type { Directive } from "../config/model/directive.js";
import { type Refusal, wordingOf } from "../config/refusals/refusal.js";
import { parseRequireLine } from "../server/access/require-rules.js";

/**
 * The Require rules of a section as mod_authz_core builds them while reading: a container with the same operator as its
 * parent is merged into it (modules/aaa/mod_authz_core.c `add_authz_section`).
 */
export interface RequireTreeGroup {
  readonly operator: "and" | "or";
  readonly negated: boolean;
  /** The container; undefined for a section's implicit one. */
  readonly directive: Directive | undefined;
  /** Whether it is the top of a fragment, which may be in any container, so that no rule is known to be ineffective. */
  readonly unknown: boolean;
  readonly members: RequireTreeMember[];
}

type RequireTreeMember = RequireTreeGroup | { readonly negated: boolean };

/** Stands for lines that were not read. */
export const unknownMember = { negated: false } as const;

/** Returns the initial group of a section: its own Require lines are in an implicit RequireAny. */
export function createImplicitGroup(unknown: boolean): RequireTreeGroup {
  return { operator: "or", negated: false, directive: undefined, unknown, members: [] };
}

/** Returns the group that a container opens. */
export function createContainerGroup(directive: Directive): RequireTreeGroup {
  const isAll = directive.key === "<requireall";
  return {
    operator: isAll ? "and" : "or",
    negated: directive.key === "<requirenone",
    directive,
    unknown: false,
    members: [],
  };
}

/** Reports whether a negative rule has no effect in a group. */
function isInertIn(group: RequireTreeGroup): boolean {
  return group.operator === "or" && !group.unknown;
}

function titleOf(group: RequireTreeGroup): string {
  if (group.operator === "and") return "<RequireAll>";
  return group.negated ? "<RequireNone>" : "<RequireAny>";
}

/** Adds a Require line to its group, and returns the server's error about its context. */
export function addRequireLine(group: RequireTreeGroup, directive: Directive): Refusal | undefined {
  const { negated } = parseRequireLine(directive);
  const isInert = negated && isInertIn(group);
  group.members.push({ negated: negated && !isInert });
  if (!isInert) return undefined;
  const not = directive.arguments[0];
  return {
    ...(group.negated
      ? wordingOf("negation-in-require-none")
      : wordingOf("negation-without-effect", titleOf(group), describeInertPlace(group))),
    span: not ? directive.spanOf(not) : directive.span,
  };
}

function describeInertPlace(group: RequireTreeGroup): string {
  if (group.directive === undefined) return "outside of `<RequireAll>`";
  return `in \`${titleOf(group)}\``;
}

/** Closes a container's group and adds it to the outer one, and returns the server's error about its context. */
export function closeRequireGroup(
  outer: RequireTreeGroup,
  group: RequireTreeGroup,
  directive: Directive,
): Refusal | undefined {
  const title = titleOf(group);
  if (group.members.length === 0) {
    outer.members.push({ negated: false });
    return { ...wordingOf("empty-require-container", title), span: directive.span };
  }
  const isInert = group.negated && isInertIn(outer);
  if (!group.negated && group.operator === outer.operator) outer.members.push(...group.members);
  else outer.members.push(isInert ? { negated: false } : group);
  if (!isInert) return undefined;
  return {
    ...wordingOf("require-none-without-effect", title, titleOf(outer), describeInertPlace(outer)),
    span: directive.span,
  };
}

/**
 * Returns the containers with only negative rules, which can never grant access: `authz_core_check_section`, run over
 * the main files after reading, with RequireNone inside RequireAll turned into its negated members.
 */
export function findOnlyNegative(group: RequireTreeGroup): Directive[] {
  const found: Directive[] = [];
  const members: RequireTreeMember[] = [];
  for (const member of group.members) {
    if (!("members" in member)) {
      members.push(member);
      continue;
    }
    found.push(...findOnlyNegative(member));
    if (member.negated && member.operator !== group.operator) members.push(...member.members.map(negate));
    else members.push(member);
  }
  // One finding is enough: the parent of such a container is treated as if the container were fixed.
  const none = members.every((member) => member.negated);
  if (none && group.directive && found.length === 0) found.push(group.directive);
  return found;
}

function negate(member: RequireTreeMember): RequireTreeMember {
  return { ...member, negated: !member.negated };
}

/** Returns the fault for a container that only has negative rules. */
export function describeOnlyNegative(directive: Directive): Refusal {
  return { ...wordingOf("only-negations"), span: directive.span };
}
