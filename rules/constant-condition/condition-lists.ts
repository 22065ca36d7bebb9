import { areContradictory, type PatternTest, type RewriteCondition } from "../../src/lint/api/configuration.js";
import { patternOf, variableOf } from "./variable-values.js";

/** Two neighbouring conditions of a rule, of which the first should have another flag. */
export interface ConditionPair {
  /**
   * `never`: no value passes both lists; `unlikely`: one would need two texts; `always`: each value passes one; `not both`: each
   * path passes one, because none is a file and a directory.
   */
  readonly kind: "never" | "unlikely" | "always" | "not both";
  /** The condition to change. */
  readonly before: RewriteCondition;
  readonly condition: RewriteCondition;
  /** Sizes of the two lists that `OR` joins. */
  readonly sizes: readonly [number, number];
}

/** Limit of the pairs of patterns that are compared for two lists. */
const MAX_PAIRS = 64;
/** Number of conditions with which a list of texts is more likely than two lists. */
const MIN_LIST = 5;

/** Finds two lists of conditions on one text that no value passes, or two of which each value passes one. */
export function findConditionPair(conditions: readonly RewriteCondition[]): ConditionPair | undefined {
  for (const list of listsOf(conditions))
    for (const [index, condition] of list.entries()) {
      const before = list[index - 1];
      if (before && isAlways(before, condition)) return { kind: "always", before, condition, sizes: [1, 1] };
      const other = list.slice(0, index).find((each) => areOtherKinds(each, condition));
      if (other) return { kind: "not both", before: other, condition, sizes: [1, 1] };
    }
  const lists = listsOf(conditions);
  for (const [index, list] of lists.entries()) {
    const earlier = lists[index - 1];
    const [before, condition] = [earlier?.at(-1), list[0]];
    if (earlier === undefined || before === undefined || condition === undefined) continue;
    if (![...earlier, ...list].every((each) => isComparable(each, condition) && !each.isNegated)) continue;
    const kind = areApart(earlier, list) ? "never" : isLikelyOneList(earlier, list) ? "unlikely" : undefined;
    if (kind) return { kind, before, condition, sizes: [earlier.length, list.length] };
  }
  return undefined;
}

/** Returns the lists of conditions that `OR` joins; all lists must hold. */
function listsOf(conditions: readonly RewriteCondition[]): readonly (readonly RewriteCondition[])[] {
  const lists: RewriteCondition[][] = [];
  let isJoined = false;
  for (const condition of conditions) {
    const last = lists.at(-1);
    if (last && isJoined) last.push(condition);
    else lists.push([condition]);
    isJoined = condition.orNext;
  }
  return lists;
}

/** Reports whether two conditions test one value: a back reference has another one after each condition. */
function isComparable(a: RewriteCondition, b: RewriteCondition): boolean {
  const isSame = a.input.toLowerCase() === b.input.toLowerCase() && !/%\d/.test(a.input);
  return isSame && patternOf(a) !== undefined && patternOf(b) !== undefined;
}

function isAlways(before: RewriteCondition, condition: RewriteCondition): boolean {
  return (
    before.isNegated &&
    condition.isNegated &&
    isComparable(before, condition) &&
    areContradictory([testOf(before), testOf(condition)])
  );
}

/** Reports whether two conditions exclude files and directories of one path, so that each path passes one of them. */
function areOtherKinds(before: RewriteCondition, condition: RewriteCondition): boolean {
  const [kind, other] = [before, condition].map((each) => (each.isNegated ? fileKindOf(each) : undefined));
  return kind !== undefined && other !== undefined && kind !== other && before.input === condition.input;
}

/** Returns what a condition tests a path for; undefined for other tests, and for a back reference, which may change. */
export function fileKindOf({ input, test }: RewriteCondition): "file" | "directory" | undefined {
  return test.kind === "file" && !/%\d/.test(input) ? kindsOfTests[test.test.replace(/^-/, "")] : undefined;
}

/** What the tests of a path tell about its kind: `-s` is for a file with content. */
const kindsOfTests: Readonly<Record<string, "file" | "directory">> = { f: "file", s: "file", d: "directory" };

/** Reports whether no value passes a condition of each list. */
function areApart(list: readonly RewriteCondition[], other: readonly RewriteCondition[]): boolean {
  if (list.length * other.length > MAX_PAIRS) return false;
  return list.every((each) => other.every((one) => areContradictory([testOf(each), testOf(one)])));
}

function testOf({ ignoreCase, ...condition }: RewriteCondition): PatternTest {
  return { pattern: patternOf({ ...condition, ignoreCase }) ?? "", ignoreCase };
}

/** Variables whose value has one host name. */
const hostVariables: ReadonlySet<string> = new Set(["HTTP_HOST", "HTTP_REFERER", "SERVER_NAME"]);

/** A pattern with a host name, and nothing before or after it but a scheme and other labels. */
const hostPattern = /^[^/=]*(?:https?[^/=]*:\/\/)?[^/=]*[\w-]\\?\.[a-z]{2,}[^/\w]*$/i;

/**
 * Reports whether two lists were meant to be one: a value may match two patterns that are not anchored, but a request has one
 * referrer and one host, and few lists of programs are split.
 */
function isLikelyOneList(list: readonly RewriteCondition[], other: readonly RewriteCondition[]): boolean {
  const all = [...list, ...other];
  const [variable] = all.map(variableOf);
  const namesHosts = all.every((each) => hostPattern.test(patternOf(each) ?? ""));
  if (hostVariables.has(variable ?? "") && namesHosts)
    return all.length > 2 && list.every((each) => other.every((one) => !mayBeOneHost(hostIn(each), hostIn(one))));
  const isLong = list.length > 1 && other.length > 1 && all.length >= MIN_LIST;
  return variable === "HTTP_USER_AGENT" && isLong && !list.some(namesBrowser) && !other.some(namesBrowser);
}

/** Returns the part of a host name at the end of a pattern. */
function hostIn(condition: RewriteCondition): string {
  const [, host = ""] = /((?:[\w-]+\\?\.)+[\w-]+)\W*$/.exec(patternOf(condition) ?? "") ?? [];
  return host.replace(/\\/g, "").toLowerCase();
}

/** Reports whether a host name may contain two parts: `shop.example.com` contains `shop.example` and `example.com`. */
function mayBeOneHost(a: string, b: string): boolean {
  return a.includes(b) || b.includes(a) || overlaps(a, b) || overlaps(b, a);
}

function overlaps(before: string, after: string): boolean {
  const labels = before.split(".");
  return labels.some((_, index) => `${after}.`.startsWith(`${labels.slice(index).join(".")}.`));
}

/** Words of browsers and their platforms: one browser sends several of them, such as `Android` and `Mobile`. */
const browserWords =
  /android|blackberry|chrome|firefox|gecko|ip(?:hone|ad|od)|linux|mac|mobi|mozilla|msie|nokia|opera|safari|symbian|trident|webkit|windows/i;

function namesBrowser(condition: RewriteCondition): boolean {
  return browserWords.test(patternOf(condition) ?? "");
}
