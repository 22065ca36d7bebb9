import {
  type DefiniteAnswer,
  describeAnswer,
  describeRequest,
  type ExposedLine,
  type OutsideClient,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  parsePcre,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
  readRedirect,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteShort, quoteText, type Report, shortenText } from "../../src/lint/api/rule.js";

const messages = {
  appended: (rest: string, answer: DefiniteAnswer, location: string, corrected: string) => ({
    message: `the redirect adds ${quoteText(rest)} to its target`,
    notes: [
      `${describeAnswer(answer)} with \`Location: ${shortenText(location, 80)}\``,
      "also in a directory, `Redirect` compares the whole path of the URL, and adds what follows to the target",
    ],
    help: [`use ${quoteText(corrected)}`],
  }),
  lost: (directory: string, { request }: DefiniteAnswer, location: string, remedy: string) => ({
    message: `the redirect leaves the directory ${quoteText(directory)}`,
    notes: [
      `${describeRequest(request)} leads to ${quoteShort(location, 80)}`,
      "in a directory, a pattern sees the path without that of the directory",
    ],
    help: [remedy],
  }),
  unused: (paths: readonly string[], url: string, corrected: string) => ({
    message: `all requests of the rule ask the backend for ${quoteText(url)}`,
    notes: [`${paths.map((path) => quoteText(path)).join(" and ")} lead to the same URL`],
    help: [`use ${quoteText(corrected)}, which has what the group matched`],
  }),
};

const remedies = {
  name: "use `%{REQUEST_URI}` in place of the slash and the group, which is the whole path",
  addedSlash: "use `%{REQUEST_URI}/` as the target, which begins with the whole path",
  removedSlash: "add `RewriteCond %{REQUEST_URI} (.+)/$` right before the rule, and use `%1` as the target",
};

const redirectKeys = ["redirect", "redirectpermanent", "redirecttemp"];

/** Finds redirects and backends that get too much or too little of the path of the request. */
export const restOfPath = defineVariant({
  id: "rest-of-path",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: [...redirectKeys, "rewriterule"],
      *check(exposed, client) {
        if (exposed.line.key !== "rewriterule") {
          yield* findAppended(exposed, client);
          return;
        }
        const [rule] = parseRewriteRules([exposed.line]);
        if (rule?.output === undefined || rule.isNegated) return;
        if (rule.flags.names.has("proxy")) yield* findUnused(exposed, rule, client);
        else if (rule.flags.names.has("redirect")) yield* findLost(exposed, client);
      },
    },
  }),
});

