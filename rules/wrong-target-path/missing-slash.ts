import {
  type Argument,
  type Directive,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
  readRedirect,
  seesPathsBelow,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteLike, quoteText, type Report, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  glued: (target: string, request: string, result: string, help: string) => ({
    message: `httpd appends the path to ${quoteText(target)} without a slash`,
    notes: [`a request for ${quoteText(request)} leads to ${quoteText(result)}`],
    help: [help],
  }),
};

const doubledMessages = {
  doubled: (target: string, request: string, result: string, help: string) => ({
    message: `httpd appends the path to ${quoteText(target)} with a second slash`,
    notes: [`a request for ${quoteText(request)} leads to ${quoteText(result)}`],
    help: [help],
  }),
  testedGlued: (root: string) => ({
    message: `slash missing between ${quoteText(root)} and \`$1\``,
    notes: [`here, \`$1\` does not begin with a slash: for \`/page\`, httpd tests ${quoteText(`${root}page`)}`],
    help: [`use ${quoteText(`${root}/$1`)}`],
  }),
};

const helps = {
  bothOrNone: (from: string, target: string) =>
    `end both in a slash, or neither: ${quoteText(`${from}/`)} and ${quoteText(target)}`,
  remove: (target: string) => `use ${quoteText(target)}`,
  both: (from: string, target: string) => `end both in a slash: ${quoteText(from)} and ${quoteText(target)}`,
  before: (group: string) => `add a slash before ${quoteText(group)}`,
};

const fixTitles = { add: "Add the slash", remove: "Remove the second slash" };

export const missingSlash = defineVariant({
  id: "missing-slash",
  messages: { ...messages, ...doubledMessages },
  check: ({ report }) => ({
    directives: {
      proxypass(line) {
        const found = findDoubledProxy(line);
        if (found) report(found);
      },
    },
    byWords: ({ key }) => {
      const find = findersByKey.get(key);
      if (find === undefined) return undefined;
      return (line) => {
        const found = find(line);
        if (found) report(found);
      };
    },
    scope: {
      holding: ["rewriterule"],
      visit(scope) {
        for (const rule of parseRewriteRules(scope.directives)) {
          const { directive, pattern, isNegated } = rule;
          const target = parseRewriteWords(directive.argumentText)?.[1];
          if (target === undefined || isNegated) continue;
          const isWithin = seesPathsBelow(scope);
          const found =
            findGlued(directive, pattern, target, isWithin) ??
            findDoubled(directive, pattern, target, isWithin) ??
            findDoubledUri(directive, target);
          if (found) report(found);
          if (isWithin) findGluedTests(rule).forEach(report);
        }
      },
    },
  }),
});

/** Checks `Alias /img/ /srv/images` and `ProxyPass /app/ http://127.0.0.1:81`. */
function findMapping(line: Directive): Report | undefined {
  const [from, to] = line.arguments;
  // With a page as its target, the line is about one path.
  if (from === undefined || to === undefined || /^(?:!|unix:)|\.x?html?$/i.test(to.value)) return undefined;
  return findPrefix(line, from.value, to);
}

/** Checks `Redirect / https://www.example.org`. With a path in the target, the line may be about one page. */
function findRedirect(line: Directive): Report | undefined {
  const { from, to } = readRedirect(line, false) ?? {};
  const target = line.arguments.findLast(({ value }) => value === to);
  if (from === undefined || target === undefined || !/^[a-z][a-z0-9+.-]*:\/\/[^/]*$/i.test(target.value))
    return undefined;
  return findPrefix(line, from, target);
}

function findPrefix(line: Directive, from: string, to: Argument): Report | undefined {
  if (!/^\/(?:.*\/)?$/.test(from) || !plainTarget.test(to.value)) return undefined;
  const fixed = `${to.value}/`;
  const text = messages.glued(to.value, `${from}page`, `${to.value}page`, helps.both(from, fixed));
  const edit = replaceSpan(line.spanOf(to), quoteLike(to, fixed));
  return { message: text, span: line.spanOf(to), ...createFix(fixTitles.add, "unsafe", edit) };
}

/** A target whose end is known: no slash, and no variable or expression of a template. */
const plainTarget = /^[!-~]*[\w.\])-]$/;

/** Checks `RedirectMatch ^/(.*)$ https://www.example.org$1`. */
function findRedirectMatch(line: Directive): Report | undefined {
  const { from, to } = readRedirect(line, false) ?? {};
  const target = line.arguments.findLast(({ value }) => value === to);
  if (from === undefined || target === undefined) return undefined;
  return findGlued(line, from, target, false) ?? findDoubled(line, from, target, false);
}

/** Finds `ProxyPass /app http://127.0.0.1:81/`, also in a Location: the rest of the path begins with a slash. */
function findDoubledProxy(line: Directive): Report | undefined {
  const { parent, arguments: words } = line;
  const [from, to] = parent?.key === "<location" ? [parent.arguments[0], words[0]] : words;
  if (from === undefined || to === undefined || !/^\/[^?*[]*[^/?*[]$/.test(from.value)) return undefined;
  // A page has no path after it.
  if (/\.\w+$|\$$/.test(from.value)) return undefined;
  if (parent && parent.key !== "<location" && parent.key !== "<virtualhost") return undefined;
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^?]*\/$/i.test(to.value) || !plainTarget.test(to.value.slice(0, -1))) return undefined;
  const request = `${from.value}/page`;
  return {
    severity: "info",
    message: doubledMessages.doubled(to.value, request, `${to.value}/page`, helps.bothOrNone(from.value, to.value)),
    span: line.spanOf(to),
  };
}

