import { lineTrialsOf } from "../../src/lint/api/access.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  redirects: (status: string, url: string, path: string) => ({
    message: `status ${status} becomes 302: ${quoteText("ErrorDocument")} redirects to a URL`,
    notes: [
      `with a URL that has a scheme, httpd redirects the client instead of returning ${status}`,
      `search engines and scripts do not see the error; the page at ${quoteText(url)} usually returns 200`,
    ],
    help: [`use a path of this server, such as ${quoteText(path)}`],
  }),
};

export const errorDocumentRedirect = defineVariant({
  id: "error-document-redirect",
  severity: "info",
  messages,
  check: (context) => ({
    scope: {
      holding: ["errordocument"],
      passesAlikeHosts: context.files === undefined,
      visit(scope) {
        const trials = lineTrialsOf(context);
        for (const line of scope.directives) {
          const [code, word] = line.key === "errordocument" ? line.arguments : [];
          const [, path = ""] = /^https?:\/\/[^/?#]+(\/[^?#]*)?/i.exec(word?.value ?? "") ?? [];
          // The server ignores a URL for 401, and reports that.
          if (code === undefined || word === undefined || !isUrl.test(word.value) || code.value === "401") continue;
          // A URL that leads back to itself is a loop.
          if (trials.tryErrorDocument(line, scope) !== undefined) continue;
          context.report({
            message: messages.redirects(code.value, word.value, path.length > 1 ? path : `/${code.value}.html`),
            span: line.spanOf(word),
          });
        }
      },
    },
  }),
});

/** What the server redirects to (server/util.c `ap_is_url`); a text with spaces is sent as it is. */
const isUrl = /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i;
