import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { placedLinesOf } from "../../config/queries/deciding-facts.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { balancerNameIn } from "../../server/phases/balancer-members.js";
import { getOrCreate } from "../../text/collections.js";
import type { Pair } from "../model/server-pairs.js";
import { createUnprovedPart, type UnprovedPart } from "../model/unproved-reasons.js";

/**
 * Returns a member of a balancer of both sides that only one side has: with another scheme, or with parameters that switch it off.
 * A request may then find no member, or no module for its scheme. The addresses and the number of the members do not matter: a
 * backend counts as one that answers (mod_proxy_balancer.c `find_best_worker`).
 */
export function findBalancerDifference([before, after]: Pair<Project>): readonly UnprovedPart[] {
  const [here, there] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    if (!usesBalancer(before, name) || !usesBalancer(after, name)) continue;
    const [some, others] = [here.get(name), there.get(name)];
    const differing = findOther(others, some) ?? findOther(some, others);
    if (differing) return [createUnprovedPart("effect-on-answer", differing)];
  }
  return [];
}

/** The members of a balancer by what decides whether they take a request. */
type Members = ReadonlyMap<string, Directive>;

function findOther(members: Members | undefined, others: Members | undefined): Directive | undefined {
  return [...(members ?? [])].find(([kind]) => others?.has(kind) !== true)?.[1];
}

/** Returns the members of each balancer, by its name. */
function membersOf(project: Project): ReadonlyMap<string, Members> {
  const found = new Map<string, Map<string, Directive>>();
  const hasTls = placedLinesOf(project).some(
    ({ line }) => line.key === "sslproxyengine" && keywordArgumentOf(line) === "on",
  );
  for (const { line } of placedLinesOf(project)) {
    if (line.key !== "balancermember") continue;
    const words = argumentValuesOf(line);
    const isNamed = balancerNameIn(words[0] ?? "") !== undefined;
    const name = balancerNameIn((isNamed ? words[0] : line.parent && firstArgumentOf(line.parent)) ?? "");
    const [url = "", ...parameters] = isNamed ? words.slice(1) : words;
    const written = url.split(":")[0]?.toLowerCase() ?? "";
    // With SSLProxyEngine, one module connects to both.
    const scheme = written === "https" && hasTls ? "http" : written;
    const isOff = parameters.some((each) => /^status=[^hir]*[dsnec]/i.test(each));
    const deciding = isOff ? /^(?:status|redirect|route)=/i : /^redirect=/i;
    const kind = [scheme, ...parameters.filter((each) => deciding.test(each))].join(" ");
    if (name !== undefined) getOrCreate(found, name, () => new Map<string, Directive>()).set(kind, line);
  }
  return found;
}

function usesBalancer(project: Project, name: string): boolean {
  return placedLinesOf(project).some(
    ({ line: { key, argumentText } }) =>
      key !== "balancermember" &&
      !key.startsWith("<") &&
      argumentText
        .toLowerCase()
        .split(/[\s"'/]+/)
        .includes(name) &&
      /balancer:\/\//i.test(argumentText),
  );
}
