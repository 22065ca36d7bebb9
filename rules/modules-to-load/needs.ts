import { authModuleOf, manualNameOf } from "../../src/lint/api/access.js";
import {
  type Directive,
  findModuleByManualName,
  findRequiredModules,
  type Guard,
  listCompiledInModules,
  type Module,
  type NameFacts,
  type Project,
  replacementOf,
} from "../../src/lint/api/configuration.js";
import { quoteText, type Span } from "../../src/lint/api/rule.js";

/** A module that the server requires. */
export interface ModuleNeed {
  /** Module identifier. */
  readonly module: string;
  /** Its purpose, as words that follow "for". */
  readonly what: string;
  /** The first place that needs it; absent if no line needs it. */
  readonly span?: Span;
  /** Whether that place is a conditional section: its contents are left out if the module is loaded later. */
  readonly isGuard?: boolean;
  /** Whether the server starts without it, and returns 500 for requests that need it. */
  readonly isForRequests?: boolean;
  /** Whether only `.htaccess` files need it: requests below them return 500 without it. */
  readonly isForHtaccess?: boolean;
}

/** Directives that mpm_prefork does not know: in 2.2 they belonged to mpm_worker. */
const threadDirectives: ReadonlySet<string> = new Set([
  "maxsparethreads",
  "minsparethreads",
  "threadlimit",
  "threadsperchild",
]);

/** Modules that a loaded module always requires to start. */
const dependencies: readonly (readonly [module: string, needed: string])[] = [
  ["authnz_ldap_module", "ldap_module"],
  ["proxy_balancer_module", "slotmem_shm_module"],
];

/** Only mod_proxy_balancer requires the others of these. */
const balancerModule = /^(?:proxy_balancer|slotmem_shm|lbmethod_\w+)_module$/;

function byAuthType({ arguments: [type] }: Directive): readonly string[] {
  const module = authModuleOf(type?.value.toLowerCase() ?? "");
  return module === undefined ? [] : [module];
}

/** The modules that a configuration needs, by identifier, each with the first place that needs it. */
export class ModuleNeeds {
  private readonly first = new Map<string, ModuleNeed>();
  private readonly isForDlls: boolean;

  constructor(private readonly project: Project) {
    this.isForDlls = project.pathRules === "windows" || project.loadModules.some(({ span }) => hasDll(span));
  }

  /** Returns a visitor that records the modules that directives of a name need; undefined if they do not need any. */
  visitorOf(known: NameFacts): ((directive: Directive) => void) | undefined {
    const module = this.definingModule(known);
    const byWords = findRequiredModules(known.key) ?? this.typeOf(known);
    if (module === undefined && byWords === undefined) return undefined;
    return (directive) => {
      // A section of a third-party module can contain anything.
      if (directive.parent && directive.parent.known.facts.length === 0) return;
      const { argumentText, name, nameSpan, span } = directive;
      if (module !== undefined) this.add({ module, what: quoteText(manualNameOf(directive)), span: nameSpan });
      for (const each of byWords?.(directive) ?? [])
        this.add({ module: each, what: quoteText(`${name} ${argumentText}`), span });
    };
  }

  /**
   * Like `visitorOf`, for directives in `.htaccess` files: undefined if they only need modules that 2.2 has as well, whose
   * absence is not new.
   */
  visitorOfHtaccess(known: NameFacts): ((directive: Directive) => void) | undefined {
    const module = this.definingModule(known);
    if (module === undefined || known.facts.some((each) => findModuleByManualName("2.2", each.module)))
      return undefined;
    return (directive) =>
      this.add({ module, what: quoteText(manualNameOf(directive)), span: directive.nameSpan, isForHtaccess: true });
  }

  /** Returns the modules of an AuthType. If the loaded modules are known, probes show what is missing instead. */
  private typeOf({ key }: NameFacts): typeof byAuthType | undefined {
    return key === "authtype" && !this.project.modulesAreKnown ? byAuthType : undefined;
  }

  add(need: ModuleNeed): void {
    if (need.module === "unixd_module" && this.isForDlls) return;
    const known = this.first.get(need.module);
    if (known === undefined || (known.isForHtaccess && !need.isForHtaccess)) this.first.set(need.module, need);
  }

