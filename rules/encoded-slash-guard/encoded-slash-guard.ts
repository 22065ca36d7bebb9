import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, hasWildcard, isInSection, type Project } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  bypassed: (section: Directive, denied: DefiniteAnswer, passed: DefiniteAnswer) => ({
    message: `${formatLineTitle(section)} is bypassed by an encoded slash`,
    notes: [describeAnswer(denied), `${describeAnswer(passed)} from the backend, if the backend decodes \`%2f\``],
    help: [
      "delete `AllowEncodedSlashes NoDecode`, or use `<LocationMatch>` with a pattern that ends in `(/|%2[fF]|$)`",
    ],
  }),
};

const labels = { allowed: "allows the encoded slash" };

export const encodedSlashGuard = defineRule({
  id: "encoded-slash-guard",
  title: "Protected path with an encoded slash",
  group: "exposure",
  severity: "warning",
  description: "AllowEncodedSlashes NoDecode passes `/private%2fx` to a backend, past a section for `/private`.",
  help: 'With NoDecode, `%2f` is not a slash for httpd, so `<Location "/private">` does not apply to `/private%2fx`. A backend that decodes it serves `/private/x`. By default, httpd rejects such URLs with 404.',
  securitySeverity: 5.9,
  references: { cwe: [177] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["allowencodedslashes"],
      *check({ line, server, context: { project } }, client) {
        if (!/^"?nodecode"?$/i.test(line.argumentText)) return;
        for (const section of locationsOf(server, project)) {
          const path = section.arguments[0]?.value.replace(/\/$/, "");
          const denied = client.ask(server, { path: `${path}/x` });
          const isDenied = denied?.class === "401" || denied?.class === "403";
          if (!isDenied || denied.backend === undefined || !denied.decidedBy.some((each) => isInSection(each, section)))
            continue;
          const passed = client.ask(server, { path: `${path}%2fx` });
          if (passed?.status !== 200 || passed.backend?.by !== denied.backend.by) continue;
          const related = [{ message: labels.allowed, span: line.span }];
          yield {
            message: messages.bypassed(section, denied, passed),
            span: section.span,
            related,
            witness: witnessOf(passed),
          };
        }
      },
    },
  }),
});

/** Maximum number of sections to check. */
const MAX_SECTIONS = 20;

/** Returns the sections for a path that apply to a server. */
function locationsOf({ section }: OutsideServer, { directives }: Project): readonly Directive[] {
  return [...(section?.children ?? []), ...directives].filter(isForPath).slice(0, MAX_SECTIONS);
}

function isForPath({ key, arguments: [path] }: Directive): boolean {
  return key === "<location" && path !== undefined && /^\/./.test(path.value) && !hasWildcard(path.value);
}
