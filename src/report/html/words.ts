import { redact, redactLine } from "../secrets.js";
import { visible, wellFormed } from "../visible.js";
import { type Html, html } from "./html.js";

/** A message, with what it quotes set off; without the secrets that it quotes. */
export function words(message: string): Html {
  const parts = visible(wellFormed(redact(message, []))).split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** The same of a line of a configuration. */
export function plainLine(line: string): string {
  return visible(wellFormed(redactLine(line)));
}

/** Text as it can be shown, without secrets in it. */
export function plain(text: string): string {
  return visible(wellFormed(redact(text, [])));
}
