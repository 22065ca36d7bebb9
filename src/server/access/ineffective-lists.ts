import type { HostRule, Ordering } from "./compat-rules.js";

/**
 * A list of clients, the Allow or Deny lines of a section, that never decides (modules/aaa/mod_access_compat.c
 * `check_dir_access`): it was probably written for another Order, or for a line that is missing.
 */
export interface IneffectiveList {
  readonly kind: "nobody" | "unbanned" | "unrestricted" | "all denied";
  readonly list: HostRule["list"];
  /** The Order under which it never decides. */
  readonly ordering: Ordering;
  /** What decides instead: a line of the other list that names all clients, or the default, as the other list is empty. */
  readonly decidedBy: "all" | "default";
  /** The line that gives it an effect. */
  readonly statement: `Order ${Ordering}` | "Allow from all" | "Deny from all";
}

/** All ways in which a list never decides. */
export const ineffectiveLists: readonly IneffectiveList[] = [
  // No client is allowed.
  { kind: "nobody", list: "allow", ordering: "allow,deny", decidedBy: "all", statement: "Order deny,allow" },
  // No client is denied.
  { kind: "unbanned", list: "deny", ordering: "deny,allow", decidedBy: "all", statement: "Order allow,deny" },
  // Every client is allowed, listed or not.
  { kind: "unrestricted", list: "allow", ordering: "deny,allow", decidedBy: "default", statement: "Deny from all" },
  // Every client is denied, listed or not.
  { kind: "all denied", list: "deny", ordering: "allow,deny", decidedBy: "default", statement: "Allow from all" },
];
