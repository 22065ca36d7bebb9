import { withoutSpecialRules } from "../../src/lint/api/access.js";
import {
  parseRewriteRules,
  type RewriteRule,
  type RulePlace,
  RulePlaces,
  type Scope,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  indentOf,
  insertLinesBefore,
  quoteText,
  type Report,
  type RuleContext,
} from "../../src/lint/api/rule.js";
import { findRedirectLoops } from "./redirects.js";
import { applyRule, findRepetition, isLasting, mayBeginAlike, type Repetition, samplePathFor } from "./repetition.js";
import { readsHeader, TlsProxyRedirects } from "./tls-proxies.js";

const messages = {
  internal: ({ path, next }: Repetition, isAtRoot: boolean) => ({
    message: "rewrite rule applies to its own result, without an end",
    notes: [
      `${quoteText(path)} becomes ${quoteText(next)}, and the rules of a directory run again for each result`,
      "the request returns 500, and httpd logs AH00124",
      ...(isAtRoot ? ["this holds if the file is in the document root"] : []),
    ],
    help: ["use `END` instead of `L`, or add a condition such as `RewriteCond %{REQUEST_FILENAME} !-f`"],
  }),
  external: ({ path, next }: Repetition) => ({
    message: "redirect applies to its own target, without an end",
    notes: [
      `${quoteText(path)} is redirected to ${quoteText(next)}, which is redirected again`,
      "browsers give up with an error about too many redirects",
    ],
    help: ["exclude the target with the pattern or a condition, or correct the target"],
  }),
  behindProxy: (header: string) => ({
    message: "redirect to https loops behind a proxy that terminates TLS",
    notes: [
      `another line reads the scheme of the client from ${quoteText(header)}`,
      "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
    ],
    help: [`add ${quoteText(`RewriteCond %{HTTP:${header}} !=https`)}`],
  }),
  alternativeBehindProxy: (header: string) => ({
    message: "redirect to https loops behind a proxy that terminates TLS",
    notes: [
      `because of \`[OR]\`, the rule does not depend on ${quoteText(header)}`,
      "the condition tests the connection from the proxy, so `https://…/x` is redirected to itself",
    ],
    help: ["delete `[OR]`"],
  }),
  forAll: ({ next }: Repetition) => ({
    message: `every request is redirected to ${quoteText(next)}`,
    notes: [
      "with one path, `Redirect` applies to each request of its section, and to the target as well",
      "browsers give up with an error about too many redirects",
    ],
    help: ["add the target after the path"],
  }),
};

const labels = { reader: "reads the scheme of the client" };

const fixTitles = { test: "Test the header of the proxy" };

export const rewriteLoop = defineRule({
  id: "rewrite-loop",
  title: "Redirect or rewrite rule without an end",
  group: "correctness",
  severity: "warning",
  description: "A RewriteRule or Redirect that applies to its own result again and again.",
  help: "In a directory or `.htaccess` file, httpd goes through the rules again for each result. A rule that matches its own result fails with 500 (AH00124). A redirect that matches its own target never ends in a browser. Exclude the target, or use the flag END.",
  tags: ["correctness"],
  messages,
  check: ({ project, files, report }) => {
    const places = new RulePlaces(project);
    const proxied = new TlsProxyRedirects();
    return {
      scope: {
        holding: ["rewriterule", "redirect", "redirectmatch", "redirectpermanent", "redirecttemp"],
        visit(scope) {
          proxied.visitScope(scope);
          const place = places.find(scope);
          for (const found of listRuleLoops(scope, place, files)) report(found);
          for (const { line, repetition, isForAll } of findRedirectLoops(scope, place))
            report({ message: (isForAll ? messages.forAll : messages.external)(repetition), span: line.span });
        },
      },
      end() {
        for (const { rule, reader, header } of proxied.list(project)) {
          const { directive, conditions } = rule;
          const isAlternative = readsHeader(rule);
          const [first = directive] = conditions.map((condition) => condition.directive);
          const condition = `${indentOf(directive.span)}RewriteCond %{HTTP:${header}} !=https`;
          report({
            message: (isAlternative ? messages.alternativeBehindProxy : messages.behindProxy)(header),
            span: directive.span,
            related: [{ message: labels.reader, span: reader.span }],
            ...(isAlternative ? {} : createFix(fixTitles.test, "unsafe", insertLinesBefore(first.span, [condition]))),
          });
        }
      },
    };
  },
});

