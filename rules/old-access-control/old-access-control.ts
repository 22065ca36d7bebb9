import {
  type CompatRules,
  compatDirectiveNames,
  convertNamedClients,
  convertToRequire,
  describeRequireTree,
  isCompatDirective,
  isDenyAll,
  isGrantAll,
  listSkippedLines,
  listTreeProviders,
  moduleOfProvider,
  parseCompatRules,
  type RequireNode,
  refusedConversion,
  requireRulesOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  isSince,
  type Project,
  type Scope,
  SectionValidator,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  formatWordList,
  getOrCreate,
  type MessageText,
  partsOfText,
  type RootCause,
  textKeyOf,
} from "../../src/lint/api/rule.js";

const CORE = "authz_core_module";

/** The Require form that is equivalent to the lines of a section. */
interface EquivalentForm {
  readonly form: string;
  /** Modules to load first. */
  readonly missing: readonly string[];
  /** Whether 2.4 returns 500 for an AuthType without any Require; a Require that needs no user avoids that. */
  readonly avoids500: boolean;
  /** Whether it may replace an inherited Require. */
  readonly mayReplace: boolean;
  /** The Require form for the clients that lists without effect name. */
  readonly named: string | undefined;
}

const quoteNames = (names: readonly string[]) => formatWordList(names.map((name) => `\`${name}\``));

/** @param command the words that start the migration, and where */
const helpToMigrate = (command: string) => `${command} to convert all sections at once`;

const helpToTry = (command: string) => `${command}: it converts all sections together, or reports why it cannot`;

/** Returns the command for the migration. Settings name only servers, so a `.htaccess` file on its own is named. */
function commandFor({ kind, htaccessEntry }: Project): string {
  const path = kind === "htaccess" ? htaccessEntry?.file.tree.source.path : undefined;
  if (path === undefined) return "run `httpd-lint migrate`";
  return `run \`httpd-lint migrate ${path.replace(/^.*\//s, "")}\` in the directory of this file`;
}

const headerOf = (names: readonly string[]) =>
  `${quoteNames(names)} ${names.length === 1 ? "is" : "are"} deprecated (mod_access_compat)`;

const loadingOf = ({ missing }: EquivalentForm) => (missing.length === 0 ? [] : [`load ${quoteNames(missing)} first`]);

const notesOn = ({ form, missing, avoids500, mayReplace, named }: EquivalentForm) => [
  ...(named === undefined ? [] : ["the lists of this section have no effect"]),
  ...(avoids500 && form !== "`Require all denied`"
    ? [
        `${form} allows the same clients`,
        "as long as AuthType is set without any Require, 2.4 returns 500 to these clients (AH01627)",
      ]
    : [`${form} is equivalent within this section`]),
  ...(mayReplace ? ["a `Require` in this section overrides any inherited `Require`"] : []),
  ...(missing[0] === CORE ? [`without \`${CORE}\`, 2.4 returns 500 to every client that is allowed`] : []),
];

const messages = {
  convertible: (names: readonly string[], form: EquivalentForm, command: string) => ({
    message: headerOf(names),
    notes: notesOn(form),
    help: [
      ...loadingOf(form),
      ...(form.named === undefined ? [] : [`to give the lists effect, use ${form.named}`]),
      helpToMigrate(command),
    ],
  }),
  notConvertible: (names: readonly string[], why: string, command: string) => ({
    message: headerOf(names),
    notes: ["this section has no equivalent `Require` form", why],
    help: [helpToTry(command)],
  }),
  inManySections: (header: string) =>
    ({ before: `${header}, in `, one: "2 sections", several: " sections", countsAll: true }) as const,
};

const labels = { same: "same here" };

export const oldAccessControl = defineRule({
  id: "old-access-control",
  title: "Deprecated access control",
  group: "upgrade",
  severity: "info",
  description: "A section with Order, Allow, Deny or Satisfy, which 2.4 supports only for compatibility.",
  help: "The four directives belong to mod_access_compat, which is deprecated. They override Require in ways that are hard to predict. The finding shows the Require form that is equivalent within the section. Convert all sections at once or none: a mixture can change who has access.",
  tags: ["upgrade", "access-control"],
  upgrade: "recommended",
  editorTag: "deprecated",
  messages,
  check: ({ project, release, report }) => {
    const refusals = new SectionValidator(project);
    const texts = new Map<string, SectionText>();
    const found: Scope[] = [];
    // The inherited configuration of a fragment is unknown, and so are the contents of files outside the selection.
    let mayInherit = project.kind !== "server" || project.view !== undefined;
    return {
      directives: {
        ...refusals.directives,
        require: () => {
          mayInherit = true;
        },
      },
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          if (isSince(release, "2.4") && scope.place !== "server" && scope.place !== "virtualhost") found.push(scope);
        },
      },
      end() {
        const skipped = found.some(({ inHtaccess }) => inHtaccess) ? listSkippedLines(project) : [];
        const counts = new Map<string, number>();
        const reported: { readonly text: SectionText; readonly span: Directive["span"] }[] = [];
        for (const scope of found) {
          const first = scope.directives.find(isCompatDirective);
          if (first === undefined || (scope.inHtaccess && skipped.some((each) => each.has(first)))) continue;
          const text = getOrCreate(texts, keyOf(scope), () =>
            withKeys(createMessage(scope, refusals, mayInherit, project)),
          );
          counts.set(text.alike, (counts.get(text.alike) ?? 0) + 1);
          reported.push({ text, span: first.span });
        }
        const causes = new Map<SectionText, RootCause>();
        const isFleet = ({ alike }: SectionText) => (counts.get(alike) ?? 0) > MANY_SECTIONS;
        for (const { text, span } of reported) {
          const cause = getOrCreate(causes, text, () => causeOf(text, isFleet(text)));
          report({ message: text.message, span, cause });
        }
      },
    };
  },
});

