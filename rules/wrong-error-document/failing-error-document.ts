import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposureCheck,
  formatLineTitle,
  type OutsideClient,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, RulePlaces } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, indentOf, insertLinesBefore, quoteText } from "../../src/lint/api/rule.js";
import { findDeniedDocuments } from "./denying-rules.js";

const messages = {
  missing: (path: string, answer: DefiniteAnswer) => ({
    message: `the error document ${quoteText(path)} does not exist`,
    notes: [describeAnswer(answer), "clients get the built-in page, with a note about a second error"],
    help: ["create the file, or correct the path"],
  }),
  denied: (path: string, answer: DefiniteAnswer) => ({
    message: `the error document ${quoteText(path)} is denied`,
    notes: [
      `${describeAnswer(answer)}, and its document ${answer.loggedStatus}`,
      "clients get the built-in page, with a note about a second error",
    ],
    help: ["allow access to the document"],
  }),
  deniedAlike: (path: string, answer: DefiniteAnswer, by: Directive) => ({
    message: `the error document ${quoteText(path)} is denied, too`,
    notes: [
      describeAnswer(answer),
      `httpd requests the document like any other URL, and ${formatLineTitle(by)} denies it`,
      "clients get the built-in page, with a note about a second error",
    ],
    help: [`add a ${quoteText(`<Location "${path}">`)} section with \`Require all granted\``],
  }),
  deniedByRule: (path: string, isAtRoot: boolean) => ({
    message: `\`RewriteRule\` also denies the error document ${quoteText(path)}`,
    notes: [
      "httpd requests the document like any other URL, and the rules run again",
      "clients get the built-in page, with a note about a second error",
      ...(isAtRoot ? ["this holds if the file is in the document root"] : []),
    ],
    help: [`add ${quoteText(conditionFor(path))} before the rule`],
  }),
};

const labels = { denial: "denies both", document: "names the document" };

const fixTitles = { exclude: "Exclude the document with a condition" };

export const failingErrorDocument = defineVariant({
  id: "failing-error-document",
  messages,
  check: ({ project, report }) => {
    const places = new RulePlaces(project);
    const exposure: ExposureCheck = {
      fromAnywhere: true,
      holding: ["errordocument"],
      *check({ line, server }, client) {
        const [code, word] = line.arguments;
        const path = word?.value;
        if (path === undefined || !/^\/[^%?#\s]*$/.test(path) || !isServedHere(path, server, client)) return;
        const answer = client.ask(server, { path }, "disk");
        if (answer?.status === 404 && answer.answeredBy === undefined) {
          // Another variant reports a Redirect with this status.
          if (answer.decidedBy.some(({ key }) => key.startsWith("redirect"))) return;
          yield { message: messages.missing(path, answer), span: spanOf(line), witness: witnessOf(answer) };
          return;
        }
        if (code?.value === "401" || code?.value === "403") {
          const error = client.ask(server, { path: UNKNOWN_PATH }, "disk");
          const [by] = error?.decidedBy ?? [];
          const isSame = answer?.status === error?.status && answer?.decidedBy[0] === by;
          if (answer && error && by && isSame && String(error.status) === code.value)
            yield {
              message: messages.deniedAlike(path, error, by),
              span: spanOf(line),
              related: [{ message: labels.denial, span: by.span }],
              witness: witnessOf(error),
            };
          return;
        }
        const denied = code?.value === "404" ? client.ask(server, { path: UNKNOWN_PATH }, "disk") : undefined;
        const isDenied = denied?.status === 404 && (denied.loggedStatus === 401 || denied.loggedStatus === 403);
        if (isDenied) yield { message: messages.denied(path, denied), span: spanOf(line), witness: witnessOf(denied) };
      },
    };
    return {
      exposure,
      scope: {
        holding: ["errordocument"],
        visit(scope) {
          if (!scope.directives.some(({ key }) => key === "rewriterule")) return;
          const place = places.find(scope);
          for (const { document, path, rule } of findDeniedDocuments(scope, place)) {
            const [first] = [...rule.conditions.map(({ directive }) => directive), rule.directive];
            const indent = indentOf(rule.directive.span);
            const edit = first && insertLinesBefore(first.span, [`${indent}${conditionFor(path)}`]);
            report({
              message: messages.deniedByRule(path, place.isAssumed),
              span: rule.directive.span,
              related: [{ message: labels.document, span: spanOf(document) }],
              ...createFix(fixTitles.exclude, "unsafe", edit),
            });
          }
        },
      },
    };
  },
});

function conditionFor(path: string): string {
  return `RewriteCond %{REQUEST_URI} !=${path}`;
}

/** A path that no file is expected to have. */
const UNKNOWN_PATH = "/no-such-page";

function spanOf(line: Directive) {
  const [, word] = line.arguments;
  return word ? line.spanOf(word) : line.span;
}

/**
 * Returns whether the files of the site are on this disk, and not only its configuration: the first directory of the URL
 * has files.
 */
function isServedHere(path: string, server: OutsideServer, client: OutsideClient): boolean {
  const file = client.fileAt(server, path);
  if (file === undefined) return false;
  const root = client.fileAt(server, "/");
  const top = root && file.startsWith(root) ? root : file.slice(0, file.lastIndexOf("/"));
  return client.findFileIn(top) !== undefined;
}
