import {
  type Directive,
  indexDirectives,
  isKnownStatus,
  parseRewriteRules,
  type Release,
  readRedirect,
} from "../../src/lint/api/configuration.js";
import { defineVariant } from "../../src/lint/api/rule.js";

const messages = {
  errorText: (status: number, isRule: boolean) => ({
    message: `responses with status ${status} have the text of an internal error`,
    notes: ["the line ends the request without a file, and httpd adds its page for errors"],
    help: [
      isRule ? "use `R=204`, which sends no text, and `-` as the target" : "use status 204, which sends no text",
      `or set the text with \`ErrorDocument ${status}\``,
    ],
  }),
};

/** Finds lines that end a request with a status of success, for which httpd then sends its page for errors (live case). */
export const errorTextWithSuccess = defineVariant({
  id: "error-text-with-success",
  severity: "info",
  messages,
  check: ({ project, release, report }) => {
    const documents = new Set(
      indexDirectives(project)
        .named("errordocument")
        .map(({ arguments: [code] }) => Number(code?.value)),
    );
    const check = (line: Directive, status: number | undefined) => {
      if (status === undefined || !hasText(status, release) || documents.has(status)) return;
      report({ message: messages.errorText(status, line.key === "rewriterule"), span: line.span });
    };
    const checkRedirect = (line: Directive) => check(line, readRedirect(line, false)?.status);
    return {
      directives: { redirect: checkRedirect, redirectmatch: checkRedirect },
      scope: {
        holding: ["rewriterule"],
        visit({ directives }) {
          for (const { directive, flags } of parseRewriteRules(directives))
            if (flags.answers) check(directive, flags.status);
        },
      },
    };
  },
});

/** Reports whether a status is one of success whose response may have a text; httpd returns 500 for one without a name. */
function hasText(status: number, release: Release): boolean {
  return status >= 200 && status < 300 && status !== 204 && isKnownStatus(status, release);
}
