import { type Argument, type Directive, filterModules } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, findClosestWord, quoteText, replaceSpan } from "../../src/lint/api/rule.js";
import { findUnusedHandlers, unusedHandlerDirectives, unusedHandlerMessages } from "./unused-handlers.js";

const messages = {
  handler: (name: string, intended: string) => ({
    message: `unknown handler ${quoteText(name)}`,
    notes: ["httpd sends the files unprocessed, including the source of programs"],
    help: [`use \`${intended}\``],
  }),
  skipped: (name: string, intended: string) => ({
    message: `unknown filter ${quoteText(name)}`,
    notes: ["httpd skips it, and writes AH00082 to the log for each request"],
    help: [`use \`${intended}\``],
  }),
};

const fixTitles = { replace: (intended: string) => `Replace with \`${intended}\`` };

export const unknownFilter = defineRule({
  id: "unknown-filter",
  title: "Filter or handler that does not run",
  group: "correctness",
  severity: "warning",
  description:
    "A misspelled filter or handler, a handler that no loaded module has, a type that takes files away from their program, or INCLUDES without its option.",
  help: "httpd looks up these filters and handlers when a request needs them, not at start, and skips an unknown filter. If no module has the handler, httpd sends the source of a program. Correct the name, or load the module.",
  tags: ["correctness"],
  messages: { ...messages, ...unusedHandlerMessages },
  check: ({ report }) => {
    const defined = new Set<string>();
    const used: Directive[] = [];
    const usedHandlers: Directive[] = [];
    const useHandler = (directive: Directive) => void usedHandlers.push(directive);
    const define = ({ arguments: [name] }: Directive) => void defined.add(name?.value.toLowerCase() ?? "");
    const use = (directive: Directive) => void used.push(directive);
    return {
      exposure: {
        holding: unusedHandlerDirectives,
        fromAnywhere: true,
        *check(exposed, client) {
          const [name] = exposed.line.arguments;
          // A misspelled name is reported as such.
          if (name && exposed.line.key.endsWith("handler") && findHandler(name.value) !== undefined) return;
          yield* findUnusedHandlers(exposed, client);
        },
      },
      directives: {
        extfilterdefine: define,
        filterdeclare: define,
        addinputfilter: use,
        addoutputfilter: use,
        setinputfilter: use,
        setoutputfilter: use,
        action: define,
        suphp_addhandler: define,
        addhandler: useHandler,
        sethandler: useHandler,
      },
      end() {
        for (const directive of usedHandlers) {
          const [name] = directive.arguments;
          const intended = name && !defined.has(name.value.toLowerCase()) ? findHandler(name.value) : undefined;
          if (name === undefined || intended === undefined) continue;
          const span = directive.spanOf(name);
          const edit = replaceSpan(span, intended);
          report({
            message: messages.handler(name.value, intended),
            span,
            ...createFix(fixTitles.replace(intended), "unsafe", edit),
          });
        }
        for (const directive of used) {
          for (const name of filterNamesOf(directive.arguments[0])) {
            if (defined.has(name.value.toLowerCase()) || filters.has(name.value.toUpperCase())) continue;
            const intended = findClosestWord(name.value, filters);
            if (intended === undefined) continue;
            const span = directive.spanOf(name);
            const edit = replaceSpan(span, intended);
            report({
              message: messages.skipped(name.value, intended),
              span,
              ...createFix(fixTitles.replace(intended), "unsafe", edit),
            });
          }
        }
      },
    };
  },
});

interface FilterName {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the names of an argument, which semicolons separate. */
function filterNamesOf(word: Argument | undefined): readonly FilterName[] {
  if (word === undefined) return [];
  const first = word.start + (word.quote === "none" ? 0 : 1);
  return [...word.value.matchAll(/[\w-]+/g)].map(({ 0: value, index }) => ({
    value,
    start: first + index,
    end: first + index + value.length,
  }));
}

/** Returns the intended handler of a similar name; httpd ignores the case. */
function findHandler(name: string): string | undefined {
  // Names with a number belong to versions of PHP and other modules.
  if (!/^[a-z/_-]{6,}$/i.test(name) || handlers.has(name.toLowerCase())) return undefined;
  // The rest is the language: `x-httpd-pl` is similar to `x-httpd-php`, but a different name.
  const [prefix = ""] = /^(?:application\/)?x-httpd-/i.exec(name) ?? [];
  const start = prefix.toLowerCase();
  const languages = [...handlers].flatMap((each) => (each.startsWith(start) ? [each.slice(start.length)] : []));
  const language = findClosestWord(name.slice(start.length), languages);
  return language === undefined ? undefined : start + language;
}

/** Handlers of httpd's own modules, and of modules that many servers load. */
const handlers: ReadonlySet<string> = new Set([
  ...["balancer-manager", "cgi-script", "default-handler", "imap-file", "ldap-status", "lua-script", "mod_python"],
  ...["send-as-is", "server-info", "server-parsed", "server-status", "type-map", "perl-script", "wsgi-script"],
  ...[
    "fastcgi-script",
    "fcgid-script",
    "python-program",
    "ruby-object",
    "php-script",
    "php-fcgi",
    "php-cgi",
    "php-fpm",
  ],
  ...["application/x-httpd-cgi", "application/x-httpd-php", "application/x-httpd-php-source"],
  ...["application/x-httpd-lsphp", "application/x-lsphp", "reflector", "modperl", "x-httpd-php", "x-httpd-cgi"],
  ...["application/x-httpd-suphp", "x-httpd-suphp"],
]);

/** The filters for responses and for the bodies of requests. */
const filters: ReadonlySet<string> = new Set([
  ...filterModules.keys(),
  "CHARSET",
  "REFLECTOR",
  "REQUEST_BODY",
  "XLATEIN",
]);
