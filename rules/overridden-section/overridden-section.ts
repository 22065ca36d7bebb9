import {
  type CompatRules,
  describeAnswer,
  describeProbe,
  describeRequest,
  formatLineTitle,
  type Inspector,
  type ProbeContext,
  parseCompatRules,
  type RewrittenDenial,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  indexDirectives,
  isSince,
  type Scope,
  type ScopeKind,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  getOrCreate,
  quoteShort,
  quoteText,
  type Report,
  type RuleContext,
} from "../../src/lint/api/rule.js";
import { areApart, covers, listAlternatives, readSectionTest, type SectionTest } from "./covering-sections.js";
import { findOpenedFile, type OpenedFile } from "./opened-files.js";
import { findReplacedRules, type ReplacedRules } from "./replaced-rules.js";
import { findUnaskedPassword, type UnaskedPassword } from "./unasked-password.js";

const mergedLater = ({ section, system }: AccessSection) =>
  `${formatLineTitle(section)} is merged later, and its ${system === "compat" ? "access" : "`Require`"} lines replace these`;

const messages = {
  overridden: (earlier: AccessSection, later: AccessSection) => ({
    message: `the access rules of ${formatLineTitle(earlier.section)} never apply`,
    notes: [
      mergedLater(later),
      ...(later.grantsAll && earlier.sample !== undefined
        ? [`every client is allowed to request ${quoteText(earlier.sample)}`]
        : []),
    ],
    help: [
      earlier.name === later.name
        ? "keep one of the two sections"
        : earlier.sample === undefined || later.sample === undefined
          ? `put it after ${formatLineTitle(later.section)}: the last section that matches decides`
          : "put the section with the shorter path first: the last one that matches decides",
    ],
  }),
  alternative: (text: string, earlier: AccessSection, later: AccessSection) => ({
    message: `${quoteShort(text, 30)} in ${formatLineTitle(earlier.section)} denies nothing`,
    notes: [mergedLater(later), "it allows every client to request what this alternative matches"],
    help: [
      `delete the alternative, or put the section after ${formatLineTitle(later.section)}: the last section that matches decides`,
    ],
  }),
  replaced: ({ line, later, answer }: ReplacedRules) => ({
    message: `${formatLineTitle(line)} has no effect: ${formatLineTitle(later)} overrides it`,
    notes: [
      "`<Location>` sections are merged after `<Directory>`, `.htaccess` and `<Files>`, and their access rules replace the others",
      describeProbe(answer),
    ],
    help: [
      // The rules of the section deny requests that the later one allows, or the reverse.
      answer.class === "allowed"
        ? `add \`AuthMerging And\` to ${formatLineTitle(later)}: a request then needs both`
        : `add \`AuthMerging Or\` to ${formatLineTitle(later)}: either then allows a request`,
      `or write these rules in a \`<Location>\` section after ${formatLineTitle(later)}`,
    ],
  }),
  opened: (section: Directive, denial: Directive, { request, status }: OpenedFile["answer"]) => ({
    message: `${formatLineTitle(section)} also opens files of closed directories`,
    notes: [
      `${describeRequest(request)} returns ${status}, although ${formatLineTitle(denial)} applies to the directory`,
      "sections for files are merged after all directories and `.htaccess` files, and their access rules replace the others",
    ],
    help: ["delete the access rules of the section, or put it into the directories that it is for"],
  }),
  unasked: (line: Directive, { answer, grant, section }: UnaskedPassword) => ({
    message: `no request needs the password of ${formatLineTitle(line)}: ${formatLineTitle(section)} replaces it`,
    notes: [
      describeAnswer(answer),
      "the `Require` lines of a section for a longer path replace those of a section for a shorter one",
    ],
    help: [
      `use ${quoteText(`${line.name} ${line.argumentText.trim()}`)} in ${formatLineTitle(section)}, in place of ${formatLineTitle(grant)}`,
    ],
  }),
  lost: (section: Directive, decider: Directive, { target, answer }: RewrittenDenial) => ({
    message: `${formatLineTitle(section)} does not apply after rewriting to ${quoteShort(target, 30)}`,
    notes: [
      "httpd checks access again for the rewritten path",
      `${formatLineTitle(decider)} decides then`,
      describeAnswer(answer),
    ],
    help: [
      `next to ${formatLineTitle(decider)}, allow these requests by a \`Require expr\` that tests \`%{THE_REQUEST}\``,
    ],
  }),
};

const labels = {
  replaces: "merged last",
  later: "replaces the access rules",
  rule: "rewrites the path",
  decider: "denies the rewritten path",
  closed: "denies access to the directory",
};

