import type { Address, Subnet } from "../../text/addresses.js";
import type { UnknownFact } from "./unknown-facts.js";

/** A condition that a decision may depend on, true or false for each request. */
export type Atom =
  /** The client's address is in a network. */
  | { readonly kind: "address"; readonly subnet: Subnet }
  /** The client's address, as httpd writes it, matches a pattern. */
  | { readonly kind: "address-text"; readonly pattern: string; readonly ignoreCase: boolean }
  /** The client's host name equals a name or ends in it at a label boundary, as Allow and `Require host` compare. */
  | { readonly kind: "host"; readonly name: string }
  /** An environment variable is set; names are case-insensitive. */
  | { readonly kind: "env"; readonly name: string }
  /** A user is authenticated. */
  | { readonly kind: "any-user" }
  | { readonly kind: "user"; readonly name: string }
  | GroupAtom
  /** The method as sent: code that treats HEAD as GET tests for either. */
  | { readonly kind: "method"; readonly name: string }
  /** A single-valued property has this value: `%{HTTP_HOST}` is `example.org`. */
  | { readonly kind: "value"; readonly of: string; readonly value: string }
  /** A path exists. */
  | { readonly kind: "exists"; readonly path: string }
  | { readonly kind: "directory"; readonly path: string }
  /** Any other condition. */
  | { readonly kind: "fact"; readonly fact: UnknownFact };

/** The user is in a group. */
export interface GroupAtom {
  readonly kind: "group";
  /** The source of its members, such as a file: a group of the same name elsewhere is different. */
  readonly source: string;
  readonly name: string;
  /** Its members, if known. */
  readonly members?: readonly string[];
}

/** A predicate that a decision reads, true or false for a request. */
export type Predicate =
  | Atom
  | { readonly kind: "any"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate }
  | { readonly kind: "constant"; readonly value: boolean };

/** A predicate that a decision read, and its value. */
export interface Observation {
  readonly predicate: Predicate;
  readonly value: boolean;
}

/** A request in terms of atoms, for display and for probing. */
export interface RequestModel {
  readonly address: Address;
  /** In lower case; undefined if the client does not have a name. */
  readonly host: string | undefined;
  /** In lower case. */
  readonly env: ReadonlySet<string>;
  readonly user: string | undefined;
  /** By source. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly method: string;
  /** Values of single-valued properties; any other has a value that no atom names. */
  readonly values: ReadonlyMap<string, string>;
  /** The objects at the paths in question; any other path does not exist. */
  readonly files: ReadonlyMap<string, "file" | "directory">;
  /** The other conditions that hold. */
  readonly facts: ReadonlySet<UnknownFact>;
}

/** Reports whether a name is in a domain, or equals it (`in_domain` in httpd). Both are in lower case. */
export function isInDomain(host: string, domain: string): boolean {
  if (!host.endsWith(domain)) return false;
  return host.length === domain.length || domain.startsWith(".") || host[host.length - domain.length - 1] === ".";
}

/** Returns the other suffixes of a domain, longest first: a name in the domain is in each of them. */
export function listEnclosingDomains(domain: string): string[] {
  const outer: string[] = [];
  let rest = domain;
  for (;;) {
    const dot = rest.indexOf(".");
    if (dot < 0) return outer;
    // `.example.org` represents the names below `example.org`.
    rest = dot === 0 ? rest.slice(1) : rest.slice(dot);
    outer.push(rest);
  }
}
