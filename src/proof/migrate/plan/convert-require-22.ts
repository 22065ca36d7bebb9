import type { Directive } from "../../../config/model/directive.js";
import type { Project } from "../../../config/model/project.js";
import { type AuthorizerName, authorizersOf, isDefaultAuthoritative } from "../../../server/access/authorizers-22.js";
import { limitsInclude, limitsOf } from "../../../server/access/clients-and-methods.js";
import { createRuleLine, type RequireNode, requireAnyOf } from "../../../server/access/require-nodes.js";
import { parseRequireLine } from "../../../server/access/require-rules.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { Result } from "../../../text/result.js";
import { type Inexpressible, stateReason } from "./inexpressible.js";

/** A parsed Require line. */
interface RequireLine22 {
  readonly directive: Directive;
  /** Lower case: 2.2 ignores the case. */
  readonly word: string;
  readonly rest: string;
}

/** The verdict of one module on the Require lines. */
interface AuthorizerRules {
  readonly rules: readonly RequireNode[];
  /** Whether any line uses one of the module's own words; if so, an authoritative module decides. */
  readonly hasOwnWords: boolean;
}

/**
 * Converts the Require lines of 2.2, for one method, to Require rules of 2.4. Each module checks its own words, and
 * modules after the first that decides as authoritative are not run.
 *
 * @returns undefined as the value if there is none for the method
 */
export function convertRequireLines22(
  lines: readonly Directive[],
  method: string,
  settings: { readonly project: Project; readonly layers: readonly ConfigLayer[] },
): Result<RequireNode | undefined, Inexpressible> {
  const requirements = lines
    .filter((each) => limitsInclude(limitsOf(each), method))
    .map((directive): RequireLine22 => {
      const { provider, rest } = parseRequireLine(directive);
      return { directive, word: provider.toLowerCase(), rest };
    });
  const [first] = requirements;
  if (first === undefined) return { ok: true, value: undefined };
  const rules: RequireNode[] = [];
  let isSettled = false;
  let isNoted = false;
  for (const { name, isAuthoritative } of authorizersOf(settings)) {
    if (name === "owner") isNoted = notesGroup(requirements, isAuthoritative);
    const converted = authorizers22[name](requirements, isAuthoritative, isNoted);
    rules.push(...converted.rules);
    // By then every authenticated user is allowed.
    const allowsAllUsers = converted.rules.some((rule) => rule.kind === "line" && rule.words === "valid-user");
    isSettled = allowsAllUsers || (converted.hasOwnWords && isAuthoritative);
    if (isSettled) break;
  }
  if (!isSettled && !isDefaultAuthoritative(settings))
    return {
      ok: false,
      error: {
        ...stateReason("no-authoritative-module"),
        notes: [
          "2.2 returns 500 to users that no module allows or denies",
          "Require lines cannot preserve a status of 500",
        ],
        help: ["delete the line that makes the last module not authoritative"],
        directive: first.directive,
      },
    };
  // Without rules, a client is still prompted for a password, but nobody is allowed.
  return { ok: true, value: rules.length > 0 ? requireAnyOf(rules) : createRuleLine("user", first.directive) };
}

type Authorizer22 = (lines: readonly RequireLine22[], isAuthoritative: boolean, isNoted: boolean) => AuthorizerRules;

const authorizers22: Readonly<Record<AuthorizerName, Authorizer22>> = {
  ldap: (lines) => ownLines(lines, (word) => (word.startsWith("ldap-") ? word : undefined)),
  user: (lines) => ownLines(lines, (word) => (word === "user" || word === "valid-user" ? word : undefined)),
  owner: (lines, isAuthoritative) => {
    const owners = lines.filter(({ word }) => word === "file-owner");
    if (!isAuthoritative) return { ...ownLines(owners, (word) => word), hasOwnWords: false };
    // The first of the two words decides; a group is left to the modules that know the groups.
    const isFirst =
      owners.length > 0 && lines.find(({ word }) => word === "file-owner" || word === "file-group") === owners[0];
    return isFirst ? ownLines(owners.slice(0, 1), (word) => word) : { rules: [], hasOwnWords: false };
  },
  groupfile: byGroup({ group: "group", "file-group": "file-group" }),
  dbm: byGroup({ group: "dbm-group", "file-group": "dbm-file-group" }),
};

function ownLines(lines: readonly RequireLine22[], newWord: (word: string) => string | undefined): AuthorizerRules {
  const rules = lines.flatMap(({ directive, word, rest }) => {
    const newName = newWord(word);
    return newName === undefined ? [] : [createRuleLine(`${newName} ${rest}`.trim(), directive)];
  });
  return { rules, hasOwnWords: rules.length > 0 };
}

/** Reports whether mod_authz_owner notes the group of the file for later modules. */
function notesGroup(lines: readonly RequireLine22[], isAuthoritative: boolean): boolean {
  const words = lines.map(({ word }) => word).filter((word) => word === "file-owner" || word === "file-group");
  return isAuthoritative ? words[0] === "file-group" : words.includes("file-group");
}

/** An authoritative module stops at the group of the file. */
function byGroup(words: Readonly<Record<"group" | "file-group", string>>): Authorizer22 {
  return (lines, isAuthoritative, isNoted) => {
    const ownRequirements = lines.filter(({ word }) => word === "group" || (word === "file-group" && isNoted));
    const end = isAuthoritative ? ownRequirements.findIndex(({ word }) => word === "file-group") : -1;
    return ownLines(end < 0 ? ownRequirements : ownRequirements.slice(0, end + 1), (word) =>
      word === "group" || word === "file-group" ? words[word] : undefined,
    );
  };
}
