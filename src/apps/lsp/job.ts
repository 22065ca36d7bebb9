import type { Diagnostic, Location, Range, TextEdit } from "vscode-languageserver/node";
import type { EntryKind } from "../../config/model/project.js";
import type { Release } from "../../facts/release.js";
import type { Settings as ProjectSettings } from "../settings/settings.js";
import type { EffectiveSettings } from "./documents/editor-settings.js";

/** A snapshot of an open document for a job. */
export interface DocumentText {
  readonly uri: string;
  readonly version: number;
  readonly path: string;
  /** A binary string. */
  readonly text: string;
  /** The options for reading it on its own if no server includes it. */
  readonly standalone: ConfigReadSpec;
}

/** The options for reading a configuration, and its main file, whose environment applies. */
export interface ConfigReadSpec {
  readonly main: string | undefined;
  readonly settings: EffectiveSettings;
}

/** A server by its main file, with its read options. */
export interface SnapshotServer extends ConfigReadSpec {
  readonly main: string;
}

/** Documents to be read together, with their options. */
export interface DocumentSnapshot {
  /** The servers that they may belong to: each document belongs to the first one that reads it. */
  readonly servers: readonly SnapshotServer[];
  readonly documents: readonly DocumentText[];
  /** The project's options for findings. */
  readonly project: ProjectSettings | undefined;
}

/** A job for a thread: the findings of all rules, with or without proofs, or the access at a place or at all sections. */
export type AnalysisJob =
  | { readonly kind: "findings"; readonly isProved: boolean; readonly snapshot: DocumentSnapshot }
  | { readonly kind: "sections"; readonly snapshot: DocumentSnapshot; readonly uri: string }
  | { readonly kind: "access"; readonly snapshot: DocumentSnapshot; readonly uri: string; readonly offset: number };

/** The result of a job. */
export type JobResult =
  | {
      readonly kind: "findings";
      readonly documents: readonly DocumentFindings[];
      /** Whether a rule would report more with a proof. */
      readonly asksForProof: boolean;
    }
  | { readonly kind: "sections"; readonly sections: readonly SectionAccess[] }
  | { readonly kind: "access"; readonly description: AccessDescription | undefined };

/** The findings in a document, and its context in the configuration. */
export interface DocumentFindings {
  readonly uri: string;
  readonly version: number;
  readonly findings: readonly EditorFinding[];
  /** All safe fixes within the document, as far as they do not overlap. */
  readonly fixAll: readonly TextEdit[];
  readonly outline: DocumentOutline;
}

/** A finding with its code actions. */
export interface EditorFinding {
  readonly rule: string;
  readonly diagnostic: Diagnostic;
  /** All parts of the finding, as Markdown. */
  readonly hover: string;
  readonly fix?: EditorFix;
}

export interface EditorFix {
  readonly title: string;
  readonly isSafe: boolean;
  readonly edits: Readonly<Record<string, readonly TextEdit[]>>;
}

/** Information about a document from the other files of its configuration. */
export interface DocumentOutline {
  readonly release: Release;
  readonly kind: EntryKind;
  /** The sections around the Include that leads to it, from the outside in: `<virtualhost`. */
  readonly enclosingSections: readonly string[];
  /** The files that its Include lines match, by the argument as written. */
  readonly includes: Readonly<Record<string, readonly string[]>>;
  /** Names defined in any of the files. */
  readonly names: readonly NamedLocation[];
  /** Variables for `${}` besides those that lines define: from the environment and the configuration file. */
  readonly given: readonly string[];
  /** The loaded modules by their names in the manual; undefined if unknown. */
  readonly modules: readonly string[] | undefined;
}

export type NameKind = "define" | "macro" | "use" | "authn alias" | "authz alias";

/** A place where a name is defined, or where a macro is used. */
export interface NamedLocation {
  readonly kind: NameKind;
  readonly name: string;
  readonly uri: string;
  readonly range: Range;
}

/** The access at a place as text, with the deciding sections. */
export interface AccessDescription {
  readonly markdown: string;
  readonly sections: readonly Location[];
}

/** The access to the paths of a section, in one line, with the place that shows it. */
export interface SectionAccess {
  readonly range: Range;
  readonly title: string;
}
