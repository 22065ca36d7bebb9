import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Fault } from "./refusal.js";

/** What the server says about Error, which it always refuses (server/core.c `generate_error`). */
export function errorFault(directive: Directive): Fault | undefined {
  const text = directive.argumentText;
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text.charAt(0));
  // One quote alone makes it say nothing.
  if (text.length === 1 && /["']/.test(text)) return undefined;
  return {
    server: isQuoted ? text.slice(1, -1) : text || "The Error directive was used with no message.",
    wrong: "`Error` stops the server with its message wherever it is read",
    remedy: "do what it asks for, or put it behind the condition that it is meant for",
    span: directive.span,
  };
}

/** Port of 1.3 is known, and always refused. */
export function portFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  return {
    server: "Port was replaced with Listen in Apache 2.0",
    wrong: "there is no `Port` any more",
    remedy: `write \`Listen ${word?.value ?? ""}\` in place of it, and the port of the server's own name behind \`ServerName\``,
    span: directive.span,
  };
}

/** Directives that are known for nothing but what the server says of them (`ap_set_deprecated`). */
export function goneFault(directive: Directive, server: string): Fault {
  const instead = /use (\w+(?: \w+)?)\.$/i.exec(server)?.[1] ?? "";
  return {
    server,
    wrong: `there is no \`${directive.name}\` any more`,
    remedy: `write \`${instead}\` in its place`,
    span: directive.span,
  };
}

/** What the server refuses about KeepAliveTimeout (server/util.c `ap_timeout_parameter_parse`). */
export function keepAliveTimeoutFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word === undefined || /^[\t-\r ]*[+-]?\d*(?:$|h|s|ms|mi)/.test(word.value)) return undefined;
  return {
    server: "KeepAliveTimeout has wrong format",
    wrong: `${quoted(word.value)} is no time`,
    remedy: "write a number of seconds, or one with `ms` behind it",
    span: directive.spanOf(word),
  };
}

/** What the server refuses about UserDir, which counts its words itself. */
export function userDirFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word !== undefined && word.value !== "") return undefined;
  return {
    server: "UserDir requires an argument.",
    wrong: "`UserDir` names no directory",
    remedy: "add it, or `disabled`",
    span: directive.span,
  };
}
