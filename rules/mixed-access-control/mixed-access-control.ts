import {
  type AccessAnswer,
  allowsEveryClient,
  type CompatRules,
  compatDirectiveNames,
  convertNamedClients,
  convertToRequire,
  describeProbe,
  describeRequireTree,
  dropCompatRules,
  dropRequireRules,
  findWitness,
  formatDirectiveNames,
  formatLineTitle,
  type Inspector,
  isCompatDirective,
  isDenyAll,
  isGrantAll,
  isHostBased,
  isNewProvider,
  isRequireContainer,
  lacksRequire,
  type ProbeContext,
  parseCompatRules,
  parseRequireLine,
  type RulesTransform,
  requireLinesOf,
  requireRulesOf,
  sourceLayersOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  isSince,
  type Scope,
  SectionValidator,
  sectionNameOf,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  type MessageText,
  type Related,
  type Report,
  shortenText,
  toReadable,
} from "../../src/lint/api/rule.js";

/** @param any whether Satisfy Any applies */
const describeMixture = (any: boolean) =>
  any
    ? ["with `Satisfy any`, one of the two is enough to allow a request"]
    : ["mod_access_compat is checked first", "`Require` cannot allow a client that mod_access_compat denies"];

const headerOf = (compat: readonly Directive[], modern: Directive) =>
  `${formatDirectiveNames(compat)} ${compat.length > 1 ? "are" : "is"} mixed with ${titleOf(modern)} in one section`;

/** The mixture is rarely meant: the author wants the one or the other, and the first remedy is the likelier one. */
const remediesFor = (compat: readonly Directive[], any: boolean, form: string) => {
  if (any) return [`replace all of these directives with ${form}`];
  const onlyNew = `to let only the \`Require\` directives decide, delete ${formatDirectiveNames(compat)}`;
  const asNow = `to keep what the section does now, replace all of these directives with ${form}`;
  return form === "`Require all denied`" ? [onlyNew, asNow] : [asNow, onlyNew];
};

const messages = {
  mixed: (compat: readonly Directive[], modern: Directive, any: boolean) => ({
    message: headerOf(compat, modern),
    notes: describeMixture(any),
    help: ["keep only the `Require` directives, or only the mod_access_compat directives"],
  }),
  mixedAs: (compat: readonly Directive[], modern: Directive, any: boolean, form: string) => ({
    message: headerOf(compat, modern),
    notes: [...(form === "`Require all denied`" ? ["no client is allowed"] : []), ...describeMixture(any)],
    help: remediesFor(compat, any, form),
  }),
  /** @param named the Require directives for the clients that the lists name, which have no effect */
  mixedLists: (compat: readonly Directive[], modern: Directive, any: boolean, form: string, named: string) => ({
    message: headerOf(compat, modern),
    notes: [
      form === "`Require all denied`" ? "no client is allowed" : "every client is allowed, listed or not",
      ...describeMixture(any),
    ],
    help: [
      `to give the lists effect, replace all of these directives with ${named}`,
      `to keep what the section does now, replace them with ${form}`,
    ],
  }),
  mixedByInheritance: (own: Directive, outer: Directive, any: boolean, answer: AccessAnswer) => ({
    message: `${formatLineTitle(own)} is mixed with the inherited ${formatLineTitle(outer)}`,
    notes: [...describeMixture(any), describeProbe(answer)],
    help: ["use either `Require` or mod_access_compat directives in both sections"],
  }),
  listWithoutEffect: ({ directives }: CompatRules, named: string) => ({
    message: `${formatDirectiveNames(directives)} restrict nothing: the section has no \`Deny\``,
    notes: ["only `Require` decides here"],
    help: [`to allow the listed clients, too, use ${named} instead`],
  }),
  /** @param mayOverride whether the line may override outer mod_access_compat rules */
  noEffect: ({ directives }: CompatRules, mayOverride: boolean) => ({
    message: `${formatDirectiveNames(directives)} has no effect: it allows every client`,
    notes: ["only `Require` decides here"],
    help: [mayOverride ? "delete it, unless it overrides inherited mod_access_compat directives" : "delete it"],
  }),
  noEffects: ({ directives }: CompatRules, mayOverride: boolean) => ({
    message: `${formatDirectiveNames(directives)} have no effect: they allow every client`,
    notes: ["only `Require` decides here"],
    help: [mayOverride ? "delete them, unless they override inherited mod_access_compat directives" : "delete them"],
  }),
  opensNothing: ({ directives }: CompatRules, modern: Directive) => ({
    message: `${formatDirectiveNames(directives)} ${directives.length > 1 ? "do" : "does"} not open this section`,
    notes: [`clients that ${titleOf(modern)} does not allow are still denied: both must allow a client`],
    help: [
      `to keep the restriction, delete ${formatDirectiveNames(directives)}`,
      "to allow every client, replace all of these directives with `Require all granted`",
    ],
  }),
  inSections: (header: string) => ({
    before: `${header} (here and in `,
    one: "1 more section)",
    several: " more sections)",
  }),
};

