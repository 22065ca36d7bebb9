import { type DirectiveFacts, isAllowedIn } from "../directives/directives.js";
import { placeOfSection, type ScopePlace, topScope } from "../engine/scope.js";
import type { Directive, KnownName } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { countFault } from "./argument-refusals.js";
import { bracketFault, Listeners, limitFault, mergingFault, optionsFault } from "./core-refusals.js";
import { isRequireContainer } from "./new-rules.js";
import { oldFault } from "./old-refusals.js";
import { Providers } from "./providers.js";
import { type Fault, type Refusal, refusalOf } from "./refusal.js";
import { aliasFault, Methods, requireFault } from "./require-refusals.js";
import {
  addLine,
  closeGroup,
  containerGroup,
  implicitGroup,
  onlyNegative,
  onlyNegativeFault,
  type RequireGroup,
} from "./require-tree.js";

/** Directives of which more is looked at than the number of their words. */
const looksAtWords = new Set([
  "order",
  "allow",
  "deny",
  "satisfy",
  "options",
  "registerhttpmethod",
  "script",
  "require",
  "authnzfcgidefineprovider",
  "authmerging",
  "listen",
]);

/** Directives that are judged by their own words, of which there are few different ones. */
const judgedByWords = new Set(["order", "allow", "deny", "satisfy", "options"]);

/** What the server refuses in a configuration, as far as it is modelled, in the order in which the server comes to it. */
export interface Refusals {
  /** Of the main files: the server stops at the first. */
  readonly startup: readonly Refusal[];
  /** Of `.htaccess` files: every request below the first one's directory answers 500. */
  readonly htaccess: readonly Refusal[];
  /** RequireAll sections in `.htaccess` files with only negative rules: accepted there, and they refuse everybody. */
  readonly neverGranting: readonly Directive[];
}

/** Looks at every directive as the server does when it has read the files (server/config.c `ap_walk_config`). */
export function findRefusals(project: Project): Refusals {
  const finder = new RefusalFinder(project);
  const isHtaccess = project.kind === "htaccess";
  const found = finder.find(project.directives, topScope(project.kind).place, isHtaccess);
  const inside = project.htaccess.map((file) => finder.find(file.directives, "htaccess", true));
  const htaccess = [...(isHtaccess ? [found] : []), ...inside];
  return {
    startup: isHtaccess ? [] : [...found.refusals, ...found.groups.flatMap(refusedGroups)],
    htaccess: htaccess.flatMap((each) => each.refusals),
    neverGranting: htaccess.flatMap((each) => each.groups.flatMap(onlyNegative)),
  };
}

/** Run by the server over all sections once the files are read without an error. */
function refusedGroups(group: RequireGroup): Refusal[] {
  return onlyNegative(group).map((directive) => refusalOf(directive, onlyNegativeFault(directive), false));
}

interface Found {
  readonly refusals: Refusal[];
  /** The Require rules of each scope. */
  readonly groups: RequireGroup[];
}

/** What is to be looked at in directives of a name, where they stand. */
interface Usage {
  /** None where they are not loaded or misplaced: the server stops for that reason, before it looks at the words. */
  readonly facts: readonly DirectiveFacts[];
  /** Nobody knows how to read what stands in an unknown section. */
  readonly isForeign: boolean;
  /** Nothing but the number of words is looked at, unless it is a section. */
  readonly isPlain: boolean;
}

/** Notes a fault; whether there is none. */
function note(found: Found, directive: Directive, fault: Fault | undefined, inHtaccess: boolean): boolean {
  if (fault) found.refusals.push(refusalOf(directive, fault, inHtaccess));
  return fault === undefined;
}

class RefusalFinder {
  private readonly providers: Providers;
  private readonly methods = new Methods();
  private readonly listeners = new Listeners();

  /** What was found right by its words alone: access rules repeat themselves. */
  private readonly right = new Map<KnownName, Set<string>>();
  /** How directives of a name are judged, by where they stand: the place and the section around them. */
  private readonly usages = new Map<string, Map<KnownName, Usage>>();

  constructor(private readonly project: Project) {
    this.providers = new Providers(project);
  }

  find(directives: readonly Directive[], place: ScopePlace, inHtaccess: boolean): Found {
    const found: Found = { refusals: [], groups: [] };
    this.walkScope(directives, place, inHtaccess, found);
    return found;
  }

  private walkScope(directives: readonly Directive[], place: ScopePlace, inHtaccess: boolean, found: Found): void {
    const group = implicitGroup(place === "unknown");
    this.walk(directives, place, group, inHtaccess, found);
    if (group.members.length > 0) found.groups.push(group);
  }

