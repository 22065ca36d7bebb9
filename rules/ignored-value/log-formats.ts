import {
  type Argument,
  type Directive,
  indexDirectives,
  isWholeServer,
  mayHaveMoreLines,
  type Project,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { findClosestWord } from "../../src/lint/api/rule.js";

/** The usual formats by their name, as the configurations of distributions define them. */
const usualFormats: ReadonlyMap<string, string> = new Map([
  ["common", '"%h %l %u %t \\"%r\\" %>s %b" common'],
  ["combined", '"%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined'],
]);

/** The name of a log format that no line defines. */
export interface UnknownFormat {
  readonly word: Argument;
  /** A format with a similar name. */
  readonly similar: string | undefined;
  /** The LogFormat line for a usual name. */
  readonly line: string | undefined;
}

/**
 * Finds the name of a format that is not defined for the server of a CustomLog line. httpd writes it to the log as it is
 * (modules/loggers/mod_log_config.c `open_multi_logs`).
 */
export function findUnknownFormat(directive: Directive, project: Project): UnknownFormat | undefined {
  const word = directive.arguments[1];
  if (word === undefined || !/^[a-z][\w-]*$/i.test(word.value)) return undefined;
  if (!isWholeServer(project) || mayHaveMoreLines(project)) return undefined;
  const host = virtualHostAround(directive);
  const names = indexDirectives(project)
    .named("logformat")
    .filter((line) => [undefined, host].includes(virtualHostAround(line)))
    .flatMap(({ arguments: [, name] }) => name?.value.toLowerCase() ?? []);
  const name = word.value.toLowerCase();
  // httpd defines this one itself.
  if (name === "clf" || names.includes(name)) return undefined;
  const format = usualFormats.get(name);
  return { word, similar: findClosestWord(name, names), line: format && `LogFormat ${format}` };
}
