import { isSince, type Scope } from "../../src/lint/api/configuration.js";
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
};

const labels = { first: "matches first" };

const fixTitles = { move: "Move before the line that matches first" };

export const shadowedAlias = defineVariant({
  id: "shadowed-alias",
  messages,
  check: ({ release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const visit = ({ directives, place }: Scope) => {
      const lines = directives.filter(({ key }) => mappingDirectives.has(key));
      if (lines.length < 2) return;
      const mappings = lines.map(mappingOf).filter((each) => each !== undefined);
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
