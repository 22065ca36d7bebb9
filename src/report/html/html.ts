/** A piece of a page. Only this module creates them, so that no text becomes markup by mistake. */
export class Html {
  /** @param text as in the page */
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** The values that a template accepts: text is escaped, pieces are inserted unchanged, undefined is omitted. */
export type Content = Html | string | number | undefined | readonly Content[];

/** Creates a piece of a page from a template, with all inserted text escaped: html`<p>${text}</p>`. */
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

/** Escapes text for a page, also between the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entityNames[character] ?? "") : text;
}
