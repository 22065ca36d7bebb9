import {
  type DefiniteAnswer,
  type ExposedLine,
  type OutsideClient,
  parseRequireLine,
  requiresUser,
  urlRootsOf,
} from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, isWholeServer, mayHaveMoreLines } from "../../src/lint/api/configuration.js";
import { isWithin, resolvePath } from "../../src/lint/api/rule.js";

/** A line that asks for a password in a directory of which nothing is served without lines that grant access to everyone. */
export interface UnaskedPassword {
  /** A request that is answered without a password. */
  readonly answer: DefiniteAnswer;
  /** The line that grants it, and its section. */
  readonly grant: Directive;
  readonly section: Directive;
}

/** Lines that map URLs to directories which are not known. */
const otherMappings = ["aliasmatch", "scriptaliasmatch", "userdir", "virtualdocumentroot", "virtualdocumentrootip"];

/** Limit of the servers whose directories are requested. */
const MAX_SERVERS = 8;

/**
 * Finds a section for a directory that asks for a password, if longer sections grant access to every directory below it that has
 * a URL: their Require lines replace its own (modules/aaa/mod_authz_core.c `merge_authz_core_dir_config`).
 */
export function findUnaskedPassword(
  { line, scope: { section, directives }, context: { project } }: ExposedLine,
  client: OutsideClient,
): UnaskedPassword | undefined {
  const [word, ...more] = section?.arguments ?? [];
  if (section?.key !== "<directory" || word === undefined || more.length > 0 || /[*?[$]/.test(word.value))
    return undefined;
  if (!asksForPassword(line) || !directives.some(({ key }) => key === "authuserfile" || key === "authbasicprovider"))
    return undefined;
  const index = indexDirectives(project);
  const hasOthers = index.named("require").some((each) => each !== line && asksForPassword(each));
  const isKnown = isWholeServer(project) && !mayHaveMoreLines(project) && project.htaccess.length === 0;
  if (hasOthers || !isKnown || otherMappings.some((key) => index.named(key).length > 0)) return undefined;
  if (index.named("<virtualhost").length >= MAX_SERVERS) return undefined;
  const directory = resolvePath(project.serverRoot, word.value);
  const answers = client.listServers(MAX_SERVERS).flatMap((server) =>
    urlRootsOf(project, server.section)
      .filter(({ to }) => isWithin(to, directory))
      .map(({ from }) => client.ask(server, { path: `${from}index.html` })),
  );
  const grants = answers.map((answer) => (answer === undefined ? undefined : grantOf(answer, section)));
  const [answer, grant] = [answers[0], grants[0]];
  if (answer === undefined || grant?.parent === undefined || !grants.every((each) => each !== undefined))
    return undefined;
  return { answer, grant, section: grant.parent };
}

function asksForPassword(line: Directive): boolean {
  const { provider, negated } = parseRequireLine(line);
  return requiresUser(provider) && !negated;
}

/** Returns the line of another section for a directory that grants a request to every client. */
function grantOf({ status, decidedBy: [by] }: DefiniteAnswer, section: Directive): Directive | undefined {
  const isGrant = by?.key === "require" && by.argumentText.trim().toLowerCase() === "all granted";
  return status === 200 && isGrant && by.parent?.key === "<directory" && by.parent !== section ? by : undefined;
}
