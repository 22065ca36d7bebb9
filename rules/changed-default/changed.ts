import type { Severity } from "../../src/engine/finding.js";
import type { Directive } from "../../src/project/directive.js";
import type { Project } from "../../src/project/project.js";
import type { ServerLines } from "../../src/project/server-lines.js";
import type { Span } from "../../src/text/source.js";

/** A default that 2.4 changed, and who notices. */
export interface ChangedDefault {
  /** As the manual spells it. */
  readonly directive: string;
  /** The lower-case names of the lines that decide it; its own where absent. */
  readonly decidedBy?: readonly string[];
  /** Whether such a line decides it; all do where absent. */
  readonly decides?: (line: Directive) => boolean;
  /**
   * Where a line decides it: once for all processes, for a server, for what lies at the document root, or in any section
   * of the server.
   */
  readonly place: "process" | "server" | "root" | "section";
  /** What each release takes where nobody says. */
  readonly before: string;
  readonly after: string;
  readonly severity: Severity;
  /** The line of the server that uses what it governs; undefined where none does. */
  readonly usedBy: (server: ServerLines, project: Project) => Place | undefined;
  /** What somebody notices, as a clause. */
  readonly so: string;
  /** What to do, as a clause. */
  readonly advice: string;
  /** The lines that keep the old value, where that is no worse than the new one. */
  readonly keep?: (server: ServerLines) => readonly string[];
  /** Where they are written, if not behind the line that uses it. */
  readonly keptBehind?: (project: Project) => Place | undefined;
}

/** Where something is used: a directive, or a LoadModule line. */
export interface Place {
  readonly span: Span;
}
