import {
  type Directive,
  type DirectiveFacts,
  findDirectiveFacts,
  findLastVersion,
  findModuleByManualName,
  findModuleOfSimilarNames,
  findNewerDirective,
  findThirdPartyDirective,
  identifierOf,
  isSince,
  iterateDescendants,
  lacksBracket,
  lineOf,
  listModulesWithPrefix,
  type NameFacts,
  nameRelease,
  type Release,
  suggestDirectiveName,
  type ThirdPartyDirective,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  describeRejectionEffect,
  formatWordList,
  type HeaderForMany,
  type MessageText,
  NO_START,
  partsOfText,
  quoteText,
  type RejectionEffect,
  type RuleContext,
  rejectionEffectOf,
  toReadable,
} from "../../src/lint/api/rule.js";
import { findContinuedLine } from "./continued-line.js";
import { describeLoading } from "./needed-modules.js";
import { findSkippedLoad, type SkippedLoad } from "./skipped-load.js";

/** Quotes a name as written, with the brackets of a section. */
const quoteName = (written: string) => {
  const name = toReadable(written);
  return `\`${name.startsWith("<") ? `${name}>` : name}\``;
};

const notDefined = (release: Release) => `not a directive of ${nameRelease(release)} or of any known module`;

/** Returns the note on a LoadModule line that does not apply. */
const skippedNotes = (skipped: SkippedLoad | undefined) =>
  skipped ? [`\`LoadModule ${skipped.identifier}\` is in \`${skipped.section}\`, whose condition is false`] : [];

const describeOwners = (modules: readonly string[]) =>
  modules.length === 1
    ? `httpd-lint does not know the directives of ${quoteText(modules[0] ?? "")}, which may define it`
    : `httpd-lint does not know the directives of ${formatWordList(modules.map(quoteText))}, one of which may define it`;

const loading = ["load the module, or delete the lines that need it"];

/** Returns what to write instead of a setting of mod_php, which a server with PHP-FPM does not have; undefined for other lines. */
function helpWithoutPhp({ key, argumentText }: Directive, release: Release): readonly string[] | undefined {
  const isOf24 = isSince(release, "2.4");
  if (key === "php_value" || key === "php_flag") {
    if (/^engine\s+(?:off|0)$/i.test(argumentText.trim())) {
      const denial = isOf24 ? "`Require all denied`" : "`Order allow,deny` and `Deny from all`";
      return [`to disable PHP here, use \`<FilesMatch "\\.php$">\` with ${denial} instead`];
    }
    const guard = isOf24
      ? "`<IfModule mod_php.c>` (before PHP 8: `mod_php7.c` or `mod_php5.c`)"
      : "`<IfModule mod_php5.c>`";
    return [`with PHP-FPM, set the value in \`.user.ini\`, or put the line into ${guard}`];
  }
  if (key !== "php_admin_value" && key !== "php_admin_flag") return undefined;
  return ["with PHP-FPM, set the value in the file of its pool, or load the module"];
}

