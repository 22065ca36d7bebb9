import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";

/** Returns the server's message for Error, which it always rejects (server/core.c `generate_error`). */
export function checkErrorDirective(directive: Directive): Refusal | undefined {
  const text = directive.argumentText;
  // To the server, a single quote character is a quoted empty message.
  const isQuoted = /^["']/.test(text) && text.endsWith(text.charAt(0));
  return {
    ...wordingOf(
      "error-directive",
      isQuoted,
      text.slice(1, -1),
      text || "The Error directive was used with no message.",
    ),
    span: directive.span,
  };
}

/** Returns the fault for Port of 1.3, which is known and always rejected. */
export function checkPort(directive: Directive): Refusal | undefined {
  const [word] = directive.arguments;
  return { ...wordingOf("port-directive", word?.value ?? ""), span: directive.span };
}
