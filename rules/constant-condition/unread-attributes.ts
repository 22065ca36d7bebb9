import { variablesSetBy } from "../../src/lint/api/access.js";
import {
  type Argument,
  comparePatterns,
  type Directive,
  headerOfVariable,
  iterateDirectives,
  type Project,
} from "../../src/lint/api/configuration.js";
import { quoteText } from "../../src/lint/api/rule.js";

/** The first argument of SetEnvIf, if it is a variable that has no value there. */
export interface UnreadAttribute {
  readonly word: Argument;
  /** As an imperative clause. */
  readonly remedy: string;
}

/** Variables that an expression has, and SetEnvIf does not. */
const ofExpressions: ReadonlySet<string> = new Set([
  ...["DOCUMENT_ROOT", "HTTPS", "QUERY_STRING", "REQUEST_SCHEME", "SERVER_NAME", "SERVER_PORT", "THE_REQUEST"],
]);

/**
 * Finds a variable of programs or of mod_rewrite in SetEnvIf, which reads headers by their own name, six attributes, and what
 * other lines set (modules/metadata/mod_setenvif.c `match_headers`). Live case: test/live/unread-attributes.live.test.ts.
 */
export class UnreadAttributes {
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly project: Project) {}

  find({ key, arguments: [word, pattern] }: Directive): UnreadAttribute | undefined {
    if (key !== "setenvif" && key !== "setenvifnocase") return undefined;
    const name = /^(?:%\{)?(\w+)\}?$/.exec(word?.value ?? "")?.[1]?.toUpperCase();
    if (word === undefined || pattern === undefined || name === undefined) return undefined;
    const remedy = remedyFor(name) ?? (word.value.startsWith("%") ? "use the name of a header" : undefined);
    if (remedy === undefined || this.isSet(name)) return undefined;
    // A pattern that matches the empty text tests that there is no value.
    return comparePatterns("", pattern.value, false) === "none" ? { word, remedy } : undefined;
  }

  private isSet(name: string): boolean {
    this.names ??= new Set(
      [...iterateDirectives(this.project)].flatMap((line) => variablesSetBy(line).map((each) => each.toUpperCase())),
    );
    return this.names.has(name);
  }
}

/** @param name in upper case */
function remedyFor(name: string): string | undefined {
  if (name === "SERVER_PROTOCOL") return "use `Request_Protocol`";
  if (ofExpressions.has(name)) return `use \`SetEnvIfExpr\` with ${quoteText(`%{${name}}`)}`;
  const header = headerOfVariable(name);
  return header && `use ${quoteText(header)}`;
}
