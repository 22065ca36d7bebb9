import type { Fix, Report, SharedCause } from "../../src/engine/finding.js";
import { moreLines } from "../../src/engine/shared-cause.js";
import { allDirectives } from "../../src/project/all-directives.js";
import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { Scope } from "../../src/project/scope.js";
import { type ServerLines, type Servers, serverAround, serversOf } from "../../src/project/server-lines.js";

/** What 2.4 does otherwise with some lines. */
export interface Behaviour {
  /** The lower-case names of the lines that tell of it. */
  readonly names: readonly string[];
  /** Whether it hangs on what stands nowhere, so that only a whole server shows it. */
  readonly takesServer?: boolean;
  readonly look: (line: Directive, scope: Scope, surroundings: Surroundings) => Told | undefined;
}

/** What is told of a line. */
export type Told = Omit<Report, "span">;

/** What stands around a line. */
export class Surroundings {
  private servers: Servers | undefined;

  constructor(readonly project: Project) {}

  /** The server that a scope belongs to. */
  serverOf(scope: Scope): ServerLines {
    this.servers ??= serversOf(this.project);
    return serverAround(scope, this.servers);
  }

  /** The first line that fits, in any section that may count where a scope does: those of the main server count in every host. */
  find(scope: Scope, fits: (directive: Directive) => boolean): Directive | undefined {
    const server = this.serverOf(scope);
    for (const directive of server.main ? server.around() : allDirectives(this.project))
      if (fits(directive)) return directive;
    return undefined;
  }
}

/** One finding for all lines of which the same is to be said. */
export function shared(key: string, message: string): Pick<Told, "message" | "cause"> {
  const cause: SharedCause = {
    key,
    message: (others) => `${message} (here and in ${moreLines(others)})`,
    also: "the same holds here",
  };
  return { message, cause };
}

/** An unsafe fix of one edit, where there is one. */
export function fixed(title: string, edit: Fix["edits"][number] | undefined): Pick<Told, "fix"> {
  return edit ? { fix: { title, safety: "unsafe", edits: [edit] } } : {};
}

/** The value of one of a line's words; empty where there is none. */
export function word({ arguments: words }: Directive, index = 0): string {
  return words[index]?.value ?? "";
}