/** The texts about a name. */
const messages = {
  notLoaded: (
    { name }: Directive,
    modules: string,
    effect: RejectionEffect,
    skipped: SkippedLoad | undefined,
    remedy: string | undefined,
  ) => ({
    message: `${quoteName(name)} needs ${modules}, which is not loaded`,
    effect,
    notes: skippedNotes(skipped),
    help: remedy === undefined ? loading : [remedy, "or delete the lines that need it"],
  }),
  thirdParty: (
    directive: Directive,
    owner: ThirdPartyDirective,
    release: Release,
    effect: RejectionEffect,
    skipped: SkippedLoad | undefined,
  ) => ({
    message: `${quoteName(directive.name)} needs third-party module \`${owner.module}\`, which is not loaded`,
    effect,
    notes: skipped
      ? skippedNotes(skipped)
      : owner.package
        ? [`Debian's package ${owner.package} contains the module`]
        : [],
    help: helpWithoutPhp(directive, release) ?? loading,
  }),
  ofMissingModule: ({ name }: Directive, module: string, effect: RejectionEffect) => ({
    message: `${quoteName(name)} begins like the directives of \`${module}\`, which is not loaded`,
    effect,
    help: loading,
  }),
  removedEarlier: ({ name }: Directive, { since, remedy }: RemovedEarlier, effect: RejectionEffect) => ({
    message: `${quoteName(name)} was removed in ${since}`,
    effect,
    help: [remedy],
  }),
  byteOrderMark: (effect: RejectionEffect) => ({
    message: "the file begins with a byte order mark",
    effect,
    notes: ["httpd reads it as part of the first directive name"],
    help: ["save the file as UTF-8 without a byte order mark"],
  }),
  notContinued: ({ name }: Directive, effect: RejectionEffect) => ({
    message: `${quoteName(name)} is not the name of a directive`,
    effect,
    notes: ["the line before it does not end in a backslash, so that httpd reads this line on its own"],
    help: ["if it continues the line before, end that line with a backslash"],
  }),
  notContinuedInMany: (header: string) => ({
    before: `${header}, like the first word of `,
    one: "1 more line",
    several: " more lines",
  }),
  noBracket: ({ name }: Directive, effect: RejectionEffect) => ({
    message: `missing \`<\` before section ${quoteName(name)}`,
    effect,
    help: [`use \`<${toReadable(name)}\``],
  }),
  ofWebPage: ({ name }: Directive, line: string, effect: RejectionEffect) => ({
    message: `unknown directive ${quoteName(name)}: the line contains HTML entities`,
    effect,
    notes: ["`&lt;` stands for `<`, and `&gt;` for `>`"],
    help: [`use ${quoteText(line)}`],
  }),
  webPage: (effect: RejectionEffect) => ({
    message: "the file contains an HTML page, not a configuration",
    effect,
    notes: ["a download of the page that shows a file, in place of the file itself, has this result"],
    help: ["download the file itself, for example the raw file of a repository"],
  }),
  space: (section: string | undefined, effect: RejectionEffect) => ({
    message: "space between `<` and the name of the section",
    effect,
    help: [section === undefined ? "delete the space" : `use ${quoteText(`<${section}`)}`],
  }),
  backslash: ({ name }: Directive, effect: RejectionEffect) => ({
    message: `closing tag ${quoteName(name)} has a backslash instead of a slash`,
    effect,
    help: [`use \`</${toReadable(name).slice(2)}>\``],
  }),
  laterVersion: ({ name }: Directive, since: Release, release: Release, effect: RejectionEffect) => ({
    message: `${quoteName(name)} needs httpd ${since} or later`,
    effect,
    notes: [`${nameRelease(release)} does not have it`],
    help: [`delete it, or put it in a section \`<IfVersion >= ${since}>\``],
  }),
  earlierVersion: ({ name }: Directive, until: Release, release: Release, effect: RejectionEffect) => ({
    message: `${quoteName(name)} is not a directive of ${nameRelease(release)}`,
    effect,
    notes: [`${until} was the last version that had it`],
    help: ["delete it"],
  }),
  otherRelease: ({ name }: Directive, other: Release, release: Release, effect: RejectionEffect) => ({
    message: `${quoteName(name)} is not a directive of ${nameRelease(release)}`,
    effect,
    notes: [`it is a directive of ${other}`],
    help: ["delete it, or put it in an `<IfVersion>` section"],
  }),
  similar: ({ name }: Directive, near: string, release: Release, effect: RejectionEffect) => ({
    message: `unknown directive ${quoteName(name)}`,
    label: notDefined(release),
    effect,
    help: [`did you mean ${quoteName(near)}?`],
  }),
  /** Another version of a known module may define it. */
  otherVersion: ({ name }: Directive, module: string) => ({
    message: `${quoteName(name)} is not a known directive of \`${module}\``,
    notes: ["another version of the module may define it", `if it does not, ${NO_START}`],
    help: ["check the name in the documentation of the module"],
  }),
  /** A loaded module that is not known may define it. */
  ofUnknownModule: ({ name }: Directive, modules: readonly string[], effect: RejectionEffect) => ({
    message: `${quoteName(name)} is not a known directive`,
    notes: [
      describeOwners(modules),
      `if it does not, ${describeRejectionEffect(effect)}`,
      "its arguments were not checked",
    ],
    help: ["check the name in the documentation of the module"],
  }),
  similarInUnknown: (
    { name }: Directive,
    near: string,
    release: Release,
    modules: readonly string[],
    effect: RejectionEffect,
  ) => ({
    message: `unknown directive ${quoteName(name)}`,
    label: notDefined(release),
    notes: [describeOwners(modules), `if it does not, ${describeRejectionEffect(effect)}`],
    help: [`did you mean ${quoteName(near)}?`],
  }),
  /** The modules of a part of a server are not known. */
  inPart: ({ name }: Directive, release: Release, effect: RejectionEffect) => ({
    message: `unknown directive ${quoteName(name)}`,
    label: notDefined(release),
    notes: [`unless another module of the server defines it, ${describeRejectionEffect(effect)}`],
    help: ["correct the name, or put it in an `<IfModule>` section for the module that defines it"],
  }),
  unknown: ({ name }: Directive, release: Release, effect: RejectionEffect) => ({
    message: `unknown directive ${quoteName(name)}`,
    label: notDefined(release),
    effect,
    help: ["correct the name, or load the module that defines it"],
  }),
  neededByMany: (header: string) => ({
    before: `${header}; `,
    one: "1 more line needs it",
    several: " more lines need it",
  }),
  removedInMany: (header: string) => ({
    before: `${header}, here and in `,
    one: "1 more line",
    several: " more lines",
  }),
  otherVersionOfMany: (header: string) => ({
    before: `${header}, like `,
    one: "1 more line",
    several: " more lines",
  }),
};