/** Finds `Redirect / https://www.example.org/team/` in the directory of another path (mod_alias.c `fixup_redir`). */
function* findAppended({ line, scope, server }: ExposedLine, client: OutsideClient): Generator<Report> {
  const base = baseOf({ scope, server }, client);
  const { from, to } = readRedirect(line, true) ?? {};
  if (base === undefined || from !== "/" || to === undefined || !/^(?:https?:\/\/[^/]+)?\/[^?#]/i.test(to)) return;
  const answer = client.ask(server, { path: base });
  const location = answer?.outcome.location;
  const rest = base.slice(from.length);
  if (answer === undefined || location?.endsWith(`${to}${rest}`) !== true) return;
  const target = line.arguments.findLast(({ value }) => value === to);
  const before = line.arguments.findLast(({ value }) => value === from);
  if (target === undefined || before === undefined) return;
  const text = line.argumentText;
  const corrected = `${line.name} ${text.slice(0, before.start)}${base}${text.slice(before.end)}`;
  yield {
    message: messages.appended(rest, answer, location, corrected),
    span: line.spanOf(target),
    witness: witnessOf(answer),
  };
}

/** Finds a redirect to https, to another name of the site, or to a path with or without a slash that loses the path of its directory. */
function* findLost({ line, scope, server }: ExposedLine, client: OutsideClient): Generator<Report> {
  const base = baseOf({ scope, server }, client);
  const rule = parseRewriteRules(scope.directives).find(({ directive }) => directive === line);
  if (base === undefined || rule === undefined) return;
  const change = isForOneName(rule) ? "name" : slashChangeOf(rule);
  if (change === undefined) return;
  const [sent, expected] = changedPaths[change];
  // The conditions of most such rules exclude files that exist.
  const answer = (["assumed", "disk"] as const)
    .map((files) => client.ask(server, { path: `${base}${sent}` }, files))
    .find((each) => each?.decidedBy.includes(line) && isOnOwnHost(each, expected));
  if (answer === undefined) return;
  const word = parseRewriteWords(line.argumentText)?.[1];
  yield {
    message: messages.lost(base, answer, answer.outcome.location ?? "", remedies[change]),
    span: word ? line.spanOf(word) : line.span,
    witness: witnessOf(answer),
  };
}

function isOnOwnHost({ outcome: { location = "" }, request }: DefiniteAnswer, path: string): boolean {
  const [, host, found] = /^https?:\/\/([^/:]+)[^/]*(\/[^?#]*)/i.exec(location) ?? [];
  return host !== undefined && found === path && withoutWww(host) === withoutWww(request.host ?? "");
}

/** The path below the directory that a rule is asked for, and the path to which it leads if it loses the directory. */
const changedPaths = {
  name: ["page", "/page"],
  addedSlash: ["page", "/page/"],
  removedSlash: ["page/", "/page"],
} as const;

/** Returns whether a rule for any path only adds or removes a slash at its end. */
function slashChangeOf({ pattern, output = "" }: RewriteRule): "addedSlash" | "removedSlash" | undefined {
  if (/^\^\(\.[*+]\??\)\/\+?\$$/.test(pattern)) return output.endsWith("/$1") ? "removedSlash" : undefined;
  return /^\^\(\.[*+](?:\[\^\/\])?\)\$$/.test(pattern) && output.endsWith("/$1/") ? "addedSlash" : undefined;
}

/** Reports whether a rule tests the scheme or the name, so that it is not there to move pages. */
function isForOneName({ conditions }: RewriteRule): boolean {
  return conditions.some(({ input }) =>
    /%\{(?:HTTPS|SERVER_PORT|REQUEST_SCHEME|HTTP_HOST|SERVER_NAME|HTTP:[^}]*Proto)\}/i.test(input),
  );
}

function withoutWww(host: string): string {
  return host.toLowerCase().replace(/^www\./, "");
}

/** Finds a rule whose group matches the path of the request, and whose target does not have it. */
function* findUnused(
  { line, scope, server }: ExposedLine,
  { output = "", pattern }: RewriteRule,
  client: OutsideClient,
): Generator<Report> {
  if (!/^https?:\/\/[^$%?#]*\/$/i.test(output) || !endsInGroup(pattern)) return;
  const rule = parseRewriteRules(scope.directives).find(({ directive }) => directive === line);
  if (rule === undefined || isCatchAll(rule)) return;
  const base = client.findPathInto(scope, server)?.replace(/[^/]*$/, "") ?? "/";
  const start = `${base}${/^\^?\/?([\w/-]*)/.exec(pattern)?.[1] ?? ""}`;
  const paths = [`${start}page`, `${start}style.css`];
  const answers = paths.map((path) => client.ask(server, { path }));
  const [answer] = answers;
  if (answer === undefined || answers.some((each) => each?.backend?.by !== line || each.backend.url !== output)) return;
  const word = parseRewriteWords(line.argumentText)?.[1];
  yield {
    message: messages.unused(paths, output, `${output}$1`),
    span: word ? line.spanOf(word) : line.span,
    witness: witnessOf(answer),
  };
}

/** Reports whether a rule selects paths with a condition, or uses its group elsewhere: one URL for all of them is meant then. */
function isCatchAll({ conditions, directive }: RewriteRule): boolean {
  const flags = parseRewriteWords(directive.argumentText)?.[2]?.value ?? "";
  return (
    /\$\d/.test(flags) ||
    conditions.some(({ directive: { argumentText } }) =>
      /\$\d|%\{(?:REQUEST_URI|(?:REQUEST|SCRIPT)_FILENAME|THE_REQUEST|PATH_INFO)\}/i.test(argumentText),
    )
  );
}

/** Reports whether a pattern ends in its only group, which is for any text. */
function endsInGroup(pattern: string): boolean {
  return parsePcre(pattern).groups.length === 1 && /\/\??\(\.[*+]\)\$?$/.test(pattern);
}

/** Returns the URL path of a directory, if it is not that of the server. */
function baseOf({ scope, server }: Pick<ExposedLine, "scope" | "server">, client: OutsideClient): string | undefined {
  if (scope.place !== "htaccess" && scope.place !== "directory") return undefined;
  const base = client.findPathInto(scope, server)?.replace(/[^/]*$/, "");
  return base === "/" ? undefined : base;
}
