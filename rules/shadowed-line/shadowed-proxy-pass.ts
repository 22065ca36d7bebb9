import {
  clientAnywhereOf,
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  indexDirectives,
  isSince,
  type Project,
  RulePlaces,
  redirectsAllToHttps,
} from "../../src/lint/api/configuration.js";

import { defineVariant, type Fix, formatWordList, moveLinesBefore, quoteText } from "../../src/lint/api/rule.js";

import { findShadowing, hasSameTarget, listMappingLines, type MappingLine, mappingNames } from "./proxy-order.js";

const messages = {
  shadowed: (shadowed: MappingLine, by: MappingLine, answer: DefiniteAnswer, { directive: line, kind } = shadowed) => ({
    message: `${formatLineTitle(line)} never applies: ${kind === "proxy" ? "another" : "a"} ProxyPass is used`,
    notes: [
      `${formatLineTitle(by.directive)} matches the same requests`,
      ...(kind === "proxy" ? [] : [`httpd checks each \`ProxyPass\` before each \`${line.name}\`, in any order`]),
      describeOrigin(answer),
    ],
    help: [kind === "proxy" ? orderHelp(shadowed, by) : exceptionHelp(by)],
  }),
  document: ({ from }: MappingLine, by: MappingLine) => ({
    message: `the error document ${quoteText(from)} is requested from the backend`,
    notes: [
      `${formatLineTitle(by.directive)} matches its path`,
      "if the backend fails, clients get the built-in page, with a note about a second error",
    ],
    help: [by.section ? exceptionHelp(by) : `add ${quoteText(`ProxyPass ${from} !`)} before the other line`],
  }),
  notRedirected: ({ directive: line, from: all }: MappingLine, { from }: MappingLine, answer: DefiniteAnswer) => ({
    message: `${quoteText(`${line.name} ${all}`)} does not apply to ${quoteText(from)}: ProxyPass is used`,
    notes: [`httpd checks each \`ProxyPass\` before each \`${line.name}\`, in any order`, describeOrigin(answer)],
    help: ["use the `ProxyPass` lines only in the virtual host with TLS, and delete them here"],
  }),
};

const fixTitle = "Move this line before the other one";

const labels = { by: "is used instead", kept: "is used for its path" };

export const shadowedProxyPass = defineVariant({
  id: "shadowed-proxy-pass",
  references: { cwe: [288] },
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || project.kind === "htaccess" || mayTurnOffProxies(project)) return {};
    const places = new RulePlaces(project);
    const ofMain = listMappingLines(project.directives);
    return {
      scope: {
        holding: ["<location", "<locationmatch", ...mappingNames],
        visit(scope) {
          const host = scope.section;
          if (host !== undefined && host.key !== "<virtualhost") return;
          const own = host ? listMappingLines(scope.directives) : ofMain;
          // The lines of the main server come first (mod_proxy.c `merge_proxy_config`).
          const proxies = (host ? [...ofMain, ...own] : own).filter(({ kind }) => kind === "proxy");
          if (proxies.length === 0) return;
          const ask = (line: MappingLine) => answerTo(line, project, host);
          const shadowed = own.flatMap((line) => {
            const by = findShadowing(line, proxies);
            const answer = by && !hasSameTarget(line, by) ? ask(line) : undefined;
            return by && answer && isUsed(by, line, answer) ? [{ line, by, answer }] : [];
          });
          for (const { line, by, answer } of shadowed)
            report({
              message: line.kind === "document" ? messages.document(line, by) : messages.shadowed(line, by, answer),
              span: line.directive.span,
              related: [{ message: labels.by, span: by.directive.span }],
              witness: witnessOf(answer),
              ...createMove(line, by),
            });
          const redirect = own.find(
            (line) =>
              line.kind === "redirect" &&
              redirectsAllToHttps(line.directive) &&
              !shadowed.some((each) => each.line === line),
          );
          if (redirect === undefined || places.find(scope).scheme === "https") return;
          const kept = own.flatMap((line) => {
            const answer = isKeptFrom(redirect, line) ? ask(line) : undefined;
            return answer?.pass?.mapping.by === line.directive && !answer.pass.redirect ? [{ line, answer }] : [];
          });
          const [first] = kept;
          if (first === undefined) return;
          report({
            message: messages.notRedirected(redirect, first.line, first.answer),
            span: redirect.directive.span,
            related: kept.map(({ line }) => ({ message: labels.kept, span: line.directive.span })),
            witness: witnessOf(first.answer),
          });
        },
      },
    };
  },
});

