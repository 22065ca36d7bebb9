import {
  type AllServerDirectives,
  type Directive,
  iterateDirectives,
  type Project,
  type Scope,
  type ServerDirectives,
  serverDirectivesOf,
  serverOfScope,
} from "../../src/lint/api/configuration.js";
import { type MessageText, partsOfText, type Report, type RootCause } from "../../src/lint/api/rule.js";
import { behaviourLabels, behaviourMessages } from "./messages.js";

/** A behaviour change of 2.4 for some directives. */
export interface Behaviour {
  /** Lower-case names of the directives that reveal it. */
  readonly names: readonly string[];
  /** Whether it depends on the absence of a line, so that only a whole server shows it. */
  readonly takesServer?: boolean;
  readonly check: (line: Directive, scope: Scope, surroundings: BehaviourContext) => BehaviourReport | undefined;
}

/** The report for a line. */
export type BehaviourReport = Omit<Report, "span">;

/** The context of a line. */
export class BehaviourContext {
  private servers: AllServerDirectives | undefined;

  constructor(readonly project: Project) {}

  /** Returns the server of a scope. */
  serverOf(scope: Scope): ServerDirectives {
    this.servers ??= serverDirectivesOf(this.project);
    return serverOfScope(scope, this.servers);
  }

  /**
   * Returns the first matching line in any section that may apply with a scope: those of the main server apply in every
   * host.
   */
  find(scope: Scope, fits: (directive: Directive) => boolean): Directive | undefined {
    const server = this.serverOf(scope);
    for (const directive of server.main ? server.iterateInherited() : iterateDirectives(this.project))
      if (fits(directive)) return directive;
    return undefined;
  }
}

/** Groups all lines with the same message into one finding. */
export function createSharedReport(key: string, message: MessageText): Pick<BehaviourReport, "message" | "cause"> {
  const cause: RootCause = {
    key,
    header: behaviourMessages.inManyLines(partsOfText(message).message),
    also: behaviourLabels.same,
  };
  return { message, cause };
}

/** Returns the value of an argument; empty if there is none. */
export function argumentAt({ arguments: words }: Directive, index = 0): string {
  return words[index]?.value ?? "";
}