/** A directive that 2.2 does not have, with what later versions have instead. */
interface RemovedEarlier {
  readonly since: "2.0" | "2.2";
  readonly remedy: string;
}

const since20 = (remedy: string): RemovedEarlier => ({ since: "2.0", remedy });
const since22 = (remedy: string): RemovedEarlier => ({ since: "2.2", remedy });

/** The directives of 1.3 and of 2.0 that 2.2 does not have; of 2.0, those of modules for authentication. */
const removedEarlier: Readonly<Record<string, RemovedEarlier>> = {
  accessconfig: since20("use `Include`"),
  addmodule: since20("delete the line: 2.x initializes modules in the right order"),
  agentlog: since20("use `CustomLog` with `%{User-agent}i` in its format"),
  authauthoritative: since22("use `AuthBasicAuthoritative`"),
  authdbmauthoritative: since22(
    "use `AuthBasicProvider dbm`, and `AuthBasicAuthoritative` if other modules may decide",
  ),
  authdigestfile: since22("use `AuthUserFile`"),
  authdigestgroupfile: since22("use `AuthGroupFile`"),
  authldapauthoritative: since22(
    "use `AuthBasicProvider ldap`, and `AuthBasicAuthoritative` if other modules may decide",
  ),
  authldapenabled: since22("use `AuthBasicProvider ldap`"),
  authldapfrontpagehack: since22("delete the line"),
  bindaddress: since20("use `Listen` with the address"),
  clearmodulelist: since20("delete the line: 2.x initializes modules in the right order"),
  refererlog: since20("use `CustomLog` with `%{Referer}i` in its format"),
  resourceconfig: since20("use `Include`"),
  servertype: since20("delete the line: 2.x always runs standalone"),
};

const labels = {
  sameModule: "also not known",
  needsModuleToo: "also needs the module",
  same: "same here",
  skipped: "loads the module, but is not read",
  notContinued: "also not a directive",
  continued: "this line is not continued",
};

export const unknownDirective = defineRule({
  id: "unknown-directive",
  title: "Unknown directive",
  group: "startup",
  severity: "error",
  description:
    "A directive that no module of the release and no known third-party module defines, or whose module is not loaded.",
  help: "httpd stops with `Invalid command`. Usually the name is misspelt; if it is correct, a module is missing. httpd does not read conditional sections such as `<IfModule>` whose condition is false. The rule does not check them if the server is known. If httpd-lint does not know a loaded module, an unknown name may belong to it. Then the finding is only information, once for all such names, or a warning if the name is a misspelling.",
  tags: ["correctness"],
  upgrade: "start",
  // A module that is not loaded has no build for the old release either.
  supersedes: ["third-party-module", "needs-newer-httpd"],
  messages,
  check: (context) => ({
    directives(known) {
      if (isProvided(known, context)) return undefined;
      // Each name is checked once, however often it is used.
      let verdict: Verdict | undefined | "open" = "open";
      return (directive, scope) => {
        const started = findContinuedLine(directive);
        if (started) {
          const message = messages.notContinued(directive, rejectionEffectOf(scope.inHtaccess));
          context.report({
            message,
            span: directive.nameSpan,
            related: [{ message: labels.continued, span: started }],
            cause: {
              key: `continued ${started.file.realPath} ${started.start}`,
              header: messages.notContinuedInMany(partsOfText(message).message),
              also: labels.notContinued,
            },
          });
          return;
        }
        // A section of a third-party module can contain anything: `<Perl>` contains a program.
        if (directive.parent && directive.parent.known.facts.length === 0) return;
        if (verdict === "open") verdict = judge(directive, context);
        if (verdict === undefined) return;
        const { describe, describeMany, module, skipped, isAlike, isWebPage, severity } = verdict;
        const message = describe(rejectionEffectOf(scope.inHtaccess));
        const header = describeMany && { header: describeMany(partsOfText(message).message) };
        const key = `${module} ${scope.inHtaccess}`;
        const also = severity ? labels.sameModule : labels.needsModuleToo;
        const cause = isAlike
          ? { cause: { key: directive.key, ...header, also: labels.same } }
          : module === undefined
            ? {}
            : { cause: { key, isAnyRules: true, module, ...header, also } };
        const { file, start } = directive.span;
        const rest = isWebPage ? { engulfs: { file, start, end: file.text.length } } : {};
        const related = skipped ? { related: [{ message: labels.skipped, span: skipped.span }] } : {};
        context.report({
          message,
          span: directive.nameSpan,
          ...(severity ? { severity } : {}),
          ...rest,
          ...related,
          ...cause,
        });
      };
    },
  }),
});

