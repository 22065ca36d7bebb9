import { type Directive, findDirectiveFacts, iterateDirectives, type Scope } from "../../src/lint/api/configuration.js";
import { createFix, insertLinesAfter } from "../../src/lint/api/rule.js";
import { argumentAt, type Behaviour, type BehaviourContext, createSharedReport } from "./behaviour.js";
import { behaviourFixTitles, behaviourLabels, behaviourMessages, oldBehaviour } from "./messages.js";

/** Pages with `<!--#if expr="…" -->`. */
const expressions: Behaviour = {
  names: [
    "addoutputfilter",
    "setoutputfilter",
    "addoutputfilterbytype",
    "addhandler",
    "sethandler",
    "addtype",
    "xbithack",
  ],
  takesServer: true,
  check(line, scope, surroundings) {
    if (!readsPages(line) || isOfUnusedPages(line, surroundings) || !mayInclude(scope, surroundings)) return undefined;
    if (surroundings.find(scope, ({ key }) => key === "ssilegacyexprparser")) return undefined;
    const legacy = oldBehaviour.ssiExpressions;
    const inSection = scope.section !== undefined && scope.place !== "virtualhost";
    const lines = inSection ? [legacy] : ['<Location "/">', `    ${legacy}`, "</Location>"];
    const fix = scope.inHtaccess || line.parent !== scope.section ? undefined : insertLinesAfter(line.span, lines);
    return {
      ...createSharedReport("ssi", behaviourMessages.ssiExpressions(line)),
      ...createFix(behaviourFixTitles.keepExpressions, "unsafe", fix),
    };
  },
};

function readsPages(line: Directive): boolean {
  const { key, argumentText } = line;
  if (key === "xbithack") return /^(?:on|full)$/i.test(argumentAt(line));
  if (key === "addhandler" || key === "sethandler") return argumentAt(line).toLowerCase() === "server-parsed";
  if (key === "addtype") return /^"?text\/x-server-parsed-html3?\b/i.test(argumentText);
  return /(?:^|;)includes(?:;|$)/i.test(argumentAt(line));
}

/** Returns whether Options enables SSI for any directory; without it, pages are sent unprocessed. */
function mayInclude(scope: Scope, surroundings: BehaviourContext): boolean {
  const isOn = (line: Directive) =>
    line.key === "options" &&
    /(?<![-\w])(?:includes(?:noexec)?|all)\b/i.test(line.argumentText) &&
    !isOfUnusedPages(line, surroundings);
  const inFiles = surroundings.project.htaccess.some((file) => file.directives.some(isOn));
  return inFiles || surroundings.find(scope, isOn) !== undefined;
}

/**
 * Reports whether a line is in the section of httpd's own error pages, which are type maps with SSI, and no
 * ErrorDocument names one of them.
 */
function isOfUnusedPages({ parent }: Directive, { project }: BehaviourContext): boolean {
  if (parent?.key !== "<directory" || !parent.children?.some(isTypeMap)) return false;
  const namesPage = (line: Directive) => line.key === "errordocument" && /^\/.*\.var$/.test(argumentAt(line, 1));
  return ![...iterateDirectives(project)].some(namesPage);
}

function isTypeMap(line: Directive): boolean {
  return line.key === "addhandler" && argumentAt(line).toLowerCase() === "type-map";
}

const perFolder = ["ssierrormsg", "ssitimeformat", "ssiundefinedecho", "ssietag", "ssilastmodified", "xbithack"];

/** Settings that a directory inherits if it has its own SSI directive. */
const inherited: Behaviour = {
  names: perFolder,
  check(line, scope, surroundings) {
    const own = scope.directives.filter(({ key }) => perFolder.includes(key));
    if (own[0] !== line || scope.section === undefined || scope.place === "virtualhost") return undefined;
    const isOwn = (key: string) => own.some((each) => each.key === key);
    const taken = settingsAround(scope, surroundings).findLast(({ key }) => perFolder.includes(key) && !isOwn(key));
    const [facts] = taken ? findDirectiveFacts("2.2", taken.key) : [];
    if (taken === undefined || facts?.default === undefined) return undefined;
    return {
      severity: "warning",
      ...createSharedReport(`keeps ${taken.key}`, behaviourMessages.inheritedSetting(line, taken, facts.default)),
      related: [{ message: behaviourLabels.setHere(taken), span: taken.span }],
      ...createFix(behaviourFixTitles.keepDefault(facts.name), "unsafe", insertLinesAfter(line.span, [facts.default])),
    };
  },
};

/** Returns the lines of the servers and sections around a scope, and of the parents of its directory. */
function settingsAround(scope: Scope, surroundings: BehaviourContext): readonly Directive[] {
  const server = surroundings.serverOf(scope);
  const path = directoryOf(scope.section);
  const folders = [...server.iterateInherited()].filter((each) => {
    const outer = each === scope.section ? undefined : directoryOf(each);
    return outer !== undefined && path?.startsWith(outer) && path !== outer;
  });
  const direct = perFolder.flatMap((key) => server.effective(key));
  return [...direct, ...folders.flatMap(({ children = [] }) => children)];
}

/** Returns the directory with a trailing slash; undefined for sections other than those of one directory. */
function directoryOf(section: Directive | undefined): string | undefined {
  if (section?.key !== "<directory" || section.arguments.length !== 1) return undefined;
  return argumentAt(section).replace(/\/*$/, "/");
}

export const ssiBehaviours: readonly Behaviour[] = [expressions, inherited];
