import {
  compatDirectiveNames,
  findContradictions,
  findShadowedLines,
  listSkippedLines,
  ShadowFinder,
  type UnmetContainer,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  isInSection,
  isSince,
  type Project,
  type Scope,
  walkProject,
} from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Fix,
  getOrCreate,
  type MessageText,
  removeLines,
} from "../../src/lint/api/rule.js";
import {
  decidesForAll,
  groupByCause,
  isContradiction,
  mayAllow,
  namesAll,
  type ShadowCause,
  type ShadowedFinding,
} from "./causes.js";
import {
  allowListed,
  denyListed,
  describeNamedClients,
  namesDenied,
  requireListed,
  withoutDenial,
} from "./intended.js";
import { fixTitles, labels, messages } from "./messages.js";

export const shadowedRule = defineRule({
  id: "shadowed-rule",
  title: "Access rule without effect",
  group: "access",
  severity: "warning",
  description: "An access control line without which its section makes the same decision for every request.",
  help: "Other lines of the section decide every request that this one matches. Under `Order allow,deny`, a Deny overrides an Allow. In RequireAny, one Require that grants access is sufficient; in RequireAll, one that denies it is. One network may contain another. This is proved for every client, user, method and variable. Delete the line, or correct the line that is wrong.",
  tags: ["access-control", "correctness"],
  editorTag: "unnecessary",
  messages,
  check: ({ project, report }) => {
    const finder = new ShadowFinder();
    const shadowedLines: ShadowedFinding[] = [];
    const contradictions = new Map<string, UnmetContainer>();
    return {
      scope: {
        holding: [...compatDirectiveNames, "require"],
        visit(scope) {
          if (elsewhere.has(scope.place)) return;
          for (const each of findContradictions(scope, project, finder))
            contradictions.set(placeOf(each.container), each);
          const lines = findShadowedLines(scope, project, finder);
          if (lines.length === 0) return;
          const removed = new Set(lines.map(({ directive }) => directive));
          for (const line of lines) shadowedLines.push({ ...line, scope, removed });
        },
        passesAlikeHosts: true,
        pending: () => shadowedLines.length + contradictions.size,
      },
      end() {
        for (const { container, members } of contradictions.values())
          report({
            message: messages.contradiction(container, members),
            span: container.span,
            related: members.map(({ span }) => ({ message: labels.contradicts, span })),
          });
        const isCertain = isEverywhere(shadowedLines, project);
        const skipped = shadowedLines.some(({ scope }) => scope.inHtaccess) ? listSkippedLines(project) : [];
        const reported = new Set<string>();
        const found = new Map<Scope, ShadowedFinding[]>();
        for (const line of shadowedLines) {
          const { directive, scope } = line;
          // If a file is read several times, one finding covers all.
          if (isIdiom(line) || reported.has(placeOf(directive))) continue;
          // If a container allows no client, neither it nor its lines can be judged.
          const isIn = ({ container }: UnmetContainer) => directive === container || isInSection(directive, container);
          if ([...contradictions.values()].some(isIn)) continue;
          reported.add(placeOf(directive));
          if (!isCertain(directive) || scope.directives.some((each) => skipped.some((file) => file.has(each))))
            continue;
          getOrCreate(found, scope, () => []).push(line);
        }
        for (const lines of found.values())
          for (const [cause, isAlone] of judge(groupByCause(lines))) {
            const fix = isAlone ? fixOf(cause) : undefined;
            report({
              message: messageOf(cause, project.release),
              span: cause.first.span,
              related: [
                ...cause.by.map(({ span }) => ({ message: labels.decides, span })),
                ...cause.lines.slice(1).map(({ span }) => ({ message: labels.alike, span })),
              ],
              ...(fix ? { fix } : {}),
              ...(mayAllow(cause) ? { mayAllow: true } : {}),
            });
          }
      },
    };
  },
});

/** Access control is rejected there, or the context is unknown. */
const elsewhere: ReadonlySet<string> = new Set(["unknown", "server", "virtualhost"]);

function messageOf(cause: ShadowCause, release: Project["release"]): MessageText {
  const { kind, scope, by } = cause;
  const named = (list: "allow" | "deny" | "both") =>
    !isSince(release, "2.4") ? undefined : describeNamedClients(scope, list);
  switch (kind) {
    case "nobody":
      return messages.nobody(cause, decidesForAll(scope), named("both"), !namesDenied(scope));
    case "everybody":
      return messages.everybody(cause, named("both"));
    case "unbanned":
      return messages.unbanned(cause, named("deny"));
    case "opposite":
      return messages.opposite(cause);
    case "unrestricted":
      return messages.unrestricted(cause, by[0], named("allow"));
    case "all denied":
      return by[0] ? messages.allDenied(cause, by[0]) : messages.withoutEffect(cause);
    case "denied already":
      return messages.deniedAlready(cause);
    case "require nobody":
      return messages.requireNobody(cause, isOnlyContainer(cause), requireListed(cause));
    case "require everybody":
      return messages.requireEverybody(cause);
    case "any user":
      return messages.anyUser(cause);
    case "repeated":
      return messages.repeated(cause);
    case "included":
      return by.length === 0 ? messages.withoutEffect(cause) : messages.included(cause);
  }
}