export const overriddenSection = defineRule({
  id: "overridden-section",
  title: "Section is overridden by a later one",
  group: "access",
  severity: "warning",
  description:
    "The Require lines of a section that a later section for the same requests replaces, or that do not apply to the path after rewriting.",
  help: "httpd merges Location sections in the order of the file, whatever the length of their paths, and Files sections as well. The Require lines of the last section that matches replace those of the others. Put the section for `/` before the one for `/admin`.",
  securitySeverity: 7,
  references: { cwe: [284] },
  tags: ["access-control", "correctness", "security"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const groups = new Map<Scope | undefined, Scope[]>();
    const hasLocation = indexDirectives(project).hasAny(locationNames);
    return {
      exposure: {
        fromAnywhere: true,
        holding: ["require", "allow"],
        *check(exposed, client) {
          const { line, scope } = exposed;
          const { section, place } = scope;
          const unasked = place === "directory" ? findUnaskedPassword(exposed, client) : undefined;
          if (unasked)
            yield {
              message: messages.unasked(line, unasked),
              span: line.span,
              related: [{ message: labels.later, span: unasked.grant.span }],
              witness: witnessOf(unasked.answer),
            };
          if (place !== "files" || section === undefined || !grantsEveryone(line)) return;
          const opened = findOpenedFile(exposed, client);
          if (opened)
            yield {
              message: messages.opened(section, opened.denial, opened.answer),
              span: section.span,
              related: [{ message: labels.closed, span: opened.denial.span }],
              witness: witnessOf(opened.answer),
            };
        },
      },
      probe: {
        holding: ["require", "allow", "deny"],
        applies: ({ place, section }) =>
          hasLocation && (isOfFiles.has(place) || (section !== undefined && locationNames.has(section.key))),
        check: (situation, inspector, _, { files }) =>
          isOfFiles.has(situation.scope.place)
            ? reportReplaced(situation, inspector)
            : reportLost(situation, inspector, files),
      },
      scope: {
        holding: ["require", "allow", "deny"],
        visit(scope) {
          if (scope.section && keys.has(scope.section.key)) getOrCreate(groups, scope.parent, () => []).push(scope);
        },
      },
      end() {
        for (const scopes of groups.values()) {
          // Most virtual hosts have a single one.
          if (scopes.length < 2) continue;
          const sections = scopes.flatMap((scope) => readSection(scope) ?? []);
          for (const { earlier, later } of listOverridden(sections)) {
            if (later.text === earlier.text) continue;
            report({
              ...(later.grantsAll ? { severity: "error" } : {}),
              message: messages.overridden(earlier, later),
              span: earlier.section.span,
              related: [{ message: labels.later, span: later.section.span }],
            });
          }
          for (const { text, earlier, later } of listUselessAlternatives(sections))
            report({
              severity: "error",
              message: messages.alternative(text, earlier, later),
              span: earlier.section.span,
              related: [{ message: labels.later, span: later.section.span }],
            });
        }
      },
    };
  },
});

/** Reports whether a line allows every client. */
function grantsEveryone({ key, argumentText }: Directive): boolean {
  return key === "allow" ? /^from\s+all$/i.test(argumentText) : /^all\s+granted$/i.test(argumentText);
}

const isOfFiles: ReadonlySet<ScopeKind> = new Set(["directory", "files", "htaccess"]);

const locationNames: ReadonlySet<string> = new Set(["<location", "<locationmatch"]);

function reportReplaced(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const found = findReplacedRules(situation, inspector);
  if (found === undefined) return undefined;
  const { line, later, answer } = found;
  return {
    ...(answer.class === "allowed" ? { severity: "error" } : {}),
    message: messages.replaced(found),
    span: line.span,
    related: [{ message: labels.replaces, span: later.span }],
    witness: inspector.witness(answer),
  };
}

function reportLost(
  { scope: { section, directives }, request }: ProbeContext,
  inspector: Inspector,
  files: RuleContext["files"],
): Report | undefined {
  // Programs create files there for a short time only.
  if (section === undefined || files === undefined || request.path.startsWith("/.well-known/")) return undefined;
  const denial = inspector.findRewrittenDenial(request, files);
  const decider = denial?.answer.decidedBy.find(({ key }) => key === "require");
  if (denial === undefined || decider === undefined || directives.includes(decider)) return undefined;
  return {
    message: messages.lost(section, decider, denial),
    span: section.span,
    related: [
      { message: labels.rule, span: denial.rule.span },
      { message: labels.decider, span: decider.span },
    ],
    witness: witnessOf(denial.answer),
  };
}

/** A section with access rules. */
interface AccessSection {
  readonly section: Directive;
  /** The module whose lines it has; those of the other module stay. */
  readonly system: "require" | "compat";
  /** Its requests, if they can be compared with those of other sections. */
  readonly test: SectionTest | undefined;
  /** The path, name or pattern. */
  readonly name: string;
  /** The access rules as one text. */
  readonly text: string;
  readonly grantsAll: boolean;
  readonly deniesAll: boolean;
  /** A path or name that the section matches; undefined for a pattern. */
  readonly sample: string | undefined;
}

const keys: ReadonlySet<string> = new Set([
  ...["<directory", "<directorymatch", "<files", "<filesmatch", "<location", "<locationmatch"],
]);

/** The lines of mod_access_compat that decide by the client. */
const listKeys: ReadonlySet<string> = new Set(["order", "allow", "deny"]);

