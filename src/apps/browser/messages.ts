import type { Release } from "../../facts/release.js";
import type { Severity } from "../../lint/finding.js";
import type { RequestSpec } from "../../server/request/request-parser.js";

/** The files of the playground by path, and the path of the main file. */
export interface PlaygroundConfiguration {
  readonly files: Readonly<Record<string, string>>;
  readonly main: string;
}

/** The target versions, with the version you upgrade from if there is one. */
export const playgroundVersions = ["2.4", "2.2", "from 2.2"] as const;
export type PlaygroundVersion = (typeof playgroundVersions)[number];

/** Returns the target version. */
export function targetReleaseOf(version: PlaygroundVersion): Release {
  return version === "2.2" ? "2.2" : "2.4";
}

/** Returns the version you upgrade from. */
export function upgradedReleaseOf(version: PlaygroundVersion): Release | undefined {
  return version === "from 2.2" ? "2.2" : undefined;
}

interface ConfigurationTask {
  readonly configuration: PlaygroundConfiguration;
  readonly version: PlaygroundVersion;
}

/** Checks a configuration; without proofs, it takes milliseconds. */
export interface CheckTask extends ConfigurationTask {
  readonly kind: "check";
  readonly isProved: boolean;
}

/** Computes the content of a tab. */
export type ResultTask =
  | (ConfigurationTask & { readonly kind: "map" | "migrate" })
  /** Compares with other files; if there are none, with the same files under the other version. */
  | (ConfigurationTask & { readonly kind: "compare"; readonly before: PlaygroundConfiguration | undefined })
  | (ConfigurationTask & { readonly kind: "explain"; readonly request: RequestSpec });

/** A task for a worker. */
export type PlaygroundTask =
  | CheckTask
  | ResultTask
  | { readonly kind: "describe"; readonly name: string; readonly version: PlaygroundVersion }
  | { readonly kind: "mask"; readonly configuration: PlaygroundConfiguration };

/** A replacement of a part of a file, in UTF-16 offsets of its text. */
export interface FileEdit {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A fix that the editor can apply. */
export interface PlaygroundFix {
  readonly title: string;
  readonly edits: readonly FileEdit[];
}

/** A finding for the editor; its text contains no secrets. */
export interface PlaygroundFinding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Start and end in UTF-16 offsets of the text. */
  readonly from: number;
  readonly to: number;
  /** Whether its lines are marked: not if it concerns the whole server, or if a macro expanded to them. */
  readonly hasMarker: boolean;
  readonly severity: Severity;
  readonly rule: string;
  /** The header as plain text. */
  readonly message: string;
  /** The message with its notes and help, as HTML. */
  readonly hover: string;
  readonly fix?: PlaygroundFix;
}

/** The result of a check. */
export interface FindingsAnswer {
  readonly kind: "findings";
  readonly findings: readonly PlaygroundFinding[];
  /** The same findings for the tab, in the same order. */
  readonly html: string;
  /** Whether rules requested proofs that they did not get. */
  readonly needsProofs: boolean;
}

/** The content of a tab. */
export interface PageAnswer {
  readonly kind: "page";
  readonly html: string;
  /** The new contents of files that the page offers. */
  readonly changed?: Readonly<Record<string, string>>;
}

/** The result of a task. Pieces of HTML contain no secrets, and no markup from the configuration. */
export type PlaygroundAnswer =
  | FindingsAnswer
  | PageAnswer
  | { readonly kind: "masked"; readonly configuration: PlaygroundConfiguration }
  | { readonly kind: "failed"; readonly html: string };

/** A task or an answer with the number of its request. */
export interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

/** A configuration to start from. */
export interface PlaygroundExample {
  readonly title: string;
  readonly version: PlaygroundVersion;
  readonly configuration: PlaygroundConfiguration;
}

/** The data in the page. */
export interface PlaygroundData {
  readonly examples: readonly PlaygroundExample[];
}
