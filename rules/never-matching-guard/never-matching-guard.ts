import { manualNameOf } from "../../src/lint/api/access.js";
import {
  type Directive,
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  type Guard,
  isSince,
  type Module,
  type Release,
  type RemovedModule,
  sectionNameOf,
  successorsOf,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  type Fix,
  type MessageText,
  quoteText,
  type RuleContext,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";
import { type FormerDenial, findFormerDenials } from "./former-denials.js";
import { findMissingModules, type MissingModule } from "./missing-module.js";
import { findMisspelledModule } from "./misspelled-module.js";
import { findOtherMpmLimits, type OtherMpmLimits } from "./other-mpm.js";

const oldAccess = new Set(["order", "allow", "deny", "satisfy"]);
const containers = new Set(["<requireall", "<requireany", "<requirenone"]);
/** Providers of Require that need only mod_authz_core, new in 2.4. */
const newProviders = new Set(["all", "env", "method", "expr"]);
/** Modules that both releases have, so that testing for them does not identify the kind of access control. */
const undecided = new Set(["mod_authz_host.c", "authz_host_module", "mod_version.c", "version_module"]);
const deciding = new Set(["mod_authz_core.c", "authz_core_module", "mod_access_compat.c", "access_compat_module"]);

const describeEffect = ({ negated }: Guard) =>
  negated ? "httpd always applies the contents of the section" : "httpd silently ignores the contents of the section";

const messages = {
  undecided: ({ argument }: Guard, directive: Directive, wanted: string) => ({
    message: `testing for \`${toReadable(argument)}\` does not show whether \`${toReadable(manualNameOf(directive))}\` is available`,
    notes: [`\`${toReadable(argument)}\` exists in both 2.2 and 2.4`],
    help: [`test for \`${wanted}\``],
  }),
  negatedName: (guard: Guard, intended: string) => ({
    message: `${guard.negated ? "the second `!`" : "a `!` inside quotes"} is part of the name in \`${sectionNameOf(guard.kind)}>\``,
    notes: [describeEffect(guard)],
    help: [`use \`${intended}\``],
  }),
  notAsWord: (guard: Guard, intended: string) => ({
    message: `\`${toReadable(guard.argument)}\` does not negate \`${sectionNameOf(guard.kind)}>\``,
    notes: [`\`${sectionNameOf(guard.kind)}>\` tests only for that name`, describeEffect(guard)],
    help: [`use \`${intended}\``],
  }),
  severalNames: ({ kind, argument }: Guard, unread: string) => ({
    message: `\`${sectionNameOf(kind)}>\` ignores ${quoteText(unread)} after \`${toReadable(argument)}\``,
    notes: [`\`${sectionNameOf(kind)}>\` reads only one name`],
    help: ["nest a section for each name", `or delete ${quoteText(unread)}`],
  }),
  formerDenial: ({ guard, deniesAll }: FormerDenial, title: string) => ({
    message: `nothing denies access in 2.4: only ${quoteText(title)} has \`Deny\` lines`,
    notes: ["2.4 ignores the contents of the section", "the file has no access rules that 2.4 reads"],
    help: [
      `add ${deniesAll ? "`Require all denied`" : "the equivalent `Require` lines"} in \`${guard.kind === "<ifversion" ? "<IfVersion >= 2.4>" : "<IfModule mod_authz_core.c>"}\``,
    ],
  }),
  firstRelease: (version: string, first: string, pattern: string) => ({
    message: `\`${version}\` in \`<IfVersion>\` means only ${first}`,
    notes: ["all other versions ignore the contents of the section"],
    help: [`use \`<IfVersion ~ ${pattern}>\` for all of ${version}`],
  }),
  notFirstRelease: (version: string, first: string, pattern: string) => ({
    message: `\`${version}\` in \`<IfVersion>\` means only ${first}`,
    notes: ["all other versions apply the contents of the section"],
    help: [`use \`<IfVersion !~ ${pattern}>\` for all of ${version}`],
  }),
  upToFirstRelease: (version: string, first: string, next: string) => ({
    message: `\`${version}\` in \`<IfVersion>\` means only ${first}`,
    notes: [`releases after ${first} ignore the contents of the section`],
    help: [`use \`<IfVersion < ${next}>\` for all of ${version} and older`],
  }),
  removed: (guard: Guard, { explanation }: RemovedModule, successors: readonly Module[], release: Release) => ({
    message: `\`${toReadable(guard.argument)}\` does not exist in ${release}`,
    notes: [describeEffect(guard), explanation],
    help: [adviceOn(successors, guard.negated)],
  }),
  otherPhp: (guard: Guard, loaded: string, file: string) => ({
    message: `\`${toReadable(guard.argument)}\` is not the PHP of this server: it has \`${loaded}\``,
    notes: [describeEffect(guard)],
    help: [`test for \`${file}\`, too`],
  }),
  nameList: (guard: Guard) => ({
    message: `\`${toReadable(guard.argument)}\` is not the name of a module`,
    notes: [describeEffect(guard)],
    help: ["nest a section for each name"],
  }),
  contradiction: ({ kind, argument, negated }: Guard) => ({
    message: `condition ${quoteText(`${negated ? "!" : ""}${argument}`)} is always false inside the opposite ${quoteText(`${sectionNameOf(kind)}>`)}`,
    notes: [
      "the section around it has the opposite condition",
      "httpd silently ignores the contents of the inner section",
    ],
    help: ["move the inner section out of the outer one"],
  }),
  missingModule: ({ guard, module, name }: MissingModule) => ({
    message: `httpd skips \`${name}\`: \`${module.identifier}\` is not loaded`,
    notes: [describeEffect(guard), "requests that only this line answers return 404"],
    help: [`load \`${module.identifier}\``],
  }),
  otherMpm: ({ line, other, own, default: limit }: OtherMpmLimits) => ({
    message: `the limits for ${other} do not apply: the MPM of this server is ${own}`,
    notes: [
      `httpd skips ${quoteText(line)}`,
      `no line limits the requests at a time for ${own}: the default is ${limit}`,
    ],
    help: [
      `use \`<IfModule mpm_${own}_module>\`, with ${own === "prefork" ? "`ServerLimit` and `MaxRequestWorkers`" : "`ServerLimit`, `ThreadsPerChild` and `MaxRequestWorkers`"}`,
    ],
  }),
  unknownName: (guard: Guard, intended: string) => ({
    message: `\`${toReadable(guard.argument)}\` is not the name of a module`,
    notes: [describeEffect(guard)],
    help: [`use \`${intended}\``],
  }),
};

const labels = { directive: "may not be available", opposite: "has the opposite condition" };

const fixTitles = { replace: (name: string) => `Test for \`${name}\`` };

export const neverMatchingGuard = defineRule({
  id: "never-matching-guard",
  title: "Conditional section tests the wrong thing",
  group: "syntax",
  severity: "warning",
  description:
    "`<IfModule>` that tests for an unknown or misspelled name, a renamed or removed module, or a module of both versions. Also a module that the server does not load, around the rule of a front controller or a ProxyPass, ignored arguments, and `<IfVersion 2.4>`, which matches only 2.4.0.",
  help: "httpd silently ignores the contents of a section whose condition never holds. Access rules in it do not protect anything. `<IfModule>` takes a source file (`mod_authz_core.c`) or an identifier (`authz_core_module`). Names are case-sensitive, and a bare `mod_authz_core` never matches. Both versions have mod_authz_host, so it does not show which access control directives are available. Test for mod_authz_core or mod_access_compat.",
  tags: ["correctness", "security"],
  upgrade: "behaviour",
  securitySeverity: 5,
  messages,
  check: (context) => {
    const wrong = new Set<Guard>();
    const checkGuard = (directive: Directive) => {
      const guard = undecidedGuard(directive.guard);
      if (guard === undefined || wrong.has(guard)) return;
      const wanted = moduleWanted(directive);
      if (wanted === undefined) return;
      wrong.add(guard);
      reportUndecided(guard, directive, wanted, context);
    };
    // Most large configurations have no conditional section.
    const isGuarded = context.project.guards.length > 0;
    const isAccess = (key: string) => oldAccess.has(key) || containers.has(key) || key === "require";
    return {
      directives: ({ key }) => (isGuarded && isAccess(key) ? checkGuard : undefined),
      end() {
        const testedNamesOf = conditionIn(context.project);
        for (const former of findFormerDenials(context.project)) {
          const { kind, negated, argument, span } = former.guard;
          const title = `${sectionNameOf(kind)} ${negated ? "!" : ""}${toReadable(argument)}>`;
          context.report({ message: messages.formerDenial(former, title), span });
        }
        for (const found of findMissingModules(context.project))
          context.report({ message: messages.missingModule(found), span: found.guard.span });
        const limits = findOtherMpmLimits(context.project);
        if (limits) context.report({ message: messages.otherMpm(limits), span: limits.guard.span });
        for (const guard of context.project.guards.filter(({ isUndecided }) => !isUndecided)) {
          const opposite = findOpposite(guard);
          if (opposite) {
            const related = [{ message: labels.opposite, span: opposite.span }];
            context.report({ message: messages.contradiction(guard), span: guard.span, related });
            continue;
          }
          const message = misread(guard) ?? describeFirstReleaseOnly(guard);
          const other =
            guard.kind === "<ifmodule" ? findOtherPhp(guard, testedNamesOf(guard), context.project) : undefined;
          if (message !== undefined) context.report({ message, span: guard.span });
          else if (other) context.report({ message: messages.otherPhp(guard, other.id, other.file), span: guard.span });
          else if (guard.kind === "<ifmodule") reportName(guard, testedNamesOf(guard), context);
        }
      },
    };
  },
});

/** The modules of PHP, each with the name of its file: an older one has the number of its release. */
const phpModules = [
  { id: "php_module", file: "mod_php.c" },
  { id: "php7_module", file: "mod_php7.c" },
  { id: "php5_module", file: "mod_php5.c" },
] as const;

/**
 * Returns the PHP that a server has, for a section that is for another one, if none is for its own.
 *
 * @param tested the names in sections of the same file
 */
function findOtherPhp({ argument, negated }: Guard, tested: ReadonlySet<string>, project: RuleContext["project"]) {
  const isOf = ({ id, file }: (typeof phpModules)[number]) => argument === id || argument === file;
  const own = phpModules.find(({ id }) => project.modules.has(id));
  if (negated || own === undefined || !project.modulesAreKnown || !phpModules.some(isOf) || isOf(own)) return undefined;
  return tested.has(own.id) || tested.has(own.file) ? undefined : own;
}

/**
 * Returns the names in conditional sections that may complement one: those of the main files, and for a `.htaccess`
 * file its own as well.
 */
function conditionIn({ guards, htaccess }: RuleContext["project"]): (guard: Guard) => ReadonlySet<string> {
  const ofFiles = new Map(htaccess.map(({ tree }) => [tree.source, new Set<string>()]));
  const ofMain = new Set<string>();
  for (const { argument, span } of guards) (ofFiles.get(span.file) ?? ofMain).add(argument);
  for (const own of ofFiles.values()) for (const argument of own.size > 0 ? ofMain : []) own.add(argument);
  return ({ span }) => ofFiles.get(span.file) ?? ofMain;
}

/**
 * Returns the innermost conditional section on a module of both releases, unless another one around it distinguishes
 * the releases.
 */
function undecidedGuard(innermost: Guard | undefined): Guard | undefined {
  let found: Guard | undefined;
  for (let guard = innermost; guard; guard = guard.parent) {
    if (guard.kind !== "<ifmodule" || deciding.has(guard.argument)) return undefined;
    if (found === undefined && undecided.has(guard.argument)) found = guard;
  }
  return found;
}

/**
 * Returns the module that a conditional section around the directive should test for; undefined if both releases
 * support the directive.
 */
function moduleWanted(directive: Directive): string | undefined {
  if (oldAccess.has(directive.key)) return "mod_access_compat.c";
  if (containers.has(directive.key)) return "mod_authz_core.c";
  if (directive.key !== "require") return undefined;
  const [first, second] = directive.arguments.map((argument) => argument.value);
  const provider = first?.toLowerCase() === "not" ? second : first;
  return newProviders.has(provider ?? "") ? "mod_authz_core.c" : undefined;
}

function reportUndecided(guard: Guard, directive: Directive, wanted: string, { release, report }: RuleContext): void {
  if (!isSince(release, "2.4")) return;
  report({
    message: messages.undecided(guard, directive, wanted),
    span: guard.span,
    related: [{ message: labels.directive, span: directive.span }],
  });
}

/** Finds a section around a skipped one with the opposite condition. */
function findOpposite({ kind, argument, negated, holds, parent }: Guard): Guard | undefined {
  if (holds || kind === "<ifversion") return undefined;
  for (let outer = parent; outer; outer = outer.parent)
    if (outer.kind === kind && outer.negated !== negated && nameModule(outer) === nameModule({ kind, argument }))
      return outer;
  return undefined;
}

function nameModule({ kind, argument }: Pick<Guard, "kind" | "argument">): string {
  return (kind === "<ifmodule" && findModuleByName("2.4", argument)?.file) || argument;
}

/** Describes the error in a condition that is written as if several arguments were read. */
function misread(guard: Guard): MessageText | undefined {
  const { kind, argument, negated, unread = "" } = guard;
  // Templates are not checked.
  if (kind === "<ifversion" || /\{\{|<%/.test(`${argument} ${unread}`)) return undefined;
  const section = sectionNameOf(kind);
  const [first = "", second, more] = [argument, ...unread.split(/[\t-\r ]+/)].map(toReadable);
  if (argument.startsWith("!"))
    return messages.negatedName(guard, `${section} ${first.replace(/^!+/, negated ? "" : "!")}>`);
  if (second === undefined || second === "" || second.startsWith("#")) return undefined;
  if (/^not$/i.test(first) && more === undefined)
    return messages.notAsWord(guard, `${section} ${negated ? "" : "!"}${second}>`);
  return messages.severalNames(guard, unread);
}

/** `<IfVersion 2.4>` matches only 2.4.0: omitted parts of a version count as 0. */
function describeFirstReleaseOnly({ kind, argument }: Guard): MessageText | undefined {
  const [, operator = "", version = ""] = /^(?:(!?==?|<=) )?(\d+(?:\.\d+)?)$/.exec(argument) ?? [];
  if (kind !== "<ifversion" || version === "") return undefined;
  const first = version.includes(".") ? `${version}.0` : `${version}.0.0`;
  if (operator === "<=") return messages.upToFirstRelease(version, first, nextOf(version));
  const pattern = `^${version.replace(".", "\\.")}\\.`;
  return (operator.startsWith("!") ? messages.notFirstRelease : messages.firstRelease)(version, first, pattern);
}

function nextOf(version: string): string {
  return version.replace(/\d+$/, (number) => `${Number(number) + 1}`);
}

/** Reports a name that cannot match, or no longer can. */
function reportName(guard: Guard, testedNames: ReadonlySet<string>, { project, release, report }: RuleContext): void {
  const { argument } = guard;
  const removedModule = findRemovedModule(release, argument);
  if (removedModule) {
    const successors = successorsOf(release, removedModule);
    // Beside a test for the new name, it is the half for the older release.
    if (successors.some(({ file, identifier }) => testedNames.has(file) || testedNames.has(identifier))) return;
    const fix = fixOf(guard, successors);
    report({
      // The settings of another system's MPM never applied on this one.
      ...(removedModule.identifier.startsWith("mpm_") && !guard.negated ? { severity: "info" } : {}),
      message: messages.removed(guard, removedModule, successors, release),
      span: guard.span,
      ...(fix ? { fix } : {}),
    });
    return;
  }
  if (findModuleByName("2.4", argument) || findModuleByName("2.2", argument)) return;
  if (/^\w+(?:\.c)?(?:,\w+(?:\.c)?)+$/.test(argument)) {
    report({ message: messages.nameList(guard), span: guard.span });
    return;
  }
  const intended = findIntendedName(argument, release) ?? findMisspelledModule(guard, project);
  if (intended === undefined) return;
  report({ message: messages.unknownName(guard, intended), span: guard.span });
}

/** Returns a fix that tests for the only successor, by the same kind of name. */
function fixOf({ argument, span }: Guard, [one, ...others]: readonly Module[]): Fix | undefined {
  const parts = span.file.text.slice(span.start, span.end).split(argument);
  const [before = "", ...after] = parts;
  if (one === undefined || others.length > 0 || after.length !== 1) return undefined;
  const start = span.start + before.length;
  const name = argument.endsWith(".c") ? one.file : one.identifier;
  const edit = replaceSpan({ ...span, start, end: start + argument.length }, name);
  return edit && { title: fixTitles.replace(name), safety: "unsafe", edits: [edit] };
}

/** Returns the remedy for a conditional section on a removed module. */
function adviceOn(successors: readonly Module[], isNegated: boolean): string {
  const files = successors.map(({ file }) => `\`${file}\``);
  const last = files.pop();
  if (last === undefined)
    return isNegated ? "delete the section, but keep its contents" : "delete the section with its contents";
  if (files.length === 0) return `test for ${last}`;
  return `test for the module of these directives: ${files.join(", ")} or ${last}`;
}

/**
 * Returns the intended file or identifier: for a name without suffix, in another case, or derived from the module's
 * name.
 */
function findIntendedName(argument: string, release: Release): string | undefined {
  const base = argument.toLowerCase().replace(/\.(c|so)$/, "");
  const bare = base.replace(/^mod_/, "").replace(/_mod\w*$/, "");
  const module =
    findModuleByName(release, `${bare}_module`) ??
    findModuleByManualName(release, `mod_${bare}`) ??
    findModuleByManualName(release, bare);
  if (module) return module.file;
  // Another server that reads the same files defines its own name.
  if (bare === "litespeed") return undefined;
  // A plain name is neither a file nor an identifier of any module. Templates and variables are not checked.
  if (!/^\w+(\.so)?$/.test(argument) || argument.endsWith("_module")) return undefined;
  return base.startsWith("mod_") ? `${base}.c` : `${base}_module`;
}
