import { matchGroupsOf } from "../../src/lint/api/access.js";
import {
  addressKeysOf,
  areContradictory,
  type Directive,
  escapePattern,
  listConnectionTls,
  type PatternTest,
  type Project,
  type RewriteCondition,
  type RewriteRule,
  type Scope,
  tlsServersOf,
} from "../../src/lint/api/configuration.js";
import { fileKindOf } from "./condition-lists.js";
import { patternOf, variableOf } from "./variable-values.js";

/** Why a condition never holds in its virtual host, or for the requests of its rule. */
export type PlaceFact =
  | { readonly kind: "tls"; readonly variable: string; readonly isOn: boolean }
  | { readonly kind: "names"; readonly names: readonly string[] }
  /** Another virtual host of its addresses has the name. */
  | { readonly kind: "other host"; readonly host: Directive }
  | { readonly kind: "rule"; readonly pattern: string; readonly isNegated: boolean }
  | { readonly kind: "files" };

/** A condition with the reason for which it never holds where it is. */
export interface PlacedCondition {
  readonly condition: RewriteCondition;
  readonly fact: PlaceFact;
}

/** Finds conditions that never hold where they are, although they may elsewhere. */
export class PlaceFacts {
  private tls: ReadonlyMap<Directive, boolean> | undefined;
  private later: ReadonlySet<Directive> | undefined;

  constructor(private readonly project: Project) {}

  /**
   * Finds a condition of a rule that never holds. A condition that `OR` joins to others is left out: the rule applies.
   *
   * @param isOnOriginalPath whether no earlier rule of the scope has changed the path that the pattern is compared with
   */
  find(rule: RewriteRule, scope: Scope, isOnOriginalPath: boolean): PlacedCondition | undefined {
    const needed = rule.conditions.filter(({ orNext }, index) => !orNext && !rule.conditions[index - 1]?.orNext);
    for (const condition of needed) {
      const fact = this.factOf(condition, scope);
      if (fact) return { condition, fact };
    }
    const onFiles = findFileKinds(needed);
    if (onFiles) return { condition: onFiles, fact: { kind: "files" } };
    const isOfServer = scope.place === "server" || scope.place === "virtualhost";
    return isOfServer && isOnOriginalPath ? findOtherPath(rule, needed) : undefined;
  }