  /** Returns the modules that are certainly not loaded. */
  missing(): readonly ModuleNeed[] {
    const { loadModules } = this.project;
    for (const [module, needed] of dependencies) {
      const place = loadModules.find(({ identifier }) => identifier === module) ?? this.first.get(module);
      if (place) this.add({ module: needed, what: `\`${module}\``, ...(place.span ? { span: place.span } : {}) });
    }
    this.add({ module: "authz_core_module", what: "every request (without it, all return 500)", isForRequests: true });
    // A module with a LoadModule line is present, or is reported as missing elsewhere: another line would not help.
    const named = new Set(loadModules.map((line) => (replacementOf(line, this.project) ?? line).identifier));
    const missing = [...this.first.values()].filter(
      ({ module }) => !this.isThere(module) && !named.has(module) && !isMpm(module),
    );
    const hasBalancers = !missing.some(({ module }) => module === "proxy_balancer_module");
    return missing
      .map((need) => (hasBalancers || !balancerModule.test(need.module) ? need : { ...need, isForRequests: true }))
      .sort(byName);
  }

  /**
   * Returns the modules that no line loads and that some builds of the server include; none if no line loads any
   * module.
   */
  maybeBuiltIn(): readonly ModuleNeed[] {
    const { guards, loadModules, release } = this.project;
    if (loadModules.length === 0) return [];
    this.addUsual();
    return listCompiledInModules(release)
      .filter(mayBeBuiltIn)
      .flatMap(({ file, identifier }) => {
        const hasLoadModule = loadModules.some((line) => line.identifier === identifier);
        return hasLoadModule || guards.some((guard) => isGuardFor(guard, [file, identifier]))
          ? []
          : this.first.get(identifier);
      })
      .filter((need) => need !== undefined)
      .sort(byName);
  }

  /** Returns all required modules, if it is unknown which are loaded. */
  ofWholeServer(): readonly ModuleNeed[] {
    this.addUsual();
    return [this.mpm(), ...this.missing()].filter((need) => need !== undefined);
  }

  /** Adds modules that most servers need but no directive belongs to. */
  private addUsual(): void {
    const version = this.project.guards.find(({ kind }) => kind === "<ifversion");
    if (version) this.add({ module: "version_module", what: "`<IfVersion>`", span: version.span });
    this.add({ module: "unixd_module", what: "dropping root privileges" });
  }

  /** Returns whether a module is loaded or part of every server. */
  private isThere(module: string): boolean {
    const { modules, modulesAreKnown, release } = this.project;
    if (modulesAreKnown) return modules.has(module);
    return listCompiledInModules(release).some((each) => each.identifier === module && !mayBeBuiltIn(each));
  }

  /**
   * Returns the MPM, without which no server runs: the one that the configuration has settings for. Undefined if one is
   * loaded.
   */
  mpm(): ModuleNeed | undefined {
    const { guards, loadModules, modules, modulesAreKnown } = this.project;
    if (this.isForDlls) return undefined;
    if (
      [...(modulesAreKnown ? modules.listIdentifiers() : []), ...loadModules.map(({ identifier }) => identifier)].some(
        isMpm,
      )
    )
      return undefined;
    for (const name of ["prefork", "worker", "event"]) {
      const module = `mpm_${name}_module`;
      const need = this.first.get(module);
      if (need) return need;
      const guard = guards.find((each) => !each.negated && [module, `${name}.c`].includes(each.argument));
      if (guard) return { module, what: quoteText(`<IfModule ${guard.argument}>`), span: guard.span, isGuard: true };
    }
    return { module: "mpm_prefork_module", what: "handling requests as 2.2 does by default" };
  }

  /** Returns the only module that defines directives of a name; undefined if that is ambiguous. */
  private definingModule({ facts, key }: NameFacts): string | undefined {
    const [one, ...others] = facts.filter(({ manualOnly }) => !manualOnly);
    if (one === undefined || others.length > 0 || key.startsWith("<if")) return undefined;
    if (threadDirectives.has(key)) return "mpm_worker_module";
    return findModuleByManualName(this.project.release, one.module)?.identifier;
  }
}

/** Returns whether a LoadModule line names a file of Windows or OS/2, which have the MPM built in and no mod_unixd. */
function hasDll({ file, start, end }: Span): boolean {
  return /\.dll\b/i.test(file.text.slice(start, end));
}

/** Returns whether only some builds of the server include a module. */
function mayBeBuiltIn({ name }: Module): boolean {
  return name.startsWith("mod_") && name !== "mod_so";
}

/** Returns whether a module is a complete MPM; mod_mpm_itk builds on another one. */
export function isMpm(module: string): boolean {
  return /^mpm_(?!itk)\w+_module$/.test(module);
}

/** Returns whether a conditional section is active when a module is missing. */
function isGuardFor({ argument, kind, negated }: Guard, names: readonly string[]): boolean {
  return kind === "<ifmodule" && negated && names.includes(argument);
}

/** Dependencies come first, as in the order of names: `proxy` before `proxy_http`. */
function byName(a: ModuleNeed, b: ModuleNeed): number {
  const [one, other] = [a, b].map(({ module }) => module.replace(/_module$/, ""));
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
