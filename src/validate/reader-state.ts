import { ProviderRegistry } from "../access/rules/providers.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import type { Scope } from "../project/model/scope.js";
import type { DirectiveVisitor } from "../project/queries/walker.js";
import { ListenerRegistry } from "./directives/addresses.js";
import { AuthnProviderRegistry } from "./directives/authn-providers.js";
import { ExclusiveWordChecker, exclusiveWordDirectives } from "./directives/exclusive-words.js";
import { MethodRegistry } from "./directives/methods.js";
import type { CheckFailure } from "./refusal.js";

/** What the server remembers of the lines it has read, and judges later lines by. */
export class ReaderState {
  readonly providers: ProviderRegistry;
  readonly authnProviders: AuthnProviderRegistry;
  readonly methods = new MethodRegistry();
  private readonly listeners = new ListenerRegistry();
  private readonly exclusiveWords = new ExclusiveWordChecker();

  constructor(private readonly project: Project) {
    this.providers = new ProviderRegistry(project);
    this.authnProviders = new AuthnProviderRegistry(project);
  }

  /** What takes note of the lines that it remembers. @param note is told what is wrong with a line beside an earlier one */
  visitors(
    note: (directive: Directive, scope: Scope, fault: CheckFailure | undefined) => void,
  ): Readonly<Record<string, DirectiveVisitor>> {
    const defineMethods: DirectiveVisitor = (directive, scope) => this.methods.define(directive, scope.inHtaccess);
    const defineProvider: DirectiveVisitor = (directive) => this.providers.define(directive);
    // What 2.2 says of these is not known.
    const { release } = this.project;
    const judging =
      (faultOf: (directive: Directive, scope: Scope) => CheckFailure | undefined): DirectiveVisitor =>
      (directive, scope) => {
        const fault = faultOf(directive, scope);
        if (release === "2.4") note(directive, scope, fault);
      };
    const takeWords = judging((directive, scope) => this.exclusiveWords.add(directive, scope));
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
      "<authnprovideralias": judging((directive) => this.authnProviders.defineAlias(directive)),
      listen: judging((directive) => this.listeners.check(directive)),
    };
  }
}