function* listRuleLoops({ directives }: Scope, place: RulePlace, files: RuleContext["files"]): Generator<Report> {
  const rules = parseRewriteRules(directives);
  for (const [index, rule] of rules.entries()) {
    const isLast = rule.flags.names.has("last") || index === rules.length - 1;
    if (!isLast || !isPlain(rule, rules[index - 1])) continue;
    const earlier = withoutSpecialRules(rules.slice(0, index), rule);
    if (rule.flags.names.has("redirect")) {
      const repetition = findExternal(rule, earlier, place);
      if (repetition) yield { message: messages.external(repetition), span: rule.directive.span };
    } else {
      const repetition = place.isDirectory ? findInternal(rule, earlier, place) : undefined;
      if (repetition && !leadsElsewhere(repetition.next, place, files))
        yield {
          severity: "error",
          message: messages.internal(repetition, place.isAssumed && rule.output?.startsWith("/") === true),
          span: rule.directive.span,
        };
    }
  }
}

/** Returns whether a rule rewrites on its own, and its result goes through the rules again. */
function isPlain({ flags, output }: RewriteRule, before: RewriteRule | undefined): boolean {
  const { names } = flags;
  if (output === undefined || flags.answers || before?.flags.names.has("chain")) return false;
  return !["end", "proxy", "chain", "next", "skip"].some((name) => names.has(name));
}

function findInternal(rule: RewriteRule, earlier: readonly RewriteRule[], { base }: RulePlace): Repetition | undefined {
  const { output = "", pattern, conditions } = rule;
  // The result of a constant target is the target, which httpd ignores.
  if (!/\$|%\{REQUEST_URI\}/i.test(output) || !conditions.every((each) => isLasting(each, true))) return undefined;
  if (!mayBeginAlike(pattern, belowBase(output, base) ?? output)) return undefined;
  return withBase(
    base ?? "",
    findRepetition(samplePathFor(pattern, false), (path) => {
      const result = applyRule(rule, earlier, path, `${base ?? "/"}${path}`);
      const next = result?.startsWith("/") ? belowBase(result, base) : result;
      // httpd ignores a rule with the path itself as its result.
      return next === path || next?.includes(":") ? undefined : next;
    }),
  );
}

function withBase(base: string, found: Repetition | undefined): Repetition | undefined {
  return found && { path: `${base}${found.path}`, next: `${base}${found.next}` };
}

function belowBase(path: string, base: string | undefined): string | undefined {
  return base !== undefined && path.startsWith(base) ? path.slice(base.length) : undefined;
}

function findExternal(rule: RewriteRule, earlier: readonly RewriteRule[], place: RulePlace): Repetition | undefined {
  const { isDirectory, base } = place;
  const target =
    rule.output?.replace(/^(https?):\/\/%\{(?:HTTP_HOST|SERVER_NAME)\}(?=\/|\$\d|%\{REQUEST_URI\})/i, "") ?? "";
  const scheme = /^(https?):/i.exec(rule.output ?? "")?.[1]?.toLowerCase();
  const keepsScheme = target === rule.output;
  if (!keepsScheme && place.scheme !== undefined && place.scheme !== scheme) return undefined;
  if (base === undefined || !/^(?:\/|\$|%\{REQUEST_URI\})/i.test(target)) return undefined;
  if (!rule.conditions.every((each) => isLasting(each, keepsScheme))) return undefined;
  const prefix = isDirectory ? base : "";
  if (!mayBeginAlike(rule.pattern, belowBase(target, prefix) ?? target)) return undefined;
  return withBase(
    prefix,
    findRepetition(samplePathFor(rule.pattern, !isDirectory), (path) => {
      const result = applyRule({ ...rule, output: target }, earlier, path, `${prefix}${path}`);
      return result?.startsWith("/") ? belowBase(result, prefix) : undefined;
    }),
  );
}

/**
 * Returns whether the result may be in a directory with rules of its own, which then replace these. A name with an
 * extension is that of a file.
 */
function leadsElsewhere(next: string, { directory, base }: RulePlace, files: RuleContext["files"]): boolean {
  const folders = next
    .slice((base ?? "").length)
    .split("/")
    .slice(0, -1);
  const [first] = folders;
  if (first === undefined || /\.\w+$/.test(first)) return false;
  if (directory === undefined || files === undefined || files.kindOf(`${directory}/${first}`) !== "directory")
    return true;
  return files.kindOf(`${directory}/${first}/.htaccess`) !== "missing";
}
