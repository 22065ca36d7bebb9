import { Marked, type Tokens } from "marked";
import { escapeHtml, Html, html } from "./html.js";

/** Renders a rule's page as a piece of another: its headings one level down, and only links to targets on the page. */
export function renderRulePage(markdown: string, anchorOf: (rule: string) => string | undefined): Html {
  const marked = new Marked({
    renderer: {
      heading(token: Tokens.Heading) {
        return `<h4>${this.parser.parseInline(token.tokens)}</h4>\n`;
      },
      link(token: Tokens.Link) {
        const words = this.parser.parseInline(token.tokens);
        const target = anchorOf(/([\w-]+)\.md$/.exec(token.href)?.[1] ?? "");
        return target === undefined ? words : `<a href="#${escapeHtml(target)}">${words}</a>`;
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      code: ({ text }: Tokens.Code) => `<pre><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const text = marked.parse(markdown.replace(/^# .*\n/, ""), { async: false });
  return html`${new Html(text)}`;
}
