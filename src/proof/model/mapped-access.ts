import type { Directive } from "../../config/model/directive.js";
import type { ClientDescription } from "../clients/client-description.js";
import type { TemplateInstance } from "../compare/host-templates.js";
import type { Unproved } from "./comparison.js";
import type { EntryPoint } from "./server-pairs.js";

/**
 * The objects at a path, in order of preference: a file, something elsewhere (a backend, a redirect), path info after a
 * file, a directory, or nothing.
 */
export const places = ["file", "elsewhere", "path info", "directory", "missing"] as const;

/** The answer to a client without access: a redirect, or another status. */
export type DeniedAnswer = "redirect" | `${number}`;

/** The allowed clients, and the results for all other clients. */
export interface ClientAccess {
  /** Empty if access is denied to everyone. */
  readonly allowed: readonly ClientDescription[];
  /** Empty if everyone is allowed. */
  readonly others: readonly DeniedAnswer[];
}

/** Paths decided by the same sections, with the access to them. */
export interface MappedScope {
  /** Example paths of these classes, as sent; a shortest one first. */
  readonly examples: readonly string[];
  /** The object found at these paths. With path info, a file precedes it. */
  readonly place: (typeof places)[number];
  /** The sections that contain the deciding lines, in order, and deciding lines outside sections. */
  readonly sections: readonly Directive[];
  /** As text; empty if it applies to all methods. */
  readonly methods: readonly string[];
  /** For one side, or for each of two. */
  readonly who: readonly ClientAccess[];
  /** Whether the two sides differ. */
  readonly differs: boolean;
  /** Whether the result depends on something unknown, named in `AccessMap.unknown`. */
  readonly isUnsure: boolean;
}

/** A server and its complete access map. */
export interface MappedServer {
  /** Its entry points; the most usual first. */
  readonly entryPoints: readonly EntryPoint[];
  /** Sorted by path. */
  readonly scopes: readonly MappedScope[];
  /** The servers that are alike up to constants: their scopes have their own names, paths and addresses. */
  readonly alike: readonly TemplateInstance[];
}

/** The access of all clients to all paths. */
export interface AccessMap {
  readonly servers: readonly MappedServer[];
  /** Unproved parts of the map. */
  readonly unknown: readonly Unproved[];
}