/** Returns the answer of a server to a request for a path of a line; undefined if none is known. */
function answerTo({ from, isPattern }: MappingLine, project: Project, host: Directive | undefined) {
  const path = isPattern ? samplePattern(from) : from.endsWith("/") ? `${from}index.html` : from;
  if (path === undefined || !/^\/[\w./~-]*$/.test(path)) return undefined;
  const client = clientAnywhereOf(project);
  const [server] = client.findServer(host);
  return server && client.ask(server, { path });
}

/** Reports whether a request of a line is mapped by another one, or excluded by it. */
function isUsed({ directive, to }: MappingLine, line: MappingLine, { pass }: DefiniteAnswer): boolean {
  const by = pass?.mapping.by;
  return pass !== undefined && (to === "!" ? by !== line.directive : by === directive);
}

/** Says where the answer comes from. */
function describeOrigin(answer: DefiniteAnswer): string {
  return `${describeAnswer(answer)}${answer.answeredBy === "backend" ? " from the backend" : ""}`;
}

/** Says where a ProxyPass must be so that it is used (mod_proxy.c `proxy_translate`): sections come first, the last one at that. */
function orderHelp({ directive, section, from, isPattern }: MappingLine, by: MappingLine): string {
  if (section) return "move this section after the other one: the last matching `<Location>` is used";
  if (!by.section) return "move this line before the other one: the first matching ProxyPass is used";
  const words = directive.arguments.slice(isPattern && directive.key === "proxypass" ? 2 : 1).map(({ value }) => value);
  const tag = isPattern ? "LocationMatch" : "Location";
  const lines = [`<${tag} "${from}">`, [directive.name, ...words].join(" "), `</${tag}>`];
  return `replace this line by ${formatWordList(lines.map(quoteText))} after the other section: a ProxyPass in a section is used before one outside`;
}

/** A path that a ProxyPass before the other one excludes is left to Redirect and Alias. */
function exceptionHelp({ directive, section }: MappingLine): string {
  return section
    ? 'add a `<Location>` section for this path with `ProxyPass "!"` after the other one'
    : `add a line \`${directive.name}\` with this path and \`!\` before the other one`;
}

/**
 * Reports whether a ProxyPass excludes a path from a redirect of everything, although the redirect is written first. Proofs
 * of domains (RFC 8615) are requested without TLS.
 */
function isKeptFrom({ directive: redirect }: MappingLine, { kind, to, from, directive }: MappingLine): boolean {
  if (kind !== "proxy" || to === "!" || /^\^?\/\\?\.well-known/.test(from)) return false;
  return directive.span.file === redirect.span.file && directive.span.start > redirect.span.start;
}

/** Reports whether a line may set the variable that turns off ProxyPass (mod_proxy.c `proxy_trans`). */
function mayTurnOffProxies(project: Project): boolean {
  const mentions = (text: string) => /no-proxy/i.test(text);
  return indexDirectives(project).some(mentions, ({ argumentText }) => mentions(argumentText));
}

/** Moves a ProxyPass before another one of the same server; nothing for lines in other files or sections. */
function createMove(line: MappingLine, before: MappingLine): { readonly fix?: Fix } {
  const { span, parent } = line.directive;
  const to = before.directive;
  if (line.kind !== "proxy" || span.file !== to.span.file || parent !== to.parent || line.section) return {};
  const edits = moveLinesBefore(span, to.span);
  return edits ? { fix: { title: fixTitle, safety: "unsafe", edits } } : {};
}
