import type { UnknownValue } from "./unknown-value.js";

/** The environment variables of a request by name, in lower case. */
export type Environment = Map<string, string | UnknownValue>;

export type ReadonlyEnvironment = ReadonlyMap<string, string | UnknownValue>;