const labels = {
  same: "same here",
  inherited: "inherited from here",
  modern: "also applies",
  guardsCompat: (condition: string) => `\`${condition}\` is active, but only this side is conditional`,
  guardsRequire: (condition: string) => `\`${condition}\` is active, but only this side is conditional`,
};

export const mixedAccessControl = defineRule({
  id: "mixed-access-control",
  title: "mod_access_compat and Require are mixed",
  group: "access",
  severity: "warning",
  description:
    "Order, Allow, Deny or Satisfy apply together with access control that only 2.4 has, such as `Require ip`.",
  help: "httpd checks mod_access_compat directives first, and `Require` cannot allow a client that they deny. With `Satisfy any`, one of the two is enough. Conditional sections are taken into account: an `<IfModule>` pair for both releases is correct, a section around only one side is not. `Require user`, `group` and `valid-user` exist in both releases and are not a mixture. Keep only one kind, preferably `Require`.",
  securitySeverity: 5,
  tags: ["upgrade", "access-control", "security"],
  upgrade: "recommended",
  supersedes: ["old-access-control"],
  messages,
  check: ({ project, release, report }) => {
    if (lacksRequire(project)) return {};
    const refusals = new SectionValidator(project);
    const passing: (Pick<Report, "span" | "related"> & {
      readonly rules: CompatRules;
      readonly narrower: Directive | undefined;
    })[] = [];
    const found: Scope[] = [];
    // The inherited configuration of a fragment is unknown.
    const mayOverride = () => project.kind !== "server" || found.some((scope) => !isOpen(scope));
    return {
      probe: { applies: (scope, scopes) => scopes.mayInheritOther(scope), check: checkAcross },
      directives: refusals.directives,
      end() {
        const isInDoubt = passing.length > 0 && mayOverride();
        for (const { rules, narrower, ...place } of passing) {
          const named = describeNamedClients(rules);
          const message =
            named !== undefined
              ? messages.listWithoutEffect(rules, named)
              : narrower !== undefined
                ? messages.opensNothing(rules, narrower)
                : rules.directives.length > 1
                  ? messages.noEffects(rules, isInDoubt)
                  : messages.noEffect(rules, isInDoubt);
          const cause = {
            key: message.message,
            header: messages.inSections(message.message),
            also: labels.same,
          };
          report({ ...place, severity: "info", message, cause });
        }
      },
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          if (!isSince(release, "2.4") || scope.place === "server" || scope.place === "virtualhost") return;
          const compat = scope.directives.find(isCompatDirective);
          if (compat === undefined) return;
          found.push(scope);
          const modern = scope.directives.find(isNew);
          if (modern === undefined) return;
          const isRefused = refusals.holdsRefused(scope);
          const related = relatedOf(compat, modern);
          const rules = isRefused ? undefined : parseCompatRules(scope.directives);
          if (rules && allowsAll(rules)) {
            const narrower = opensForAll(rules) && isNarrower(rules, scope) ? modern : undefined;
            passing.push({ rules, narrower, span: compat.span, related });
          } else report({ message: createMessage(scope, modern, isRefused), span: compat.span, related });
        },
      },
    };
  },
});

/** Returns whether mod_access_compat rules allow every client with every method, and leave the decision to Require. */
function allowsAll(rules: CompatRules): boolean {
  const lines = [...rules.orders, ...rules.satisfies];
  return (
    allowsEveryClient(rules) &&
    rules.unreadable.length === 0 &&
    lines.every(({ limits }) => limits.length === 0) &&
    rules.satisfies.every(({ satisfy }) => satisfy === "all")
  );
}

/** Returns whether a line allows all clients by name: it is there to open the section. */
function opensForAll({ directives }: CompatRules): boolean {
  return directives.some(({ key, argumentText }) => key === "allow" && /^from\s+all$/i.test(argumentText.trim()));
}

