import type { Fix, Report, RootCause } from "../../src/engine/finding.js";
import { formatMoreLines } from "../../src/engine/root-causes.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { Project } from "../../src/project/model/project.js";
import type { Scope } from "../../src/project/model/scope.js";
import { iterateDirectives } from "../../src/project/queries/directive-tree.js";
import {
  type AllServerDirectives,
  type ServerDirectives,
  serverDirectivesOf,
  serverOfScope,
} from "../../src/project/queries/server-directives.js";

/** What 2.4 does otherwise with some lines. */
export interface Behaviour {
  /** The lower-case names of the lines that tell of it. */
  readonly names: readonly string[];
  /** Whether it hangs on what stands nowhere, so that only a whole server shows it. */
  readonly takesServer?: boolean;
  readonly check: (line: Directive, scope: Scope, surroundings: BehaviourContext) => BehaviourReport | undefined;
}

/** What is told of a line. */
export type BehaviourReport = Omit<Report, "span">;

/** What stands around a line. */
export class BehaviourContext {
  private servers: AllServerDirectives | undefined;

  constructor(readonly project: Project) {}

  /** The server that a scope belongs to. */
  serverOf(scope: Scope): ServerDirectives {
    this.servers ??= serverDirectivesOf(this.project);
    return serverOfScope(scope, this.servers);
  }

  /** The first line that fits, in any section that may count where a scope does: those of the main server count in every host. */
  find(scope: Scope, fits: (directive: Directive) => boolean): Directive | undefined {
    const server = this.serverOf(scope);
    for (const directive of server.main ? server.iterateInherited() : iterateDirectives(this.project))
      if (fits(directive)) return directive;
    return undefined;
  }
}

/** One finding for all lines of which the same is to be said. */
export function createSharedReport(key: string, message: string): Pick<BehaviourReport, "message" | "cause"> {
  const cause: RootCause = {
    key,
    message: (others) => `${message} (here and in ${formatMoreLines(others)})`,
    also: "the same holds here",
  };
  return { message, cause };
}

/** An unsafe fix of one edit, where there is one. */
export function createFix(title: string, edit: Fix["edits"][number] | undefined): Pick<BehaviourReport, "fix"> {
  return edit ? { fix: { title, safety: "unsafe", edits: [edit] } } : {};
}

/** The value of one of a line's words; empty where there is none. */
export function argumentAt({ arguments: words }: Directive, index = 0): string {
  return words[index]?.value ?? "";
}
