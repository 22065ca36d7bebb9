import type { EntryKind } from "../config/model/project.js";

/** A rule, or a part of one, that needs the whole server. */
interface WholeServerRule {
  /** Why a part of a server is not enough. */
  readonly reason: string;
  /** The findings of the rule that need it; absent if all do. */
  readonly part?: string;
}

/**
 * The rules that do not run on a fragment, or on a `.htaccess` file that is checked on its own: they report missing
 * items, and another file of the server may have them. Every other rule runs.
 */
export const wholeServerRules: Readonly<Record<string, WholeServerRule>> = {
  "authentication-incomplete": { reason: "another file may set AuthUserFile, AuthBasicProvider or AuthName" },
  "authtype-without-require": { reason: "another file may set Require for the same requests" },
  "changed-default": { reason: "another file may set the directive" },
  "changed-behaviour": {
    reason: "another file may set it",
    part: "what depends on directives that are missing from the server",
  },
  "modules-to-load": { reason: "another file may load the module" },
  "override-missing": { reason: "another file may set AllowOverride" },
  "refused-at-start": {
    reason: "another file may define the name, and the ServerRoot is not known",
    part: "a macro or provider alias that the file does not define, and an Include of a relative path that does not exist",
  },
  "undefined-variable": { reason: "another file or the environment may define the variable" },
};

/** Reports whether a rule can run on a configuration of some kind. */
export function canRunOn(ruleId: string, kind: EntryKind): boolean {
  if (kind === "server") return true;
  const entry = Object.hasOwn(wholeServerRules, ruleId) ? wholeServerRules[ruleId] : undefined;
  return entry === undefined || entry.part !== undefined;
}