/** Returns whether the Require directives of a section deny some clients. */
function isNarrower(rules: CompatRules, scope: Scope): boolean {
  const verdict = convertToRequire(rules, requireRulesOf(scope));
  return "form" in verdict && !isGrantAll(verdict.form);
}

function isOpen({ directives }: Scope): boolean {
  const rules = parseCompatRules(directives);
  return rules !== undefined && allowsAll(rules);
}

/** Returns whether a directive is access control that only 2.4 supports. */
function isNew(directive: Directive): boolean {
  if (directive.key === "authmerging" || isRequireContainer(directive)) return true;
  if (directive.key !== "require") return false;
  const { negated, provider } = parseRequireLine(directive);
  return negated || isNewProvider(provider);
}

/**
 * Reports mod_access_compat rules of one section that apply together with Require rules of another, if the inherited
 * ones affect a request. If Require checks only the client, compat-precedence reports which of the two is overridden.
 * If the mod_access_compat rules are inherited with Satisfy Any, satisfy-any reports it.
 */
function checkAcross(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, layer, state } = situation;
  if (!compat || !require || isHostBased(require, state)) return undefined;
  const layers = sourceLayersOf(require);
  const modern = layers.flatMap(({ directives }) => directives).find(isNew);
  const [firstCompat] = compat.rules.directives;
  const any = compat.rules.satisfies.at(-1)?.satisfy === "any";
  if (any && layer !== compat.layer) return undefined;
  if (
    layers.includes(compat.layer) ||
    !modern ||
    !firstCompat ||
    layer !== state.layers.findLast((each) => each === compat.layer || layers.includes(each))
  )
    return undefined;
  const lines = [...compat.rules.directives, ...requireLinesOf(require)];
  const differs = (read: RulesTransform) =>
    findWitness(inspector, situation, lines, (answer) => {
      const without = inspector.probe(situation, answer.request, read);
      return without !== undefined && without.class !== answer.class;
    });
  const answer = differs(dropCompatRules);
  if (!answer || (layer === compat.layer && !differs(dropRequireRules))) return undefined;
  const decider = answer.decidedBy.find(isCompatDirective) ?? firstCompat;
  const [own, outer] = layer === compat.layer ? [firstCompat, modern] : [modern, decider];
  return {
    message: messages.mixedByInheritance(own, outer, any, answer),
    span: own.span,
    related: [{ message: labels.inherited, span: outer.span }],
    witness: inspector.witness(answer),
  };
}

/** Describes the Require directives for the clients that Allow and Deny name; undefined if there are none. */
function describeNamedClients(rules: CompatRules): string | undefined {
  const named = convertNamedClients(rules);
  return named && describeRequireTree(named);
}

/** Returns the text about a section with both kinds of rules: with the equivalent Require form, if there is one. */
function createMessage(scope: Scope, modern: Directive, isRefused: boolean): MessageText {
  const lines = scope.directives.filter(isCompatDirective);
  const compat = parseCompatRules(scope.directives);
  const any = compat?.satisfies.at(-1)?.satisfy === "any";
  const verdict = compat && !isRefused && convertToRequire(compat, requireRulesOf(scope));
  const form = verdict && "form" in verdict ? verdict.form : undefined;
  const named = compat && form && (isGrantAll(form) || isDenyAll(form)) ? describeNamedClients(compat) : undefined;
  if (verdict && "form" in verdict && named !== undefined)
    return messages.mixedLists(lines, modern, any, describeRequireTree(verdict), named);
  return verdict && "form" in verdict
    ? messages.mixedAs(lines, modern, any, describeRequireTree(verdict))
    : messages.mixed(lines, modern, any);
}

function relatedOf(compat: Directive, modern: Directive): Related[] {
  const related = [{ message: labels.modern, span: modern.span }];
  const sides = [[labels.guardsCompat, compat, modern] as const, [labels.guardsRequire, modern, compat] as const];
  for (const [label, directive, other] of sides) {
    const { guard } = directive;
    if (guard === undefined || guard === other.guard) continue;
    const condition = toReadable(`${sectionNameOf(guard.kind)} ${guard.negated ? "!" : ""}${guard.argument}>`);
    related.push({ message: label(condition), span: guard.span });
  }
  return related;
}

function titleOf(directive: Directive): string {
  if (directive.children) return `\`${directive.name}>\``;
  return `\`${shortenText(`${directive.name} ${toReadable(directive.argumentText)}`, 50)}\``;
}
