import type { Wording } from "./wording.js";

const ALLOW_OR_DELETE = "allow it with `AllowOverride`, or delete it";

/** What httpd refuses only in a `.htaccess` file: the wording by code. */
export const htaccessTexts = {
  "override-not-allowed": (title: string, name: string, where: string) => ({
    server: `${name} not allowed ${where}`,
    problem: `${title} is not allowed by AllowOverride`,
    remedy: ALLOW_OR_DELETE,
  }),
  "option-not-allowed": (option: string) => ({
    server: `Option ${option.replace(/^[+-]/, "")} not allowed here`,
    problem: `\`${option}\` is not allowed by AllowOverride`,
    remedy: ALLOW_OR_DELETE,
  }),
  "unknown-in-htaccess": (title: string, name: string) => ({
    server: `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`,
    problem: `unknown directive ${title}`,
    remedy: "correct the name, or load the module that provides it",
  }),
  "close-after-skipped-section": (tag: string, server: string) => ({
    server,
    problem: `\`${tag}\` does not close a section: httpd skips a conditional section above it`,
    remedy: "allow the conditional section with `AllowOverride`, or delete it",
  }),
  "open-after-skipped-section": (tag: string, server: string) => ({
    server,
    problem: `\`${tag}>\` is never closed`,
    remedy: "allow the conditional section with `AllowOverride`, or delete it",
  }),
  /** The server's message depends on the state of its parser. */
  "invalid-condition": (error: string) => ({
    problem: `invalid expression: ${error}`,
    remedy: "correct the expression",
  }),
} satisfies Record<string, (...shown: never[]) => Wording>;
