import type { DefiniteAnswer } from "../../server/definite-answer.js";
import type { Unproved } from "../model/comparison.js";
import type { ClientAccess, MappedScope, MappedServer } from "../model/mapped-access.js";
import type { ServerPair } from "../model/server-pairs.js";

/** The effects of a request on a path: it reads a file, runs a program, writes a file, or fetches from a backend. */
export const outsideEffects = ["read", "run", "write", "fetch"] as const;
export type OutsideEffect = (typeof outsideEffects)[number];

/** What a scope shows: an effect, a denial by access control, or an error, which is not protection. */
export const scopeEffects = [...outsideEffects, "error", "protected"] as const;
export type ScopeEffect = (typeof scopeEffects)[number];

/** Paths with the same effect, decided by the same sections. */
export interface OutsideScope extends Pick<MappedScope, "examples" | "place" | "sections" | "isUnsure"> {
  readonly effect: ScopeEffect;
  /** The methods with this effect. */
  readonly methods: readonly string[];
  /** Conditions for all outsiders alike; each alternative is enough. */
  readonly alternatives: readonly (readonly string[])[];
  /** Whether the answer is a listing of a directory. */
  readonly isListing: boolean;
  /** Whether the server is a forward proxy for the example, which is a URL or a host. */
  readonly isForward?: true;
  /** The answer to a request for one of the examples. Lines that give the answer its effect come after those of access control. */
  readonly answer: Pick<DefiniteAnswer, "request" | "status" | "decidedBy">;
  /** For paths that are protected or fail: the clients that are allowed. */
  readonly access: ClientAccess | undefined;
}

/** A server as outsiders see it. */
export interface OutsideViewServer extends Pick<MappedServer, "entryPoints" | "alike"> {
  /** In the order of effects, and by path. */
  readonly scopes: readonly OutsideScope[];
  /** An example of each path class whose answer is not known, or only for some methods. */
  readonly unknownPaths: readonly string[];
}

/** All servers as outsiders see them. */
export interface OutsideView {
  readonly servers: readonly OutsideViewServer[];
  /** Servers that only listen on a loopback address. */
  readonly unreachable: readonly ServerPair[];
  readonly unknown: readonly Unproved[];
}
