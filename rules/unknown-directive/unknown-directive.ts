import {
  type Directive,
  type DirectiveFacts,
  findDirectiveFacts,
  findModuleByManualName,
  findThirdPartyDirective,
  lacksBracket,
  type NameFacts,
  type Release,
  suggestDirectiveName,
} from "../../src/rule-api/configuration.js";
import {
  defineRule,
  describeConsequence,
  formatMoreLines,
  type RuleContext,
  toReadable,
} from "../../src/rule-api/rule.js";

export const unknownDirective = defineRule({
  id: "unknown-directive",
  title: "A directive that the server does not know",
  severity: "error",
  description:
    "A directive that no module of the release, nor a known third-party module, defines; or whose module is not loaded.",
  help: "The server stops with `Invalid command`. Mostly the name is misspelt; otherwise a module is missing. What a guard such as `<IfModule>` keeps out is not looked at, as the server does not look at it either. Where a module is loaded that httpd-lint has no table of, an unknown name may be that module's, and the rule stays quiet.",
  tags: ["correctness"],
  upgrade: "start",
  check: (context) => ({
    forName(known) {
      if (isProvided(known, context)) return undefined;
      // Each name is checked once, however often it is used.
      let verdict: Verdict | undefined | "open" = "open";
      return (directive, scope) => {
        // A section of a third-party module can contain anything: `<Perl>` contains a program.
        if (directive.parent && directive.parent.known.facts.length === 0) return;
        if (verdict === "open") verdict = judge(directive, context);
        if (verdict === undefined) return;
        const { wrong, advice, module } = verdict;
        const consequence = describeConsequence(scope.inHtaccess);
        const message = (others: number) => `${wrong}, so ${consequence}; ${advice(others)}`;
        const key = `${module} ${scope.inHtaccess}`;
        const also = "this needs the module, too";
        const cause = module === undefined ? {} : { cause: { key, isAnyRules: true, module, message, also } };
        context.report({ message: message(0), span: directive.nameSpan, ...cause });
      };
    },
  }),
});

interface Verdict {
  readonly wrong: string;
  /** Returns the remedy for this many other lines with the same cause. */
  advice(others: number): string;
  /** Identifier of the missing module, if that is the cause. */
  readonly module?: string;
}

/** Returns whether a loaded module, or one that may be loaded, defines the name. */
function isProvided({ facts }: NameFacts, { project, release }: RuleContext): boolean {
  const { modules, modulesAreKnown } = project;
  if (facts.some((each) => !each.manualOnly && modules.provides(each))) return true;
  // The four mod_access_compat directives have a rule of their own, which reports by section.
  const isOld = release === "2.4" && facts.some((each) => each.module === "mod_access_compat");
  return facts.length > 0 && (!modulesAreKnown || isOld);
}

/** Checks the directive's name; undefined if it is correct. */
function judge(directive: Directive, context: RuleContext): Verdict | undefined {
  const { facts } = directive.known;
  return facts.length === 0 ? notKnown(directive, context) : notLoaded(directive, facts, context);
}

/** Returns the name as written, with the brackets of a section. */
function titleOf(directive: Directive): string {
  const name = toReadable(directive.name);
  return `\`${name.startsWith("<") ? `${name}>` : name}\``;
}

function loadIt(others: number): string {
  return others === 0
    ? "load the module or take the line out"
    : `load the module, or take out this line and ${formatMoreLines(others)} that need it`;
}

function notLoaded(directive: Directive, facts: readonly DirectiveFacts[], { release }: RuleContext): Verdict {
  const modules = facts.map((each) => `\`${each.module}\``).join(" or ");
  const module = facts
    .map((each) => findModuleByManualName(release, each.module)?.identifier ?? each.module)
    .join(" or ");
  return { wrong: `${titleOf(directive)} belongs to ${modules}, which is not loaded`, advice: loadIt, module };
}

function notKnown(directive: Directive, { project, release }: RuleContext): Verdict | undefined {
  const name = toReadable(directive.name);
  if (name.startsWith("\uFEFF"))
    return {
      wrong: "the file begins with a byte order mark, which the server takes for a part of the first name in it",
      advice: () => "save the file as UTF-8 without one",
    };
  const title = titleOf(directive);
  const foreign = findThirdPartyDirective(name);
  if (foreign) {
    if (!project.modulesAreKnown || project.modules.hasThirdParty(foreign.module)) return undefined;
    const source = foreign.package ? ` (Debian's package ${foreign.package})` : "";
    return {
      wrong: `${title} belongs to the third-party module \`${foreign.module}\`${source}, which is not loaded`,
      advice: loadIt,
      module: foreign.module,
    };
  }
  if (lacksBracket(directive, release))
    return { wrong: `${title} opens a section and lacks its \`<\``, advice: () => `write \`<${name}\`` };
  if (name === "<")
    return { wrong: "a space stands behind the `<`", advice: () => "put the section's name right behind it" };
  if (name.startsWith("<\\"))
    return {
      wrong: `${title} has a backslash where a closing tag has a slash`,
      advice: () => `write \`</${name.slice(2)}>\``,
    };
  // A module without a table may define any name, and a template placeholder may become any name.
  if (project.modules.unknown.length > 0 || /@\w+@|%\w+%|\{\{|\$\{/.test(name)) return undefined;
  const other: Release = release === "2.4" ? "2.2" : "2.4";
  if (findDirectiveFacts(other, name).some((each) => !each.manualOnly)) {
    return {
      wrong: `${title} is a directive of ${other}, which ${release} does not know`,
      advice: () => "take it out, or guard it with `<IfVersion>`",
    };
  }
  const near = suggestDirectiveName(release, name);
  const advice = near
    ? `did you mean \`${near.startsWith("<") ? `${near}>` : near}\`?`
    : "correct the name, or load the module that defines it";
  return { wrong: `${title} is no directive of httpd ${release} or of a known module`, advice: () => advice };
}
