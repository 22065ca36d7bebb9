import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Automaton } from "../../regex/automata/automaton.js";
import type { BudgetExceeded } from "../../regex/budget.js";
import type { Server } from "../../server/model/server.js";
import type { ReasonAtLine } from "./unproved-reasons.js";

/** One side of a comparison: a server of a configuration under a release. */
export interface PathSide {
  readonly project: Project;
  readonly server: Server;
}

/** The kinds of objects that a path may lead to. */
export const walkKinds = ["file", "directory", "missing"] as const;
export type WalkKind = (typeof walkKinds)[number];

/** The end of the walk through the file system for a path. */
export interface PathWalk {
  /**
   * The number of characters of the path that lead through the file system: up to the file, the directory, or the first
   * missing name. The rest is path info.
   */
  readonly walked: number;
  readonly kind: WalkKind;
  /** The absolute name of the existing or missing object, without a trailing slash. */
  readonly filename: string;
}

/** A URL path and the existing objects in the file system. */
export interface WalkedPath {
  /** As normalized by the server, one character per byte. */
  readonly path: string;
  /**
   * The walk of each side; undefined if it does not lead to a file, or to one that is not tracked. Both are equal if
   * they lead to the same file.
   */
  readonly walks: readonly (PathWalk | undefined)[];
}

/**
 * A class of URL paths and existing objects that each side treats alike. A shortest and simplest path represents it.
 */
export interface PathClass extends WalkedPath {
  /**
   * All paths of the class, with a NUL where the walk ends. If the sides lead to different files there are two marks,
   * each followed by the number of its side, 1 or 2.
   */
  readonly paths: Automaton;
  /** Whether the number of a side follows each mark in its paths. */
  readonly hasNumberedMarks: boolean;
  /** Returns the walked path that one of its texts represents. */
  walkedIn(text: string): WalkedPath;
  /** The sections for paths and files that apply on each side, in order. */
  readonly sections: readonly (readonly Directive[])[];
}

/** How far path classes are alike: up to the whole answer, or only up to the access check of the requested path. */
export type PartitionExtent = "answer" | "access check";

/** A reason why path classes are inexact: paths of one class may have different results. */
export interface InexactPathClasses extends ReasonAtLine {
  readonly classes: readonly PathClass[];
  /** The unknown part if it concerns neither the sections that apply nor the check of access in them. */
  readonly unknown?: UnknownPhase;
}

/**
 * The file that a URL is mapped to, whether it is mapped to its backend or to such a file, whether to any file or any
 * backend, or the phases after the access check of the requested path.
 */
export type UnknownPhase = "target" | "backend or target" | "any target" | "later phases";

/** All URL paths, partitioned into path classes. */
export interface PathPartition {
  readonly classes: readonly PathClass[];
  readonly inexact: readonly InexactPathClasses[];
  /** Whether a line reads the URL of a backend. */
  readonly readsBackends: boolean;
  /** Partitions all names of files, and the objects with these names, regardless of the URL: the paths are the names. */
  readonly partitionFiles: () => readonly PathClass[] | BudgetExceeded;
}
