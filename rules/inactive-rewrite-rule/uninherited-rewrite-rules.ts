import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import {
  addressReaderOf,
  comparePatterns,
  type Directive,
  type HtaccessFile,
  isHostForAny,
  isSince,
  isTlsDecided,
  isTlsOff,
  isWholeServer,
  type Project,
  parseRewriteRules,
  type RewriteRule,
  RulePlaces,
  readListenLine,
  SettingPlaces,
  tlsServersOf,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  ofServer: {
    message: "rewrite rules of the main server apply to no request",
    notes: [
      "virtual hosts do not inherit rules, and respond to all requests",
      "only `RewriteEngine` and `RewriteOptions` are inherited",
    ],
    help: ["move the rules to the virtual hosts, or add `RewriteEngine On` and `RewriteOptions Inherit` to each"],
  },
  ofRedirect: (directory: string, path: string) => ({
    message: "redirect to https does not apply below a directory with rules of its own",
    notes: [
      `the rules in ${quoteText(`${directory}/.htaccess`)} replace those of the directories above`,
      `requests for ${quoteText(path)} are not redirected`,
    ],
    help: ["repeat the redirect there, or add `RewriteOptions Inherit`"],
  }),
  ofDirectory: (directory: string, path: string) => ({
    message: "rewrite rule does not apply below a directory with rules of its own",
    notes: [
      `the rules in ${quoteText(`${directory}/.htaccess`)} replace those of the directories above`,
      `requests for ${quoteText(path)} are not denied`,
    ],
    help: ["repeat the rule there, or add `RewriteOptions Inherit`"],
  }),
};

const labels = { own: "replaces the rule" };

export const uninheritedRewriteRules = defineVariant({
  id: "uninherited-rewrite-rules",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const pendingReports: ((ruled: readonly HtaccessFile[]) => void)[] = [];
    const inheriting = new SettingPlaces(new RulePlaces(project));
    let serversInherit = false;
    return {
      scope: {
        holding: ["rewriterule", "rewriteoptions"],
        visit(scope) {
          const { directives, place, content } = scope;
          if (directives.some(({ key, argumentText }) => key === "rewriteoptions" && /inherit/i.test(argumentText))) {
            if (place === "server" || place === "virtualhost") serversInherit = true;
            else inheriting.add(scope);
          }
          const isOn = directives.some(
            ({ key, argumentText }) => key === "rewriteengine" && /^"?on/i.test(argumentText),
          );
          const [first, ...others] = parseRewriteRules(directives);
          if (first === undefined || !isOn) return;
          if (place === "server")
            pendingReports.push(() => {
              if (!serversInherit && isCoveredByHosts(project))
                report({ message: messages.ofServer, span: first.directive.span });
            });
          const file = place === "htaccess" ? project.htaccess.find((each) => each.directives === content) : undefined;
          if (file)
            pendingReports.push((ruled) => {
              for (const rule of [first, ...others]) {
                const lost = findLoss(rule, file, ruled);
                if (lost)
                  report({
                    message: (rule.flags.answers ? messages.ofDirectory : messages.ofRedirect)(
                      lost.directory,
                      lost.path,
                    ),
                    span: rule.directive.span,
                    related: [{ message: labels.own, span: lost.by.span }],
                  });
              }
            });
        },
      },
      end() {
        const ruled = project.htaccess.filter(({ directory }) => !inheriting.mayApplyIn(directory));
        for (const check of pendingReports) check(ruled);
      },
    };
  },
});

/** Returns whether a virtual host responds at each address that the server listens on. */
function isCoveredByHosts(project: Project): boolean {
  if (!isWholeServer(project)) return false;
  const hosts = project.directives.filter(({ key }) => key === "<virtualhost");
  const open = hosts.flatMap(addressReaderOf(project.directives)).filter(isHostForAny);
  const listens = project.directives.filter(({ key }) => key === "listen").map(readListenLine);
  const [covered, others] = partition(listens, (listen) => open.some(({ port }) => port === 0 || port === listen.port));
  // At the port of https, clients do not reach a main server without TLS.
  const [main] = tlsServersOf(project);
  const isPlain = isTlsDecided(project) && main !== undefined && isTlsOff(main);
  return covered.length > 0 && others.every(({ port }) => port === 443 && isPlain);
}

/** A directory in which a rule does not apply, with a path that it would deny. */
interface Loss {
  /** By the path that its file was read from. */
  readonly directory: string;
  readonly path: string;
  readonly by: Directive;
}

/**
 * Finds a directory below with its own rules (modules/mappers/mod_rewrite.c `config_perdir_merge`).
 *
 * @param others the files that do not inherit rules
 */
function findLoss(rule: RewriteRule, file: HtaccessFile, others: readonly HtaccessFile[]): Loss | undefined {
  const { pattern, isNegated, conditions, flags } = rule;
  if (redirectsToHttps(rule)) return findRedirectLoss(file, others);
  const sample = flags.answers && !isNegated && conditions.length === 0 ? samplePattern(pattern) : undefined;
  if (sample === undefined || pattern === "^" || /^\^?\(?\.[*+]/.test(pattern)) return undefined;
  const top = topOf(file);
  for (const { directory, tree, directives, by } of listReplacing(file, others)) {
    const path = `${directory.slice(top.length)}/${sample.replace(/^\//, "").replace(/^\./, "x.")}`;
    const isRepeated = parseRewriteRules(directives).some((each) => each.flags.answers);
    if (!isRepeated && matchGroupsOf(pattern, path, flags.names.has("nocase")))
      return { directory: folderOf(tree), path, by };
  }
  return undefined;
}

/** Lists the files below with their own rules. */
function* listReplacing(
  file: HtaccessFile,
  all: readonly HtaccessFile[],
): Generator<HtaccessFile & { readonly by: Directive }> {
  for (const each of all) {
    if (each.directory === file.directory || !each.directory.startsWith(topOf(file))) continue;
    const by = each.directives.find(({ key }) => key === "rewriteengine" || key === "rewriterule");
    if (by) yield { ...each, by };
  }
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

function topOf({ directory }: HtaccessFile): string {
  return `${directory.replace(/\/$/, "")}/`;
}

function folderOf({ source }: HtaccessFile["tree"]): string {
  return source.path.replace(/\/[^/]*$/, "");
}

/** Returns whether a rule redirects every request without TLS. */
function redirectsToHttps({ output = "", pattern, isNegated, conditions, flags }: RewriteRule): boolean {
  if (isNegated || !/^https:\/\//i.test(output) || flags.names.has("proxy") || conditions.length === 0) return false;
  const isAboutScheme = ({ input }: RewriteRule["conditions"][number]) =>
    /^%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME|HTTP:X-Forwarded-Proto)\}$/i.test(input);
  return conditions.every(isAboutScheme) && comparePatterns(".+", pattern, false) === "all";
}

/** Finds a directory below whose rules do not redirect to https. */
function findRedirectLoss(file: HtaccessFile, others: readonly HtaccessFile[]): Loss | undefined {
  for (const { directory, tree, directives, by } of listReplacing(file, others)) {
    const redirects = parseRewriteRules(directives).some(({ output = "" }) => /^https:/i.test(output));
    const isDenied = directives.some(({ key, argumentText }) => key === "require" && /^all denied/i.test(argumentText));
    if (!redirects && !isDenied)
      return { directory: folderOf(tree), path: `${directory.slice(topOf(file).length)}/`, by };
  }
  return undefined;
}
