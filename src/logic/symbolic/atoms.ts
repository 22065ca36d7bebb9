import type { Address, Subnet } from "../../text/addresses.js";

/** What a decision may hang on, each true or false of a request. */
export type Atom =
  /** The client's address is in a network. */
  | { readonly kind: "address"; readonly subnet: Subnet }
  /** The client's address, as httpd writes it, matches a pattern. */
  | { readonly kind: "address-text"; readonly pattern: string; readonly ignoreCase: boolean }
  /** The client's name is a name or ends in it at the boundary of a label, as Allow and `Require host` compare. */
  | { readonly kind: "host"; readonly name: string }
  /** An environment variable is set; names count in any case. */
  | { readonly kind: "env"; readonly name: string }
  /** Somebody is authenticated. */
  | { readonly kind: "any-user" }
  | { readonly kind: "user"; readonly name: string }
  | GroupAtom
  /** The method as it is sent: who takes HEAD for GET asks for either. */
  | { readonly kind: "method"; readonly name: string }
  /** What has one value at a time has this one: `%{HTTP_HOST}` is `example.org`. */
  | { readonly kind: "value"; readonly of: string; readonly value: string }
  /** Something is at a path. */
  | { readonly kind: "exists"; readonly path: string }
  | { readonly kind: "directory"; readonly path: string }
  /** Any other condition, of which nothing but its text is known. */
  | { readonly kind: "term"; readonly text: string };

/** The user is in a group. */
export interface GroupAtom {
  readonly kind: "group";
  /** What tells who is in it, such as a file: a group of the same name elsewhere is another one. */
  readonly source: string;
  readonly name: string;
  /** Who is in it, where that is known. */
  readonly members?: readonly string[];
}

/** Something of a request that a decision looks at, true or false of it. */
export type Predicate =
  | Atom
  | { readonly kind: "any"; readonly of: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate }
  | { readonly kind: "constant"; readonly value: boolean };

/** Something that a decision looked at, and what it saw. */
export interface Observation {
  readonly look: Predicate;
  readonly value: boolean;
}

/** A request as the atoms see it, for showing it and for asking it. */
export interface RequestModel {
  readonly address: Address;
  /** In lower case; undefined where the client has none. */
  readonly host: string | undefined;
  /** In lower case. */
  readonly env: ReadonlySet<string>;
  readonly user: string | undefined;
  /** By source. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly method: string;
  /** What has one value; what is not in it has a value that nobody asked for. */
  readonly values: ReadonlyMap<string, string>;
  /** What is at the paths that were asked for; nothing where it is not in it. */
  readonly files: ReadonlyMap<string, "file" | "directory">;
  /** The texts of the conditions that hold. */
  readonly terms: ReadonlySet<string>;
}

/** Whether a name is a domain's, or the domain itself (`in_domain` in httpd). Both in lower case. */
export function isInDomain(host: string, domain: string): boolean {
  if (!host.endsWith(domain)) return false;
  return host.length === domain.length || domain.startsWith(".") || host[host.length - domain.length - 1] === ".";
}

/** The other ends of a domain, the longest first: a name that is in the domain is in each of them. */
export function listEnclosingDomains(domain: string): string[] {
  const outer: string[] = [];
  let rest = domain;
  for (;;) {
    const dot = rest.indexOf(".");
    if (dot < 0) return outer;
    // `.example.org` is the names below `example.org`.
    rest = dot === 0 ? rest.slice(1) : rest.slice(dot);
    outer.push(rest);
  }
}
