/** A piece of a page. Only what this module makes is one, so that no text becomes a page's code by mistake. */
export class Html {
  /** @param text as it stands in the page */
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What a template takes: text is escaped, pieces are put in as they are, nothing is left out. */
export type Content = Html | string | number | undefined | readonly Content[];

/** A piece of a page by a template, all that is put into it escaped: html`<p>${text}</p>`. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = parts[0] ?? "";
  for (const [index, content] of contents.entries()) text += renderContent(content) + (parts[index + 1] ?? "");
  return new Html(text);
}

/** Nothing. */
export const emptyHtml = new Html("");

function renderContent(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.toString();
  if (typeof content === "object") return content.map(renderContent).join("");
  return escapeHtml(String(content));
}

const entityNames: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it stands in a page, also between the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entityNames[character] ?? "") : text;
}
