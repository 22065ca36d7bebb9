import type { Directive } from "./directive.js";

/** Where a URL path leads, both as written. */
export interface Placement {
  readonly from: string;
  /** A directory or file, which may be relative to the ServerRoot. */
  readonly to: string;
}

/** What a DocumentRoot, Alias or ScriptAlias leads to by name; undefined for anything else, whose words are not read. */
export function placementOf(directive: Directive): Placement | undefined {
  switch (directive.key) {
    case "documentroot": {
      const [to] = directive.arguments;
      return to && { from: "/", to: to.value };
    }
    case "alias":
    case "scriptalias": {
      const [from, to] = directive.arguments;
      return from && to && { from: from.value, to: to.value };
    }
    default:
      return undefined;
  }
}