/** Returns whether all Require directives of a section are in the container of the line that decides. */
function isOnlyContainer({ by: [line], scope }: ShadowCause): boolean {
  const container = line?.parent;
  const isInside = (each: Directive) => each === container || each.parent === container;
  return (
    decidesForAll(scope) && scope.directives.every((each) => !/^(?:require|<require)/.test(each.key) || isInside(each))
  );
}

/** Returns whether a line is the `Allow from all` of `Order deny,allow`, a common way to allow every client. */
function isIdiom({ directive, by }: ShadowedFinding): boolean {
  const isByOrder = by.length === 0 || by.some(({ key }) => key === "order");
  return isByOrder && directive.key === "allow" && namesAll(directive) && by.every(({ key }) => key !== "deny");
}

function placeOf({ span: { file, start } }: Directive): string {
  return `${file.realPath}:${start}`;
}

/** Returns whether a line is redundant each time that it is read: a file may be included in two sections. */
function isEverywhere(shadowedLines: readonly ShadowedFinding[], project: Project): (directive: Directive) => boolean {
  const included = shadowedLines.filter(({ directive }) => directive.reading.includedFrom !== undefined);
  const left = new Map(included.map(({ directive }) => [placeOf(directive), 0]));
  const count = (directive: Directive, by: 1 | -1) => {
    const place = placeOf(directive);
    const before = left.get(place);
    if (before !== undefined) left.set(place, before + by);
  };
  if (left.size > 0) {
    const names = [...compatDirectiveNames, "require", "<requireall", "<requireany", "<requirenone"];
    const visit = (directive: Directive) => count(directive, 1);
    walkProject(project, [{ directives: Object.fromEntries(names.map((name) => [name, visit])) }], () => 0);
    for (const { directive } of included) count(directive, -1);
  }
  return (directive) => !("macro" in directive.span.file) && (left.get(placeOf(directive)) ?? 0) === 0;
}

/** Constructs that can make a section different on another server: the line may matter there. */
const conditional = /^[\t ]*(?:<if(?:module|define|version|file|directive|section)\b|include|use[\t ])|\$\{/im;

/** Returns the causes, and whether each can be fixed: a contradiction of the section comes first. */
function judge(causes: readonly ShadowCause[]): readonly (readonly [cause: ShadowCause, isAlone: boolean])[] {
  const contradiction = causes.find(isContradiction);
  return causes.map((cause) => [cause, contradiction === undefined || cause === contradiction]);
}

/** Returns a fix that makes the lines effective, or deletes them; undefined if only the author knows what is intended. */
function fixOf(cause: ShadowCause): Fix | undefined {
  const { kind, first, by, scope } = cause;
  if (conditional.test(textOf(scope, first.span.file.text))) return undefined;
  const order = scope.directives.find(({ key }) => key === "order");
  switch (kind) {
    case "nobody": {
      const remedy = allowListed(cause);
      const title =
        remedy?.kind === "delete" || !order ? fixTitles.denial(by) : fixTitles.setOrder(order, "deny,allow");
      return remedy && { title, safety: "unsafe", edits: remedy.edits };
    }
    case "unbanned": {
      const remedy = denyListed(cause);
      const title = order ? fixTitles.setOrder(order, "allow,deny") : fixTitles.addOrder("allow,deny");
      return remedy && { title, safety: "unsafe", edits: remedy.edits };
    }
    case "require nobody": {
      const remedy = withoutDenial(cause);
      const title = remedy?.kind === "any" ? fixTitles.any : fixTitles.denial(by);
      return remedy && { title, safety: "unsafe", edits: remedy.edits };
    }
    case "repeated":
    case "included":
      return removalOf(cause);
    default:
      return undefined;
  }
}

/**
 * Returns a fix that deletes the lines; undefined if one is not on a line of its own, or if that leaves an empty
 * container. The engine declares it unsafe if a name is then gone.
 */
function removalOf({ lines, scope, removed }: ShadowCause): Fix | undefined {
  const isOnlyContent = ({ parent }: Directive) =>
    parent !== scope.section && (parent?.children ?? []).every((each) => removed.has(each));
  if (lines.some((line) => line.children !== undefined || isOnlyContent(line))) return undefined;
  const edits = combineEdits(lines.map(({ span }) => removeLines(span)));
  return edits && { title: fixTitles.delete(lines.length), safety: "safe", edits };
}

/** Returns the text from the opening of a section to its end; for a `.htaccess` file, all of it. */
function textOf({ section, content }: Scope, text: string): string {
  if (section === undefined) return text;
  const last = content.at(-1)?.span.end ?? section.span.end;
  const end = text.indexOf("</", last);
  return text.slice(section.span.end, end < 0 ? text.length : end);
}