/** Reads a section whose access rules replace others; undefined if they are for some methods, merged, or of two modules. */
function readSection({ section, directives }: Scope): AccessSection | undefined {
  if (section === undefined) return undefined;
  const [word, ...more] = section.arguments;
  const test = readSectionTest(section);
  if (word === undefined || (more.length > 0 && test === undefined) || directives.some(isMerged)) return undefined;
  const compat = directives.some(({ key }) => listKeys.has(key)) ? parseCompatRules(directives) : undefined;
  const lines = directives.filter(({ key }) => key === "require");
  if ((compat === undefined) === (lines.length === 0)) return undefined;
  const isPlain = !section.key.endsWith("match") && more.length === 0 && !/[*?[]/.test(word.value);
  const text = (compat?.directives ?? lines)
    .map(({ key, argumentText }) => `${key} ${argumentText.trim().toLowerCase()}`)
    .join("\n");
  return {
    section,
    system: compat ? "compat" : "require",
    test,
    name: [word, ...more].map(({ value }) => value).join(" "),
    text,
    grantsAll: compat ? isForAll(compat, "deny", "allow") : text === "require all granted",
    deniesAll: compat ? isForAll(compat, "allow", "deny") : text === "require all denied",
    sample: isPlain ? word.value : undefined,
  };
}

/** Reports whether lines of mod_access_compat name all clients in one list, and nobody in the other. */
function isForAll({ directives }: CompatRules, empty: string, full: string): boolean {
  const listed = directives.filter(({ key }) => key === full);
  return (
    !directives.some(({ key }) => key === empty) &&
    listed.length > 0 &&
    listed.every(({ argumentText }) => /^from\s+all$/i.test(argumentText.trim()))
  );
}

/** Reports whether a line merges the rules of sections, or limits them to some requests; the defaults do not. */
function isMerged({ key, argumentText }: Directive): boolean {
  if (key === "authmerging") return !/^"?off"?$/i.test(argumentText);
  return key === "satisfy" ? !/^"?all"?$/i.test(argumentText) : key === "<limit" || key === "<limitexcept";
}

/** Limit of the sections whose patterns are compared with each other. */
const MAX_COMPARED = 24;

/** Yields each section with the last one after it that matches all of its requests. */
function* listOverridden(
  sections: readonly AccessSection[],
): Generator<{ readonly earlier: AccessSection; readonly later: AccessSection }> {
  const last = new Map(sections.map(({ section, system, name }, index) => [`${system} ${section.key} ${name}`, index]));
  for (const [index, earlier] of sections.entries()) {
    const places = listCoveringNames(earlier).map(
      (name) => last.get(`${earlier.system} ${earlier.section.key} ${name}`) ?? -1,
    );
    const covering =
      sections.length > MAX_COMPARED
        ? -1
        : sections.findLastIndex((each, at) => at > index && isCoveredBy(earlier, each));
    const place = Math.max(...places, covering);
    const later = place > index ? sections[place] : undefined;
    // A section that is repeated after a grant only restricts it, but an exemption that never applies is a mistake.
    if (later && !(earlier.grantsAll && (earlier.name === later.name || isCoveredBy(later, earlier))))
      yield { earlier, later };
  }
}

/** Reports whether the pattern or name of a section matches all requests of another with rules of the same module. */
function isCoveredBy(earlier: AccessSection, later: AccessSection): boolean {
  return (
    earlier.system === later.system &&
    earlier.test !== undefined &&
    later.test !== undefined &&
    covers(later.test, earlier.test)
  );
}

/**
 * Yields the alternatives of patterns that deny requests, each of which a later section allows again to every client. A section
 * for some of the requests only is an exemption.
 */
function* listUselessAlternatives(
  sections: readonly AccessSection[],
): Generator<{ readonly text: string; readonly earlier: AccessSection; readonly later: AccessSection }> {
  if (sections.length > MAX_COMPARED) return;
  for (const [index, earlier] of sections.entries()) {
    const others = sections.slice(index + 1).filter(({ system }) => system === earlier.system);
    if (!earlier.deniesAll || earlier.test === undefined || others.some((each) => isCoveredBy(earlier, each))) continue;
    if (!others.some(({ grantsAll }) => grantsAll)) continue;
    for (const { text, ...alternative } of listAlternatives(earlier.test)) {
      const later = others.findLast(({ test }) => test === undefined || !areApart(test, alternative));
      if (later?.test && later.grantsAll && covers(later.test, alternative)) yield { text, earlier, later };
    }
  }
}

/** Lists the names of sections of the same kind that match all requests of a section. */
function listCoveringNames({ section, name, sample }: AccessSection): readonly string[] {
  if (section.key === "<files") return [name, "*"];
  if (section.key !== "<location" || sample === undefined) return [name];
  const prefixes = [...name.matchAll(/\//g)].flatMap(({ index }) => [name.slice(0, index), name.slice(0, index + 1)]);
  return ["/", name, ...prefixes];
}
