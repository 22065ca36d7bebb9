import type { Diagnostic, Location, Range, TextEdit } from "vscode-languageserver/node";
import type { Release } from "../directives/directives.js";
import type { EntryKind } from "../project/model/project.js";
import type { Settings as ProjectSettings } from "../settings/settings.js";
import type { EffectiveSettings } from "./settings/editor-settings.js";

/** An open document as it stood when a job was given. */
export interface DocumentText {
  readonly uri: string;
  readonly version: number;
  readonly path: string;
  /** A binary string. */
  readonly text: string;
  /** How it is read where no server does. */
  readonly alone: ConfigReadSpec;
}

/** How a configuration is read, and the main file around it, whose environment it has. */
export interface ConfigReadSpec {
  readonly main: string | undefined;
  readonly settings: EffectiveSettings;
}

/** A server by its main file, and how it is read. */
export interface SnapshotServer extends ConfigReadSpec {
  readonly main: string;
}

/** Documents that are read together, and how. */
export interface DocumentSnapshot {
  /** The servers that they may belong to: each does to the first one that reads it. */
  readonly servers: readonly SnapshotServer[];
  readonly documents: readonly DocumentText[];
  /** What their project says of findings. */
  readonly project: ProjectSettings | undefined;
}

/** What is asked of a thread: findings of all rules, without or with what takes a proof, or who gets in at a place. */
export type AnalysisJob =
  | { readonly kind: "findings"; readonly isProved: boolean; readonly snapshot: DocumentSnapshot }
  | { readonly kind: "who"; readonly snapshot: DocumentSnapshot; readonly uri: string; readonly offset: number };

/** What came of a job. */
export type JobResult =
  | {
      readonly kind: "findings";
      readonly documents: readonly DocumentFindings[];
      /** Whether a rule would say more with a proof. */
      readonly asksForProof: boolean;
    }
  | { readonly kind: "who"; readonly told: AccessDescription | undefined };

/** What is found in a document, and where it stands in its configuration. */
export interface DocumentFindings {
  readonly uri: string;
  readonly version: number;
  readonly findings: readonly EditorFinding[];
  /** All safe fixes that lie in the document alone, as far as they do not meet. */
  readonly fixAll: readonly TextEdit[];
  readonly outline: DocumentOutline;
}

/** A finding with what can be done about it. */
export interface EditorFinding {
  readonly rule: string;
  readonly diagnostic: Diagnostic;
  readonly fix?: EditorFix;
}

export interface EditorFix {
  readonly title: string;
  readonly isSafe: boolean;
  readonly edits: Readonly<Record<string, readonly TextEdit[]>>;
}

/** What the other files of its configuration tell of a document. */
export interface DocumentOutline {
  readonly release: Release;
  readonly kind: EntryKind;
  /** The sections around the Include that leads to it, from the outside in: `<virtualhost`. */
  readonly around: readonly string[];
  /** The files that the arguments of its Include lines lead to, by the argument as written. */
  readonly includes: Readonly<Record<string, readonly string[]>>;
  /** What is given a name in any of the files. */
  readonly names: readonly NamedLocation[];
  /** Names that `${}` stands for, beside those that lines define: of the environment and the settings. */
  readonly given: readonly string[];
  /** The loaded modules as the manual calls them; undefined where it is not known which are. */
  readonly modules: readonly string[] | undefined;
}

export type NameKind = "define" | "macro" | "use" | "authn alias" | "authz alias";

/** A place where something is given a name, or where a macro is used. */
export interface NamedLocation {
  readonly kind: NameKind;
  readonly name: string;
  readonly uri: string;
  readonly range: Range;
}

/** Who gets in at a place, in words, with the sections that decide. */
export interface AccessDescription {
  readonly markdown: string;
  readonly sections: readonly Location[];
}