/** Sections with different networks are reported once if there are more of them, as from a template of hosts. */
const MANY_SECTIONS = 20;

/** A message that sections share, with its keys. */
interface SectionText {
  readonly message: MessageText;
  /** Equal for equal messages. */
  readonly key: string;
  /** Also equal if only the networks are different. */
  readonly alike: string;
}

function withKeys(message: MessageText): SectionText {
  const key = textKeyOf(message);
  return { message, key, alike: key.replace(/\b\d+(?:\.\d+)+\.?(?:\/[\d.]+)?/g, "NETWORK") };
}

/** Groups sections with the same message, such as all that allow every client, at the first one. */
function causeOf({ message, key, alike }: SectionText, isFleet: boolean): RootCause {
  return {
    key: isFleet ? alike : key,
    header: messages.inManySections(partsOfText(message).message),
    also: labels.same,
  };
}

const relevantDirectives = new Set<string>([
  ...compatDirectiveNames,
  "authtype",
  "require",
  "<requireall",
  "<requireany",
  "<requirenone",
  "<limit",
  "<limitexcept",
]);

/** Returns a key for scopes with the same access control: their message is computed once. */
function keyOf({ directives, inHtaccess, place }: Scope): string {
  let key = `${inHtaccess} ${place === "unknown"}`;
  for (const directive of directives)
    if (relevantDirectives.has(directive.key))
      key += `\n${depthOf(directive)} ${directive.key} ${directive.argumentText}`;
  return key;
}

function depthOf(directive: Directive): number {
  let depth = 0;
  for (let outer = directive.parent; outer; outer = outer.parent) depth++;
  return depth;
}

/**
 * Returns the message about mod_access_compat directives in a section: the equivalent Require form, or why there is
 * none.
 *
 * @param mayInherit whether the section may inherit a Require
 */
function createMessage(scope: Scope, refusals: SectionValidator, mayInherit: boolean, project: Project): MessageText {
  const compat = parseCompatRules(scope.directives);
  if (compat === undefined) return "";
  const own = requireRulesOf(scope);
  const verdict = refusals.holdsRefused(scope) ? refusedConversion : convertToRequire(compat, own);
  const names = namesOf(compat);
  if ("none" in verdict) return messages.notConvertible(names, verdict.none, commandFor(project));
  const mayReplace = own.length === 0 && mayInherit;
  const lists = convertNamedClients(compat);
  const named = lists && describeRequireTree(lists);
  const form: EquivalentForm = {
    ...{ form: describeRequireTree(verdict), missing: missingModulesOf(verdict.form, project) },
    ...{ avoids500: own.length === 0 && setsAuthType(scope), mayReplace },
    named: own.length === 0 && (isGrantAll(verdict.form) || isDenyAll(verdict.form)) ? named : undefined,
  };
  return messages.convertible(names, form, commandFor(project));
}

/** Returns the modules to load before the server accepts a form. */
function missingModulesOf(form: RequireNode, { modules, modulesAreKnown }: Project): readonly string[] {
  const needed = [CORE, ...listTreeProviders(form).map(moduleOfProvider)].filter((module) => module !== undefined);
  return modulesAreKnown ? [...new Set(needed)].filter((module) => !modules.has(module)) : [];
}

/** Returns whether a section has an AuthType, for which 2.4 returns 500 if there is no Require. */
function setsAuthType({ directives }: Scope): boolean {
  return directives.some(({ key, argumentText }) => key === "authtype" && !/^"?none"?$/i.test(argumentText));
}

function namesOf(compat: CompatRules): string[] {
  const present = new Set(compat.directives.map((directive) => directive.key));
  return ["Order", "Allow", "Deny", "Satisfy"].filter((name) => present.has(name.toLowerCase()));
}