/** Finds a slash before a group that begins with a slash itself: `RedirectMatch ^/old(.*)$ https://b.test/$1`. */
function findDoubled(line: Directive, pattern: string, target: Argument, isWithin: boolean): Report | undefined {
  const [, start] = /^([a-z][a-z0-9+.-]*:\/\/[^$?#]*\/)\$1(?:$|[?#])/i.exec(target.value) ?? [];
  const [, before] = /^(\^?(?:[\w/-]|\\[.-])*)\(\.[*+]\)\$?$/.exec(pattern) ?? [];
  if (start === undefined || before === undefined || before.endsWith("/")) return undefined;
  const isAtStart = before === "" || before === "^";
  if (isAtStart && isWithin) return undefined;
  const path = before.replace(/^\^/, "").replace(/\\/g, "");
  const request = `${isWithin ? "/" : ""}${path}/page`;
  const fixed = target.value.replace(`${start}$1`, () => `${start.slice(0, -1)}$1`);
  const edit = replaceSpan(line.spanOf(target), quoteLike(target, fixed));
  return {
    severity: "info",
    message: doubledMessages.doubled(start, request, `${start}/page`, helps.remove(fixed)),
    span: line.spanOf(target),
    ...createFix(fixTitles.remove, "unsafe", edit),
  };
}

/** Finds `https://b.test/%{REQUEST_URI}`: the value begins with a slash, in directories also. */
function findDoubledUri(line: Directive, target: Argument): Report | undefined {
  const [, start] = /^([a-z][a-z0-9+.-]*:\/\/[^$?#%]+\/)%\{REQUEST_URI\}(?:$|[?#])/i.exec(target.value) ?? [];
  if (start === undefined) return undefined;
  const fixed = start.slice(0, -1) + target.value.slice(start.length);
  const edit = replaceSpan(line.spanOf(target), quoteLike(target, fixed));
  return {
    severity: "info",
    message: doubledMessages.doubled(start, "/page", `${start}/page`, helps.remove(fixed)),
    span: line.spanOf(target),
    ...createFix(fixTitles.remove, "unsafe", edit),
  };
}

/** Finds `RewriteCond %{DOCUMENT_ROOT}$1 -f` in a directory, whose paths do not begin with a slash. */
function findGluedTests({ pattern, conditions }: RewriteRule): readonly Report[] {
  if (!/^\^?\((?:\.|\[\^)/.test(pattern)) return [];
  return conditions.flatMap(({ directive, test }) => {
    const word = parseRewriteWords(directive.argumentText)?.[0];
    const [, root] = /^(%\{(?:CONTEXT_)?DOCUMENT_ROOT\}(?:\/[\w.-]+)*)\$1/.exec(word?.value ?? "") ?? [];
    if (test.kind !== "file" || word === undefined || root === undefined) return [];
    const fixed = word.value.replace(`${root}$1`, () => `${root}/$1`);
    const edit = replaceSpan(directive.spanOf(word), quoteLike(word, fixed));
    const message = doubledMessages.testedGlued(root);
    return [{ message, span: directive.spanOf(word), ...createFix(fixTitles.add, "unsafe", edit) }];
  });
}

/**
 * Finds a group directly after the host of a target, which does not begin with a slash.
 *
 * @param isWithin whether the text that the pattern sees has no slash at its start
 */
function findGlued(line: Directive, pattern: string, target: Argument, isWithin: boolean): Report | undefined {
  const [, start, group] = /^([a-z][a-z0-9+.-]*:\/\/[^/$?#]*[\w\]}])(\$1)(?:$|[?#])/i.exec(target.value) ?? [];
  const [, before] = /^([^()]*)\((?:\.|\[\^[^\]]*\])[*+]\??\)/.exec(pattern) ?? [];
  if (start === undefined || group === undefined || before === undefined) return undefined;
  const isAtStart = before === "" || before === "^";
  if (isAtStart ? !isWithin : !/\/\??$/.test(before)) return undefined;
  const path = before.replace(/^\^/, "").replace(/[\\?]/g, "").replace(/^\/*/, "/");
  const text = messages.glued(start, `${path}page`, `${start}page`, helps.before(group));
  const edit = replaceSpan(
    line.spanOf(target),
    quoteLike(
      target,
      target.value.replace(start, () => `${start}/`),
    ),
  );
  return { message: text, span: line.spanOf(target), ...createFix(fixTitles.add, "unsafe", edit) };
}

const findersByKey: ReadonlyMap<string, (line: Directive) => Report | undefined> = new Map([
  ["alias", findMapping],
  ["scriptalias", findMapping],
  ["proxypass", findMapping],
  ["redirect", findRedirect],
  ["redirectpermanent", findRedirect],
  ["redirecttemp", findRedirect],
  ["redirectmatch", findRedirectMatch],
]);