  private walk(
    directives: readonly Directive[],
    place: ScopePlace,
    group: RequireGroup,
    inHtaccess: boolean,
    found: Found,
  ): void {
    const standing = inHtaccess ? "htaccess" : place;
    const outer = directives[0]?.parent;
    const usages = this.usagesIn(standing, outer);
    for (const directive of directives) {
      const usage = usages.get(directive.known) ?? this.addUsage(usages, directive.known, standing, outer);
      const { facts } = usage;
      if (usage.isForeign) continue;
      if (usage.isPlain && directive.children === undefined) {
        if (facts.length > 0) note(found, directive, countFault(directive, facts, this.project.release), inHtaccess);
        continue;
      }
      const isTaken = facts.length > 0;
      const isRight = isTaken && note(found, directive, this.fault(directive, facts, inHtaccess), inHtaccess);
      const { children } = directive;
      const isContainer = isRequireContainer(directive);
      const inner = isContainer ? containerGroup(directive) : group;
      const innerPlace = placeOfSection(directive);
      if (children && innerPlace) this.walkScope(children, innerPlace, inHtaccess, found);
      else if (children) this.walk(children, place, inner, inHtaccess, found);
      const isRule = isContainer || directive.key === "require";
      if (this.project.release !== "2.4" || !isRule || !isTaken) continue;
      const ruleFault = isContainer ? closeGroup(group, inner, directive) : addLine(group, directive);
      if (isRight) note(found, directive, ruleFault, inHtaccess);
    }
  }

  private usagesIn(place: ScopePlace, outer: Directive | undefined): Map<KnownName, Usage> {
    const key = `${place} ${outer?.key}`;
    const usages = this.usages.get(key) ?? new Map<KnownName, Usage>();
    this.usages.set(key, usages);
    return usages;
  }

  private addUsage(
    usages: Map<KnownName, Usage>,
    known: KnownName,
    place: ScopePlace,
    outer: Directive | undefined,
  ): Usage {
    const usage: Usage = {
      facts: this.factsIn(known, place, outer),
      isForeign: known.facts.length === 0,
      isPlain: !looksAtWords.has(known.key),
    };
    usages.set(known, usage);
    return usage;
  }

  /** What loaded modules know of a directive that may stand where it does. */
  private factsIn(known: KnownName, place: ScopePlace, outer: Directive | undefined): readonly DirectiveFacts[] {
    const { modules } = this.project;
    return known.facts.filter((facts) => {
      if (facts.manualOnly || !modules.provides(facts)) return false;
      if (outer && isRequireContainer(outer))
        return facts.override.includes("AuthConfig") || facts.override.includes("All");
      if (facts.onlyInside !== undefined) return outer?.key === facts.onlyInside.toLowerCase();
      if (place !== "htaccess" && (outer?.key === "<limit" || outer?.key === "<limitexcept"))
        return isAllowedIn(facts, "limit");
      return place === "unknown" || isAllowedIn(facts, place);
    });
  }

  private fault(directive: Directive, facts: readonly DirectiveFacts[], inHtaccess: boolean): Fault | undefined {
    if (!judgedByWords.has(directive.key)) return this.judge(directive, facts, inHtaccess);
    const right = this.right.get(directive.known) ?? new Set();
    if (right.has(directive.argumentText)) return undefined;
    const fault = this.judge(directive, facts, inHtaccess);
    if (fault === undefined) this.right.set(directive.known, right.add(directive.argumentText));
    return fault;
  }

  private judge(directive: Directive, facts: readonly DirectiveFacts[], inHtaccess: boolean): Fault | undefined {
    const { release } = this.project;
    const fault = countFault(directive, facts, release) ?? (release === "2.4" ? bracketFault(directive) : undefined);
    if (fault) return fault;
    switch (directive.key) {
      case "order":
      case "allow":
      case "deny":
      case "satisfy":
        return oldFault(directive, release);
      case "options":
        return optionsFault(directive, release);
      case "<limit":
      case "<limitexcept": {
        const refused = limitFault(directive, release, this.methods, inHtaccess);
        this.methods.define(directive, inHtaccess);
        return refused;
      }
      case "registerhttpmethod":
      case "script":
        this.methods.define(directive, inHtaccess);
        return undefined;
      default:
        return release === "2.4" ? this.newFault(directive) : undefined;
    }
  }

  private newFault(directive: Directive): Fault | undefined {
    switch (directive.key) {
      case "require":
        return requireFault(directive, this.providers, this.methods);
      case "<authzprovideralias": {
        const fault = aliasFault(directive, this.providers, this.methods);
        this.providers.define(directive);
        return fault;
      }
      case "authnzfcgidefineprovider":
        this.providers.define(directive);
        return undefined;
      case "authmerging":
        return mergingFault(directive);
      case "listen":
        return this.listeners.fault(directive);
      default:
        return undefined;
    }
  }
}
