import { clientAnywhereOf, type DefiniteAnswer, describeAnswer, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, isSince, type Scope } from "../../src/lint/api/configuration.js";
import {
  defineVariant,
  type Fix,
  moveLinesBefore,
  quoteText,
  type Report,
  toReadable,
} from "../../src/lint/api/rule.js";

import { type Mapping, MappingIndex, mappingDirectives, mappingOf } from "./mappings.js";

const messages = {
  overlapped: (line: Mapping, earlier: Mapping) => ({
    message: `${titleOf(line)} never matches: ${titleOf(earlier)} matches first`,
    notes: [
      "httpd uses the first line that matches, in the order of the file",
      ...(line.kind === "alias" ? ["httpd warns with AH00671"] : ["httpd does not warn"]),
    ],
    help: [line.from.value === earlier.from.value ? "delete one of the lines" : "put the longer path first"],
  }),
  redirected: (line: Mapping, redirect: Mapping) => ({
    message: `${titleOf(line)} never matches: ${titleOf(redirect)} matches first`,
    notes: ["httpd checks each `Redirect` before each `Alias`, in any order", "httpd does not warn"],
    help: ["use a more specific path for the `Redirect`, or delete the `Alias`"],
  }),
  wellKnown: (redirect: Mapping, { from }: Mapping, answer: DefiniteAnswer, location: string, remedy: string) => ({
    message: `${titleOf(redirect)} also redirects ${quoteText(from.value)}, which the server has an \`Alias\` for`,
    notes: [
      `${describeAnswer(answer)} with \`Location: ${location}\``,
      "httpd checks each `Redirect` before each `Alias`, in any order",
    ],
    help: [remedy],
  }),
};

const labels = { first: "matches first", alias: "does not apply in this virtual host" };

const fixTitles = { move: "Move before the line that matches first" };

export const shadowedAlias = defineVariant({
  id: "shadowed-alias",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const wellKnown = listMappings(project.directives).filter(
      ({ kind, from }) => kind === "alias" && from.value.startsWith("/.well-known/"),
    );
    const visit = ({ directives, place, section }: Scope) => {
      const lines = directives.filter(({ key }) => mappingDirectives.has(key));
      const mappings = listMappings(lines);
      if (place === "virtualhost")
        for (const alias of wellKnown) {
          const found = findLostPath(mappings, alias, (path) => {
            const client = clientAnywhereOf(project);
            const [server] = client.findServer(section);
            return server && client.ask(server, { path });
          });
          if (found) report(found);
        }
      if (lines.length < 2) return;
      const redirects = new MappingIndex();
      const aliases = new MappingIndex();
      const repeated = mappings.flatMap((line) => {
        const index = line.kind === "redirect" ? redirects : aliases;
        const first = index.findCovering(line);
        index.add(line);
        return first ? [{ line, first }] : [];
      });
      for (const { line, first } of repeated) {
        const fix = createMoveFix(line, first);
        report({ ...createReport(line, first, messages.overlapped), ...(fix ? { fix } : {}) });
      }
      // Aliases of sections have no path of their own.
      if (place !== "server" && place !== "virtualhost") return;
      const reported = new Set(repeated.map(({ line }) => line));
      for (const line of mappings) {
        const first = line.kind === "alias" && !reported.has(line) ? redirects.findCovering(line) : undefined;
        if (first) report(createReport(line, first, messages.redirected));
      }
    };
    return { scope: { holding: [...mappingDirectives], visit } };
  },
});

function listMappings(directives: readonly Directive[]): readonly Mapping[] {
  return directives.flatMap((line) => (mappingDirectives.has(line.key) ? (mappingOf(line) ?? []) : []));
}

/**
 * Finds a Redirect of a virtual host that takes an Alias of the server for `/.well-known/`, and leads to another path: programs
 * request these paths of each name (RFC 8615), and follow a redirect only to the same one.
 *
 * @param ask returns the answer of the virtual host to a request for a path: its rules run before a Redirect
 */
function findLostPath(
  mappings: readonly Mapping[],
  alias: Mapping,
  ask: (path: string) => DefiniteAnswer | undefined,
): Report | undefined {
  const redirects = new MappingIndex(mappings.filter(({ kind }) => kind === "redirect"));
  const own = new MappingIndex(mappings.filter(({ kind }) => kind === "alias"));
  const redirect = redirects.findCovering(alias);
  const words = redirect?.directive.arguments.map(({ value }) => value) ?? [];
  const [target = ""] = words.slice(-1);
  if (redirect === undefined || redirect.isPattern || own.findCovering(alias) || !/^https?:\/\//i.test(target))
    return undefined;
  const base = alias.from.value.replace(/\/$/, "");
  const answer = ask(`${base}/x`);
  const location = answer?.outcome.location;
  if (answer === undefined || location === undefined || !answer.decidedBy.includes(redirect.directive))
    return undefined;
  if (location.replace(/^https?:\/\/[^/]*/i, "").startsWith(`${base}/`)) return undefined;
  // `$1` and blanks would have another meaning in the line of the help.
  const remedy =
    redirect.from.value === "/" && !/[$\\\s]/.test(target)
      ? `use \`${toReadable(`RedirectMatch ${words.length > 2 ? `${words[0]} ` : ""}^/(?!\\.well-known/)(.*)$ ${target}$1`)}\``
      : "use a more specific path for the `Redirect`";
  return {
    message: messages.wellKnown(redirect, alias, answer, toReadable(location), remedy),
    span: redirect.directive.span,
    related: [{ message: labels.alias, span: alias.directive.span }],
    witness: witnessOf(answer),
  };
}

function createReport(line: Mapping, first: Mapping, message: typeof messages.redirected): Report {
  return {
    message: message(line, first),
    span: line.directive.span,
    related: [{ message: labels.first, span: first.directive.span }],
  };
}

function titleOf({ directive, from }: Mapping): string {
  return quoteText(`${directive.name} ${toReadable(from.value)}`);
}

/** Returns a fix that moves a line before another, if that one does not cover it in turn. */
function createMoveFix(line: Mapping, first: Mapping): Fix | undefined {
  const { span } = line.directive;
  const isEqual = new MappingIndex([line]).findCovering(first) !== undefined;
  if (isEqual) return undefined;
  const edits = moveLinesBefore(span, first.directive.span);
  return edits && { title: fixTitles.move, safety: "unsafe", edits };
}