  private factOf(condition: RewriteCondition, { place, section }: Scope): PlaceFact | undefined {
    const test = testOf(condition);
    if (test === undefined || place !== "virtualhost" || section === undefined) return undefined;
    const variable = variableOf(condition) ?? "";
    switch (variable) {
      case "HTTPS":
      case "SERVER_PORT": {
        this.tls ??= listConnectionTls(this.project);
        const isOn = this.tls.get(section);
        const known = isOn === undefined ? [] : variable === "HTTPS" ? valueOfHttps(isOn) : portsOf(section, isOn);
        return isOn !== undefined && known.length > 0 && areContradictory([...known, test])
          ? { kind: "tls", variable, isOn }
          : undefined;
      }
      case "HTTP_HOST":
      // The name in the Host header, or that of ServerName (server/core.c `ap_get_server_name`).
      case "SERVER_NAME": {
        // A file that is not here may add names.
        const isComplete = !this.project.includes.some(({ mayHaveFiles }) => mayHaveFiles);
        const names = isComplete ? namesOf(section) : undefined;
        // Most conditions hold for one of the names.
        if (names === undefined || names.some((name) => passes(test, name))) return undefined;
        if (!this.isLater(section)) return this.findOtherHost(section, names, test);
        return areContradictory([{ pattern: patternOfNames(names), ignoreCase: true }, test])
          ? { kind: "names", names }
          : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Finds a virtual host of the same addresses that takes all requests with the names that a test asks for. */
  private findOtherHost(section: Directive, own: readonly string[], test: PatternTest): PlaceFact | undefined {
    const keys = addressKeysOf(section, this.project).toSorted().join(" ");
    const isOwn = { pattern: patternOfNames(own), ignoreCase: true };
    for (const { directives } of tlsServersOf(this.project)) {
      const host = directives.section;
      const names = host === undefined || host === section ? undefined : namesOf(host);
      if (host === undefined || names === undefined || addressKeysOf(host, this.project).toSorted().join(" ") !== keys)
        continue;
      if (!names.some((name) => passes(test, name)) || !areContradictory([isOwn, test])) continue;
      const others = { pattern: patternOfNames(names), ignoreCase: true, isNegated: true };
      if (areContradictory([others, test])) return { kind: "other host", host };
    }
    return undefined;
  }

  /** Returns whether another virtual host takes the requests with names that no virtual host of its addresses has. */
  private isLater(host: Directive): boolean {
    this.later ??= listLaterHosts(this.project);
    return this.later.has(host);
  }
}

function listLaterHosts(project: Project): ReadonlySet<Directive> {
  const seen = new Set<string>();
  const later = new Set<Directive>();
  for (const { directives } of tlsServersOf(project)) {
    if (directives.section === undefined) continue;
    const keys = addressKeysOf(directives.section, project);
    if (keys.length > 0 && keys.every((key) => seen.has(key))) later.add(directives.section);
    for (const key of keys) seen.add(key);
  }
  return later;
}

function testOf(condition: RewriteCondition): PatternTest | undefined {
  const pattern = patternOf(condition);
  const { isNegated, ignoreCase } = condition;
  return pattern === undefined ? undefined : { pattern, isNegated, ignoreCase };
}

/** Reports whether it is known that a name without wildcards passes a test. */
function passes({ pattern, isNegated = false, ignoreCase = false }: PatternTest, name: string): boolean {
  if (/[*?]/.test(name)) return false;
  const groups = matchGroupsOf(pattern, name, ignoreCase);
  return groups !== undefined && (groups !== false) !== isNegated;
}

function valueOfHttps(isOn: boolean): readonly PatternTest[] {
  return [{ pattern: isOn ? "^on$" : "^off$" }];
}

/**
 * Returns what is known of the port: it is that of the `Host` header, or else that of ServerName or of the address
 * (server/core.c `ap_get_server_port`). A request to the standard port of one scheme does not have that of the other one.
 */
function portsOf({ arguments: addresses, children }: Directive, isOn: boolean): readonly PatternTest[] {
  const [own, other] = isOn ? ["443", "80"] : ["80", "443"];
  const isUsual = addresses.length > 0 && addresses.every(({ value }) => value.endsWith(`:${own}`));
  const hasPort = children?.some(({ key, argumentText }) => key === "servername" && argumentText.includes(":"));
  return isUsual && !hasPort ? [{ pattern: "^\\d+$" }, { pattern: other, isNegated: true }] : [];
}

/** Returns the names of a virtual host in lower case; undefined if they are not known. */
function namesOf({ children = [] }: Directive): readonly string[] | undefined {
  const lines = children.filter(({ key }) => key === "servername" || key === "serveralias");
  const names = lines.flatMap(({ arguments: words }) => words.map(({ value }) => value.toLowerCase()));
  const bare = names.map((name) => name.replace(/^https?:\/\//, "").replace(/:\d+$/, ""));
  const isKnown = lines.some(({ key }) => key === "servername") && bare.every((name) => /^[\w.*?-]+$/.test(name));
  return isKnown && !children.some(({ key }) => key === "serverpath") ? bare : undefined;
}

function patternOfNames(names: readonly string[]): string {
  const texts = names.map((name) => escapePattern(name).replaceAll("\\*", ".*").replaceAll("\\?", "."));
  return `^(?:${texts.join("|")})\\.?(?::\\d+)?$`;
}

/** Finds a condition that wants one path to be a directory, after another one that wants it to be a file, or the reverse. */
function findFileKinds(conditions: readonly RewriteCondition[]): RewriteCondition | undefined {
  const kinds = new Map<string, string>();
  return conditions.find((condition) => {
    const { input, isNegated } = condition;
    const kind = isNegated ? undefined : fileKindOf(condition);
    if (kind === undefined) return false;
    const before = kinds.get(input);
    kinds.set(input, before ?? kind);
    return before !== undefined && before !== kind;
  });
}

/** Finds a condition on the path that no path with the pattern of the rule fulfils. */
function findOtherPath(
  { pattern, isNegated, flags }: RewriteRule,
  conditions: readonly RewriteCondition[],
): PlacedCondition | undefined {
  const own: PatternTest = { pattern, isNegated, ignoreCase: flags.names.has("nocase") };
  const condition = conditions.find((each) => {
    const test = variableOf(each) === "REQUEST_URI" ? testOf(each) : undefined;
    return (
      test !== undefined &&
      areContradictory([{ pattern: "^/" }, own, test]) &&
      !areContradictory([{ pattern: "^/" }, test])
    );
  });
  return condition && { condition, fact: { kind: "rule", pattern, isNegated } };
}
