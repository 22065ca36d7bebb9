import { describeAnswer, formatLineTitle, lineTrialsOf, witnessOf } from "../../src/lint/api/access.js";
import {
  type Directive,
  indexDirectives,
  keywordArgumentOf,
  type Project,
  parseRewriteRules,
  redirectsAllToHttps,
  rewritesAllToHttps,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { defineVariant } from "../../src/lint/api/rule.js";

const messages = {
  refused: (line: Directive, redirect: Directive, answer: string) => ({
    message: `${formatLineTitle(line)} refuses requests without TLS: they are never redirected to https`,
    notes: [answer, `in this place, httpd applies \`${redirect.name}\` after it has checked access`],
    help: ["redirect in the virtual host of port 80, where no line refuses requests first"],
  }),
};

const labels = { redirect: "redirects to https" };

/**
 * Finds a line that refuses requests without TLS in a directory that redirects all of them to https: mod_ssl checks access, and
 * the rules and redirects of directories come later (mod_rewrite.c `hook_fixup`, mod_alias.c `fixup_redir`; live case). A
 * Redirect of a server or of a Location section comes before (`translate_alias_redir`).
 */
export const refusedRedirect = defineVariant({
  id: "refused-redirect",
  messages,
  check: (context) => ({
    scope: {
      holding: ["sslrequiressl", "require"],
      visit(scope) {
        const line = findTlsRequirement(scope);
        const redirect = line && findRedirectToTls(scope);
        if (line === undefined || redirect === undefined || mayReplaceRefusal(context.project)) return;
        const answer = lineTrialsOf(context).findRefusal(line, scope);
        if (answer === undefined) return;
        context.report({
          message: messages.refused(line, redirect, describeAnswer(answer)),
          span: line.span,
          related: [{ message: labels.redirect, span: redirect.span }],
          witness: witnessOf(answer),
        });
      },
    },
  }),
});

/** Returns the line of a scope without which requests without TLS are not refused. */
function findTlsRequirement({ directives }: Scope): Directive | undefined {
  const forced = directives.find(({ key }) => key === "sslrequiressl");
  const [first, ...others] = directives.filter(({ key }) => key === "require" || key.startsWith("<require"));
  const isOnly = others.length === 0 && first?.key === "require" && first.argumentText.trim().toLowerCase() === "ssl";
  return forced ?? (isOnly ? first : undefined);
}

/** Returns a line of a directory that redirects each request without TLS to https. */
function findRedirectToTls({ directives, place }: Scope): Directive | undefined {
  if (place !== "htaccess" && place !== "directory" && place !== "location") return undefined;
  const isOn = directives.findLast(({ key }) => key === "rewriteengine");
  const rules = isOn && keywordArgumentOf(isOn) === "on" ? parseRewriteRules(directives) : [];
  // A rule before it may end the list for some requests.
  const [first] = rules;
  const rule = first && first.conditions.length > 0 && rewritesAllToHttps(first) ? first.directive : undefined;
  return rule ?? (place === "location" ? undefined : directives.find(redirectsAllToHttps));
}

/** Reports whether a document of the refusal may redirect, or other requirements may allow the request. */
function mayReplaceRefusal(project: Project): boolean {
  const index = indexDirectives(project);
  const isAny = index.named("satisfy").some((line) => keywordArgumentOf(line) === "any");
  return isAny || index.named("errordocument").some(({ arguments: [code] }) => code?.value === "403");
}
