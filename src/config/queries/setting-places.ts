import { hasWildcard } from "../../text/wildcards.js";
import { isWithin } from "../files/paths.js";
import { type Directive, virtualHostAround } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { type Scope, scopeKindOfKey } from "../model/scope.js";
import { type InactiveLine, listInactiveLines } from "./inactive-lines.js";
import type { RulePlaces } from "./rule-places.js";

/**
 * The scopes with a setting. Which sections apply to a request is known only for directories with a name, and for virtual
 * hosts: neither takes a setting of another one beside it.
 */
export class SettingPlaces {
  private readonly all: SettingPlace[] = [];
  private readonly known = new Map<Scope, SettingPlace>();

  constructor(private readonly places: RulePlaces) {}

  add(scope: Scope): void {
    this.all.push(this.placeOf(scope));
  }

  /** Adds the places of a directive in conditional sections that do not apply: on another server, it may have effect. */
  addInactive(key: string, project: Project): void {
    for (const line of listInactiveLines(project)) {
      // The own setting of another virtual host has no effect on the sections here.
      if (line.key !== key || line.within.some(({ key: name }) => name === "<virtualhost")) continue;
      this.all.push(placeOfInactive(line, project));
    }
  }

  /** Reports whether a scope may take the setting from one of these scopes, or has it itself. */
  mayApplyTo(scope: Scope): boolean {
    const inner = this.placeOf(scope);
    return this.all.some((outer) => mayContain(outer, inner));
  }

  /** Reports whether the setting may apply in a directory. */
  mayApplyIn(directory: string): boolean {
    return this.all.some((outer) => contains(outer.directory, directory.replace(/\/$/, "")));
  }

  /** Reports whether the lines of a scope may apply to a request together with the setting. */
  mayMeet(scope: Scope): boolean {
    const own = this.placeOf(scope);
    return this.all.some((each) => mayContain(each, own) || mayContain(own, each));
  }

  /** Reports the same about the setting of another scope. */
  mayMeetOther(scope: Scope): boolean {
    const own = this.placeOf(scope);
    return this.all.some((each) => each.scope !== scope && (mayContain(each, own) || mayContain(own, each)));
  }

  private placeOf(scope: Scope): SettingPlace {
    const found = this.known.get(scope) ?? {
      scope,
      host: hostOf(scope),
      isServer: scope.place === "server" || scope.place === "virtualhost",
      directory: this.directoryOf(scope),
    };
    this.known.set(scope, found);
    return found;
  }

  /** Returns the directory that a scope is in, if it is known. */
  private directoryOf(scope: Scope): string | undefined {
    let outer: Scope | undefined = scope;
    while (outer && outer.place !== "directory" && outer.place !== "htaccess") outer = outer.parent;
    return outer && this.places.find(outer).directory;
  }
}

interface SettingPlace {
  /** Undefined for a line that does not apply. */
  readonly scope: Scope | undefined;
  /** Whether it is outside sections of directories and URLs. */
  readonly isServer: boolean;
  /** The virtual host around the scope. */
  readonly host: Directive | undefined;
  readonly directory: string | undefined;
}

function hostOf(scope: Scope): Directive | undefined {
  let outer: Scope | undefined = scope;
  while (outer && outer.place !== "virtualhost") outer = outer.parent;
  return outer?.section;
}

function placeOfInactive({ guard, within }: InactiveLine, project: Project): SettingPlace {
  const { section, span } = guard;
  const inner = within.findLast(({ key }) => key === "<directory");
  let around = section;
  while (around && around.key !== "<directory") around = around.parent;
  const written = inner?.argument ?? (around?.arguments.length === 1 ? around.arguments[0]?.value : undefined);
  const inHtaccess = project.htaccess.find(({ tree }) => tree.source.realPath === span.file.realPath)?.directory;
  const directory = project.htaccessEntry?.file.directory ?? inHtaccess ?? written;
  return {
    scope: undefined,
    host: section?.key === "<virtualhost" ? section : section && virtualHostAround(section),
    isServer:
      (section === undefined || section.key === "<virtualhost") &&
      project.kind === "server" &&
      inHtaccess === undefined &&
      !within.some(({ key }) => scopeKindOfKey(key) !== undefined),
    directory: directory === undefined || hasWildcard(directory) ? undefined : directory.replace(/\/$/, ""),
  };
}

function mayContain(outer: SettingPlace, inner: SettingPlace): boolean {
  if (outer.scope && outer.scope === inner.scope) return true;
  if (inner.isServer && !outer.isServer) return false;
  if (outer.host !== undefined && inner.host !== undefined && outer.host !== inner.host) return false;
  return inner.directory === undefined || contains(outer.directory, inner.directory);
}

function contains(outer: string | undefined, inner: string): boolean {
  return outer === undefined || isWithin(inner, outer);
}
