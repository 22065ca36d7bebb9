import {
  type Directive,
  findDirectiveFacts,
  findThirdPartyDirective,
  isAllowedIn,
  type Project,
} from "../../src/lint/api/configuration.js";
import { quoteText, type Report } from "../../src/lint/api/rule.js";

export const ignoredValueMessages = {
  urlFor401: (url: string) => ({
    message: `\`ErrorDocument 401\` ignores the URL ${quoteText(url)}`,
    notes: [
      "a redirect has no WWW-Authenticate header, so that browsers would not ask for the password",
      "httpd warns at start (AH00113)",
    ],
    help: ["use a local path, such as `/login.html`"],
  }),
  unknownOverride: (name: string) => ({
    message: `\`AllowOverrideList\` ignores the unknown directive ${quoteText(name)}`,
    notes: ["httpd warns at start (AH00116)"],
    help: ["correct the name, or load the module of the directive"],
  }),
  globalOverride: (name: string) => ({
    message: `\`AllowOverrideList\` ignores ${quoteText(name)}, which is not allowed in \`.htaccess\` files`,
    notes: ["httpd warns at start (AH02304)"],
    help: ["delete the name"],
  }),
  lowRecursion: (limit: string) => ({
    message: `the limit ${quoteText(limit)} of \`LimitInternalRecursion\` is very low`,
    notes: ["httpd warns that normal requests may fail (AH00119, AH00120)"],
    help: ["use at least 4, or delete the line for the default of 10"],
  }),
};

/** Returns the arguments of a directive that httpd warns about. */
type Check = (directive: Directive, project: Project) => readonly Report[];

/** By lower-case name. */
export const ignoredValueChecks: ReadonlyMap<string, Check> = new Map([
  ["errordocument", checkErrorDocument],
  ["allowoverridelist", checkOverrideList],
  ["limitinternalrecursion", checkRecursion],
]);

/** Finds a URL, which is a word that starts with a scheme (server/core.c `set_error_document`). */
function checkErrorDocument(directive: Directive): readonly Report[] {
  const [status, target] = directive.arguments;
  if (status === undefined || target === undefined || Number(status.value) !== 401) return [];
  if (!/^[A-Za-z\d+.-]+:[^ ]*$/.test(target.value)) return [];
  return [{ message: ignoredValueMessages.urlFor401(target.value), span: directive.spanOf(target) }];
}

/** Finds names that `.htaccess` files cannot have (server/core.c `set_override_list`). */
function checkOverrideList(directive: Directive, { release, modules, modulesAreKnown }: Project): readonly Report[] {
  return directive.arguments.flatMap((word) => {
    const name = word.value;
    if (name.toLowerCase() === "none" || name.includes("${") || findThirdPartyDirective(name)) return [];
    const facts = findDirectiveFacts(release, name);
    const provided = modulesAreKnown ? facts.filter((each) => modules.provides(each)) : facts;
    const span = directive.spanOf(word);
    if (provided.length === 0)
      return modules.unknown.length > 0 ? [] : [{ message: ignoredValueMessages.unknownOverride(name), span }];
    const isLocal = provided.some((each) => isAllowedIn(each, "directory") || isAllowedIn(each, "htaccess"));
    return isLocal ? [] : [{ message: ignoredValueMessages.globalOverride(name), span }];
  });
}

/** Finds limits below 4 (server/core.c `set_recursion_limit`). */
function checkRecursion(directive: Directive): readonly Report[] {
  return directive.arguments
    .filter(({ value }) => /^[1-3]$/.test(value))
    .map((word) => ({ message: ignoredValueMessages.lowRecursion(word.value), span: directive.spanOf(word) }));
}