interface Verdict {
  /** If it is not an error. */
  readonly severity?: "warning" | "info";
  readonly describe: (effect: RejectionEffect) => MessageText;
  /** Returns the header for several lines with the same cause. */
  readonly describeMany?: (header: string) => HeaderForMany;
  /** Identifier of the missing module, if that is the cause. */
  readonly module?: string;
  /** Whether one finding covers all lines with the name. */
  readonly isAlike?: boolean;
  /** Whether the line begins a web page: the rest of the file belongs to it. */
  readonly isWebPage?: boolean;
  /** The line that loads the module in a section that does not apply. */
  readonly skipped?: SkippedLoad | undefined;
}

/** Returns whether a loaded module, or one that may be loaded, defines the name. */
function isProvided({ facts }: NameFacts, { project, release }: RuleContext): boolean {
  const { modules, modulesAreKnown } = project;
  if (facts.some((each) => !each.manualOnly && modules.provides(each))) return true;
  // The four mod_access_compat directives have a rule of their own, which reports by section.
  const isOld = isSince(release, "2.4") && facts.some((each) => each.module === "mod_access_compat");
  return facts.length > 0 && (!modulesAreKnown || isOld);
}

/** Checks the directive's name; undefined if it is correct. */
function judge(directive: Directive, context: RuleContext): Verdict | undefined {
  const { facts } = directive.known;
  return facts.length === 0 ? notKnown(directive, context) : notLoaded(directive, facts, context);
}

function notLoaded(directive: Directive, facts: readonly DirectiveFacts[], { project, release }: RuleContext): Verdict {
  const identifierOf = (name: string) => findModuleByManualName(release, name)?.identifier ?? name;
  // The manual calls an MPM `prefork`; LoadModule calls it `mpm_prefork_module`.
  const nameOf = (name: string) => (name.startsWith("mod_") ? name : identifierOf(name));
  const modules = facts.map((each) => `\`${nameOf(each.module)}\``).join(" or ");
  const identifiers = facts.map((each) => identifierOf(each.module));
  const skipped = identifiers.map((each) => findSkippedLoad(project, each)).find((load) => load !== undefined);
  // Two MPMs conflict, and a line that is skipped needs its own remedy.
  const isPlain = skipped === undefined && identifiers.length === 1 && !/^mpm_/.test(identifiers[0] ?? "");
  const remedy = isPlain ? describeLoading(directive, linesAround(directive, project), project) : undefined;
  return {
    describe: (effect) => messages.notLoaded(directive, modules, effect, skipped, remedy),
    describeMany: messages.neededByMany,
    module: skipped?.testedModule ?? identifiers.join(" or "),
    skipped,
  };
}

/** Returns the lines of the section or `.htaccess` file around a directive. */
function linesAround(directive: Directive, { htaccess }: RuleContext["project"]): readonly Directive[] {
  const file = htaccess.find(({ tree }) => tree.source === directive.span.file);
  const around = file?.directives ?? directive.parent?.children ?? [];
  return [...iterateDescendants(around)];
}

