import {
  type Directive,
  indexDirectives,
  parsePcre,
  readRedirect,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, indentOf, quoteText, replaceLines } from "../../src/lint/api/rule.js";

const messages = {
  hidden: ({ directive, status, path }: HiddenPage) => ({
    message: `${quoteText(`${directive.name} ${directive.argumentText.trim()}`)} hides the error page instead of using it`,
    notes: [
      `GET ${quoteText(path)} returns ${status}`,
      `other requests with status ${status} get the built-in page of httpd`,
    ],
    help: [`use ${quoteText(`ErrorDocument ${status} ${path}`)}`],
  }),
  named: ({ directive, status, path }: HiddenPage, document: Directive) => ({
    message: `${quoteText(`${directive.name} ${directive.argumentText.trim()}`)} hides the page of ${quoteText(document.name)}`,
    notes: [
      `GET ${quoteText(path)} returns ${status}, and httpd requests the document like any other URL`,
      `requests with status ${document.arguments[0]?.value ?? ""} get the built-in page of httpd`,
    ],
    help: ["delete this line"],
  }),
};

const labels = { document: "names the page" };

const fixTitle = "Replace with `ErrorDocument`";

/** A line that returns an error for the URL path of a page for errors. */
interface HiddenPage {
  readonly directive: Directive;
  readonly status: number;
  readonly path: string;
}

/**
 * Finds a Redirect with the status of an error and the path of the page for it, where ErrorDocument is meant: the line is only for
 * requests of that path (mod_alias.c `try_alias_list`; live case).
 */
export const hiddenErrorPage = defineVariant({
  id: "hidden-error-page",
  messages,
  check: ({ project, report }) => {
    const documents = indexDirectives(project).named("errordocument");
    const check = (directive: Directive) => {
      const found = readHiddenPage(directive);
      if (found === undefined) return;
      const document = documents.find((each) => each.arguments[1]?.value === found.path && isBeside(each, directive));
      if (document) {
        const related = [{ message: labels.document, span: document.span }];
        report({ message: messages.named(found, document), span: directive.span, related });
      } else if (
        isNamedAfter(found) &&
        !documents.some(({ arguments: [code] }) => Number(code?.value) === found.status)
      ) {
        const text = `${indentOf(directive.span)}ErrorDocument ${found.status} ${found.path}`;
        const edit = replaceLines(directive.span, text);
        report({ message: messages.hidden(found), span: directive.span, ...createFix(fixTitle, "unsafe", edit) });
      }
    };
    return { directives: { redirect: check, redirectmatch: check } };
  },
});

function readHiddenPage(directive: Directive): HiddenPage | undefined {
  const { status = 0, from, to } = readRedirect(directive, false) ?? {};
  const path = directive.key === "redirectmatch" ? textOf(from) : from;
  return status >= 400 && to === undefined && path?.startsWith("/") ? { directive, status, path } : undefined;
}

/** Returns the only text that a pattern matches. */
function textOf(pattern = ""): string | undefined {
  const text = /^\^(.*)\$$/.exec(pattern)?.[1]?.replaceAll("\\", "");
  return text !== undefined && /^[\w/.-]+$/.test(text) && parsePcre(pattern).error === undefined ? text : undefined;
}

const extension = String.raw`\.(?:s?html?|php\d?|txt|aspx?|jsp|cgi|pl)`;

/** Reports whether the name of a page is the status for which it is. */
function isNamedAfter({ status, path }: HiddenPage): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return new RegExp(`^(?:[a-z]+[-_.]?)?${status}(?:[-_.]?(?:page|error))?${extension}$`, "i").test(name);
}

function isInCondition({ parent }: Directive): boolean {
  return parent !== undefined && (/^<(?:if|else)/.test(parent.key) || isInCondition(parent));
}

/** Reports whether an ErrorDocument line is for the requests of another line: in one file, or in one virtual host. */
function isBeside(document: Directive, line: Directive): boolean {
  const host = virtualHostAround(line);
  // A section with a condition of its own may be for direct requests only.
  return (
    !isInCondition(line) &&
    virtualHostAround(document) === host &&
    (host !== undefined || document.span.file === line.span.file)
  );
}
