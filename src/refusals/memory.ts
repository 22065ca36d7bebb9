import { Providers } from "../access/providers.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import type { DirectiveVisitor } from "../project/walk.js";
import { Listeners } from "./addresses.js";
import { AuthnProviders } from "./authn-providers.js";
import { ExclusiveWords, exclusiveDirectives } from "./exclusive-words.js";
import { Methods } from "./methods.js";
import type { Fault } from "./refusal.js";

/** What the server remembers of the lines it has read, and judges later lines by. */
export class Memory {
  readonly providers: Providers;
  readonly authnProviders: AuthnProviders;
  readonly methods = new Methods();
  private readonly listeners = new Listeners();
  private readonly exclusiveWords = new ExclusiveWords();

  constructor(private readonly project: Project) {
    this.providers = new Providers(project);
    this.authnProviders = new AuthnProviders(project);
  }

  /** What takes note of the lines that it remembers. @param note is told what is wrong with a line beside an earlier one */
  visitors(
    note: (directive: Directive, scope: Scope, fault: Fault | undefined) => void,
  ): Readonly<Record<string, DirectiveVisitor>> {
    const defineMethods: DirectiveVisitor = (directive, scope) => this.methods.define(directive, scope.inHtaccess);
    const defineProvider: DirectiveVisitor = (directive) => this.providers.define(directive);
    // What 2.2 says of these is not known.
    const { release } = this.project;
    const judging =
      (faultOf: (directive: Directive, scope: Scope) => Fault | undefined): DirectiveVisitor =>
      (directive, scope) => {
        const fault = faultOf(directive, scope);
        if (release === "2.4") note(directive, scope, fault);
      };
    const takeWords = judging((directive, scope) => this.exclusiveWords.take(directive, scope));
    return {
      ...Object.fromEntries(exclusiveDirectives.map((name) => [name, takeWords])),
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
      listen: judging((directive) => this.listeners.fault(directive)),
    };
  }
}
