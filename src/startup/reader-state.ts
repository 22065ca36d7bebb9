import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import type { Scope } from "../config/model/scope.js";
import type { DirectiveVisitor } from "../config/queries/walker.js";
import type { Refusal } from "../config/refusals/refusal.js";
import { isSince } from "../facts/release.js";
import { ProviderRegistry } from "../server/access/providers.js";
import { MethodRegistry } from "../server/request/method-registry.js";
import { ListenerRegistry } from "./directives/addresses.js";
import { AuthnProviderRegistry } from "./directives/authn-providers.js";
import { ExclusiveWordChecker, exclusiveWordDirectives } from "./directives/exclusive-words.js";
import { FilterRegistry } from "./directives/filters.js";
import { BackendRegistry, backendDirectives } from "./directives/proxy-backends.js";
import { SecurityRules } from "./directives/security-rules.js";

/** The reader state that the server validates later lines against. */
export class ReaderState {
  readonly providers: ProviderRegistry;
  readonly authnProviders: AuthnProviderRegistry;
  readonly filters: FilterRegistry;
  readonly backends: BackendRegistry;
  readonly methods = new MethodRegistry();
  private readonly listeners = new ListenerRegistry();
  private readonly securityRules: SecurityRules;
  private readonly exclusiveWords = new ExclusiveWordChecker();

  constructor(private readonly project: Project) {
    this.providers = new ProviderRegistry(project);
    this.authnProviders = new AuthnProviderRegistry(project);
    this.filters = new FilterRegistry(project);
    this.backends = new BackendRegistry(project);
    this.securityRules = new SecurityRules(project);
  }

  /**
   * Returns visitors that record the lines of this state. @param note receives the fault of a line that conflicts with
   * an earlier one
   */
  visitors(
    note: (directive: Directive, scope: Scope, fault: Refusal | undefined) => void,
  ): Readonly<Record<string, DirectiveVisitor>> {
    const defineMethods: DirectiveVisitor = (directive, scope) => this.methods.define(directive, scope.inHtaccess);
    const defineProvider: DirectiveVisitor = (directive) => this.providers.define(directive);
    // The behavior of 2.2 for these is unknown.
    const { release } = this.project;
    const judging =
      (faultOf: (directive: Directive, scope: Scope) => Refusal | undefined): DirectiveVisitor =>
      (directive, scope) => {
        const fault = faultOf(directive, scope);
        if (isSince(release, "2.4")) note(directive, scope, fault);
      };
    const checkRule = judging((directive, scope) => this.securityRules.check(directive, scope));
    const takeWords: DirectiveVisitor = (directive, scope) =>
      note(directive, scope, this.exclusiveWords.add(directive, scope));
    return {
      ...Object.fromEntries(exclusiveWordDirectives.map((name) => [name, takeWords])),
      "<limit": defineMethods,
      "<limitexcept": defineMethods,
      registerhttpmethod: defineMethods,
      script: defineMethods,
      "<authzprovideralias": defineProvider,
      authnzfcgidefineprovider: (directive) => {
        this.providers.define(directive);
        this.authnProviders.define(directive);
      },
      ...Object.fromEntries(backendDirectives.map((name) => [name, (line: Directive) => this.backends.define(line)])),
      extfilterdefine: (directive) => this.filters.define(directive),
      luaoutputfilter: (directive) => this.filters.define(directive),
      "<authnprovideralias": judging((directive) => this.authnProviders.defineAlias(directive)),
      secaction: checkRule,
      secrule: checkRule,
      listen: judging((directive) => this.listeners.check(directive)),
    };
  }
}