function notKnown(directive: Directive, { project, release }: RuleContext): Verdict | undefined {
  const name = toReadable(directive.name);
  if (name.startsWith("\uFEFF")) return { describe: messages.byteOrderMark };
  const foreign = findThirdPartyDirective(name);
  if (foreign) {
    const isLoaded = foreign.modules.some((module) => project.modules.hasThirdParty(module));
    if (!project.modulesAreKnown || isLoaded) return undefined;
    const skipped = findSkippedLoad(project, foreign.module);
    return {
      describe: (effect) => messages.thirdParty(directive, foreign, release, effect, skipped),
      describeMany: messages.neededByMany,
      // The module that the section tests for is the cause.
      module: skipped?.testedModule ?? foreign.module,
      skipped,
    };
  }
  const removed = removedEarlier[directive.key];
  if (removed !== undefined)
    return {
      describe: (effect) => messages.removedEarlier(directive, removed, effect),
      describeMany: messages.removedInMany,
      isAlike: true,
    };
  if (lacksBracket(directive, release)) return { describe: (effect) => messages.noBracket(directive, effect) };
  const plain = withoutEntities(toReadable(`${directive.name} ${directive.argumentText}`).trim());
  if (name.startsWith("&") && plain.startsWith("<"))
    return { describe: (effect) => messages.ofWebPage(directive, plain, effect) };
  if (/^<(?:!doctype|html)$/i.test(name)) return { describe: messages.webPage, isWebPage: true };
  const section = toReadable(directive.arguments[0]?.value ?? "").replace(/>$/, "");
  if (name === "<") return { describe: (effect) => messages.space(section === "" ? undefined : section, effect) };
  if (name.startsWith("<\\")) return { describe: (effect) => messages.backslash(directive, effect) };
  // A template placeholder may become any name.
  if (/@\w+@|%\w+%|\{\{|\$\{/.test(name)) return undefined;
  const since = findNewerDirective(name, release);
  if (since !== undefined) return { describe: (effect) => messages.laterVersion(directive, since, release, effect) };
  const until = findLastVersion(name, lineOf(release));
  if (until !== undefined && isSince(release, until))
    return { describe: (effect) => messages.earlierVersion(directive, until, release, effect) };
  const other: Release = isSince(release, "2.4") ? "2.2" : "2.4";
  if (findDirectiveFacts(other, name).some((each) => !each.manualOnly))
    return project.modules.unknown.length > 0
      ? undefined
      : { describe: (effect) => messages.otherRelease(directive, other, release, effect) };
  const { unknown } = project.modules;
  // The section that names a module tells more than the beginning of the name.
  const similar = isInSectionFor(unknown, directive) ? undefined : findModuleOfSimilarNames(name, project);
  if (similar !== undefined && (unknown.length === 0 || project.modules.hasThirdParty(similar)))
    return {
      describe: () => messages.otherVersion(directive, similar),
      describeMany: messages.otherVersionOfMany,
      module: `another version of ${similar}`,
      severity: "info",
    };
  if (project.modules.unknown.length > 0) return ofUnknownModule(directive, project.modules.unknown, release);
  const near = suggestDirectiveName(release, name);
  if (near !== undefined) return { describe: (effect) => messages.similar(directive, near, release, effect) };
  const owner = project.modulesAreKnown ? listModulesWithPrefix(name, 4)[0] : undefined;
  if (owner !== undefined)
    return {
      describe: (effect) => messages.ofMissingModule(directive, owner, effect),
      describeMany: messages.neededByMany,
      module: owner,
    };
  return project.modulesAreKnown || project.kind === "server"
    ? { describe: (effect) => messages.unknown(directive, release, effect) }
    : { describe: (effect) => messages.inPart(directive, release, effect), severity: "warning" };
}

/** Returns a line of a web page as it is shown. */
function withoutEntities(line: string): string {
  const characters: Readonly<Record<string, string>> = {
    lt: "<",
    gt: ">",
    quot: '"',
    "#34": '"',
    "#39": "'",
    amp: "&",
  };
  return line.replace(/&(lt|gt|quot|#34|#39|amp);/g, (whole, name: string) => characters[name] ?? whole);
}

/** Returns whether a conditional section around a directive tests for one of some modules, by identifier. */
function isInSectionFor(modules: readonly string[], { guard }: Directive): boolean {
  for (let each = guard; each; each = each.parent)
    if (each.kind === "<ifmodule" && !each.negated && modules.includes(identifierOf(each.argument))) return true;
  return false;
}

/** Checks a name that a loaded module without a table may define; it is correct in a section for such a module. */
function ofUnknownModule(directive: Directive, modules: readonly string[], release: Release): Verdict | undefined {
  const near = suggestDirectiveName(release, toReadable(directive.name));
  if (near !== undefined)
    return {
      describe: (effect) => messages.similarInUnknown(directive, near, release, modules, effect),
      severity: "warning",
    };
  if (isInSectionFor(modules, directive)) return undefined;
  return {
    describe: (effect) => messages.ofUnknownModule(directive, modules, effect),
    describeMany: messages.otherVersionOfMany,
    module: modules.join(" or "),
    severity: "info",
  };
}
