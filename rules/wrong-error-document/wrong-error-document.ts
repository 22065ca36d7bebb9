import { defineRule } from "../../src/lint/api/rule.js";
import { bypassedErrorDocument } from "./bypassed-error-document.js";
import { errorDocumentRedirect } from "./error-document-redirect.js";
import { errorTextWithSuccess } from "./error-text-with-success.js";
import { failingErrorDocument } from "./failing-error-document.js";
import { hiddenErrorPage } from "./hidden-error-page.js";
import { textErrorDocument } from "./text-error-document.js";

export const wrongErrorDocument = defineRule({
  id: "wrong-error-document",
  title: "Error document that clients do not get",
  group: "correctness",
  severity: "warning",
  description:
    "An ErrorDocument that fails itself, that is sent as text, that becomes a redirect instead of the error, or that the pages of a backend replace. Also a line with a status of success whose responses have the text of an error, and `Redirect 404` with the path of the page for errors.",
  help: "The argument of ErrorDocument is a URL path that begins with a slash, a text, or a whole URL. A path must lead to a file that every client may get. A name without a slash is sent as text. A whole URL makes httpd redirect the client with status 302.",
  tags: ["correctness"],
  variants: [
    failingErrorDocument,
    textErrorDocument,
    errorDocumentRedirect,
    bypassedErrorDocument,
    errorTextWithSuccess,
    hiddenErrorPage,
  ],
});
