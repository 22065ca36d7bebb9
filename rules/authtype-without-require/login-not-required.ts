import {
  type AccessAnswer,
  describeProbe,
  findUnmodelledLine,
  formatLineTitle,
  overrideClassesOf,
  type ProbeContext,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  findThirdPartyDirective,
  iterateDirectives,
  keywordArgumentOf,
  type Project,
} from "../../src/lint/api/configuration.js";
import { defineVariant, memoize } from "../../src/lint/api/rule.js";

const messages = {
  open: (line: Directive, answer: AccessAnswer, grant: Directive, isOwn: boolean) => ({
    message: `${formatLineTitle(line)} asks for no password: no \`Require\` needs a user`,
    notes: [describeProbe(answer)],
    help: [
      isOwn
        ? `to require a login, replace ${formatLineTitle(grant)} with \`Require valid-user\``
        : "to require a login, add `Require valid-user`",
    ],
  }),
  part: (line: Directive) => ({
    message: `${formatLineTitle(line)} asks for no password: \`Require\` is missing`,
    notes: [
      "if another file has `Require all granted`, every client is allowed; without any `Require`, requests return 500 (AH01627)",
      "this holds unless another file has a `Require` for users",
    ],
    help: ["to require a login, add `Require valid-user`"],
  }),
};

const labels = { grant: "allows every client" };

/**
 * Finds a login with passwords that no Require asks for: every client is allowed (modules/aaa/mod_authz_core.c
 * `authorize_user`; mod_auth_basic asks only if a Require needs a user).
 */
export const loginNotRequired = defineVariant({
  id: "login-not-required",
  messages,
  check: () => ({
    probe: {
      applies: ({ directives }) => directives.some(asksForPassword) && directives.some(namesPasswords),
      check(situation, inspector, _, { project }) {
        const { scope, layer, require, compat } = situation;
        const line = layer.setting("authtype");
        if (line === undefined || !asksForPassword(line) || compat !== undefined) return undefined;
        if (mayBeInherited(line, project)) return undefined;
        if (require === undefined)
          return project.kind === "htaccess"
            ? { severity: "warning", message: messages.part(line), span: line.span }
            : undefined;
        const answer = inspector.probe(situation, situation.request);
        const [grant, ...others] = answer?.class === "allowed" ? answer.decidedBy : [];
        if (!answer || grant === undefined || others.length > 0 || !allowsEveryone(grant)) return undefined;
        if (mayAuthorizeOtherwise(situation.state, project) || mayBeReplaced(grant, situation.state, project))
          return undefined;
        const isOwn = scope.directives.includes(grant);
        return {
          message: messages.open(line, answer, grant, isOwn),
          span: line.span,
          related: [{ message: labels.grant, span: grant.span }],
          witness: inspector.witness(answer),
        };
      },
    },
  }),
});

/** Reports whether a line is for logins with passwords of mod_auth_basic and mod_auth_digest. */
function asksForPassword(line: Directive): boolean {
  return line.key === "authtype" && /^(?:basic|digest)$/.test(keywordArgumentOf(line) ?? "");
}

const passwordLines: ReadonlySet<string> = new Set([
  ...["authuserfile", "authdbmuserfile", "authdbduserpwquery", "authldapurl"],
  ...["authbasicprovider", "authdigestprovider"],
]);

function namesPasswords({ key }: Directive): boolean {
  return passwordLines.has(key);
}

/** Reports whether another module may ask for the login, such as mod_authz_svn (mod_authz_svn.c `access_checker`). */
function mayAuthorizeOtherwise({ layers }: ProbeContext["state"], project: Project): boolean {
  const isOfOther = ({ known }: Directive) =>
    known.facts.length === 0 && (findThirdPartyDirective(known.key)?.override ?? ["AuthConfig"]).includes("AuthConfig");
  return (
    findUnmodelledLine(layers, project) !== undefined || layers.some(({ directives }) => directives.some(isOfOther))
  );
}

/** Reports whether a `.htaccess` file that is not here may have a Require in place of one of a directory. */
function mayBeReplaced(grant: Directive, state: ProbeContext["state"], project: Project): boolean {
  const place = placeOf(grant);
  if (typeof place === "string" || !place.key.startsWith("<directory")) return false;
  const directory = state.filename?.replace(/\/[^/]*$/, "");
  if (directory !== undefined && project.directories?.has(directory)) return false;
  return overrideClassesOf(state, project).has("AuthConfig");
}

function allowsEveryone({ key, argumentText }: Directive): boolean {
  return key === "require" && /^"?all"?\s+"?granted/i.test(argumentText);
}

/**
 * Reports whether a Require for users is in the section of a line, in a section without an `AuthType` of its own, or in a
 * `.htaccess` file: it may be for users of this login.
 */
function mayBeInherited(line: Directive, project: Project): boolean {
  const { withType, withUsers } = placesOf(project);
  const own = placeOf(line);
  return [...withUsers].some((place) => place === own || !withType.has(place));
}

const placesOf = memoize((project: Project) => {
  const lines = [...iterateDirectives(project)];
  return {
    withType: new Set(lines.filter(({ key }) => key === "authtype").map(placeOf)),
    withUsers: new Set(lines.filter(mayNeedUser).map(placeOf)),
  };
});

/** Returns the section of a line, or else its file. */
function placeOf({ parent, span }: Directive): Directive | string {
  let section = parent;
  while (section && /^<(?:limit|require|if(?:module|define|version)|else)/.test(section.key)) section = section.parent;
  return section ?? span.file.realPath;
}

/** Providers that decide without a user (mod_authz_core.c, mod_authz_host.c). */
const withoutUser = /^(?:all|ip|host|forward-dns|local|method)$/;

function mayNeedUser({ key, arguments: words }: Directive): boolean {
  const [first, second] = words.map(({ value }) => value.toLowerCase());
  const provider = first === "not" ? second : first;
  return key === "require" && provider !== undefined && !withoutUser.test(provider);
}
