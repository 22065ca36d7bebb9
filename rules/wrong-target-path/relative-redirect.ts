import {
  addRewriteFlag,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
  RulePlaces,
  type Scope,
  SettingPlaces,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, findHostName, quoteText } from "../../src/lint/api/rule.js";
import { findOwnMachineTargets } from "./own-machine.js";

const messages = {
  relative: (target: string) => ({
    message: `redirect to ${quoteText(target)} shows the path of a directory on the disk`,
    notes: [
      "without `RewriteBase`, httpd puts the path of the directory on the disk before a relative target",
      "clients see it in the URL, such as `http://www.example.org/var/www/html/page`",
    ],
    help: ["begin the target with `/`, or add a `RewriteBase`"],
  }),
};

const ownMachineMessages = {
  missingFlag: (target: string) => ({
    message: `clients are redirected to ${quoteText(target)}: the flag \`P\` is missing`,
    notes: ["without `P`, a target with a scheme is a redirect (302), and the backend is not used"],
    help: ["add the flag `P`"],
  }),
  ownMachine: (target: string) => ({
    message: `clients are redirected to their own machine: ${quoteText(target)}`,
    notes: ["the browser, and not this server, requests the new URL"],
    help: ["use `ProxyPass`, or a `RewriteRule` with the flag `P`, if the server is to pass requests on"],
  }),
};

const fixTitles = { addFlag: "Add the flag `P`" };

export const relativeRedirect = defineVariant({
  id: "relative-redirect",
  messages: { ...messages, ...ownMachineMessages },
  check: ({ report, project }) => {
    const places = new RulePlaces(project);
    const bases = new SettingPlaces(places);
    const merges = new SettingPlaces(places);
    const withoutBase: Scope[] = [];
    return {
      scope: {
        holding: [
          "rewriterule",
          "rewritebase",
          "rewriteoptions",
          "redirect",
          "redirectmatch",
          "redirectpermanent",
          "redirecttemp",
        ],
        visit(scope) {
          for (const { directive, word, target, lacksFlag } of findOwnMachineTargets(scope, project)) {
            const edit = lacksFlag ? addRewriteFlag(directive, "P") : undefined;
            report({
              message: lacksFlag ? ownMachineMessages.missingFlag(target) : ownMachineMessages.ownMachine(target),
              span: word ? directive.spanOf(word) : directive.span,
              ...(edit ? createFix(fixTitles.addFlag, "unsafe", edit) : {}),
            });
          }
          const { directives, place } = scope;
          if (place !== "htaccess" && place !== "directory") return;
          if (directives.some(isMergeBase)) merges.add(scope);
          if (directives.some(({ key }) => key === "rewritebase")) bases.add(scope);
          else withoutBase.push(scope);
        },
      },
      end() {
        for (const scope of withoutBase) {
          // A directory inherits the base of another one only if either has this option (mod_rewrite.c
          // `config_perdir_merge`). That of the server comes later.
          if (merges.mayApplyTo(scope) && bases.mayApplyTo(scope)) continue;
          for (const { directive, output = "" } of parseRewriteRules(scope.directives).filter(redirectsToRelative)) {
            const target = parseRewriteWords(directive.argumentText)?.[1];
            report({ message: messages.relative(output), span: target ? directive.spanOf(target) : directive.span });
          }
        }
      },
    };
  },
});

function isMergeBase({ key, arguments: words }: Scope["directives"][number]): boolean {
  return key === "rewriteoptions" && words.some(({ value }) => /^mergebase$/i.test(value));
}

/**
 * Returns whether a rule redirects to a relative path (modules/mappers/mod_rewrite.c `apply_rewrite_rule`). In a directory,
 * a group at the start of the pattern does not begin with `/`; other groups and variables may.
 */
function redirectsToRelative({ flags, output = "", pattern }: RewriteRule): boolean {
  if (!flags.names.has("redirect") || flags.names.has("proxy") || /:\/\/|^[a-z]+:/i.test(output)) return false;
  // For the name of a host, `missing-scheme` has the remedy.
  if (findHostName(output) !== undefined) return false;
  return /^\.?[\w-]/.test(output) || (output.startsWith("$1") && /^\^\((?!\?)/.test(pattern));
}
