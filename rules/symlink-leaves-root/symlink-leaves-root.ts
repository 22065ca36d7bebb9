import {
  type DefiniteAnswer,
  describeAnswer,
  type OutsideClient,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule, isWithin, nativePath, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  leaves: (link: string, target: string, answer: DefiniteAnswer) => ({
    message: `the link \`${nativePath(toReadable(link))}\` leads out of the served directory`,
    notes: [
      `it leads to \`${nativePath(toReadable(target))}\`, whose own access rules do not apply`,
      describeAnswer(answer),
    ],
    help: ["delete the link, or set `Options -FollowSymLinks` for its directory"],
  }),
};

const labels = { denied: "denies access to the target" };

export const symlinkLeavesRoot = defineRule({
  id: "symlink-leaves-root",
  title: "Symbolic link out of the served directory",
  group: "exposure",
  severity: "warning",
  description:
    "A symbolic link in a served directory leads to a directory that another section denies, or to system files.",
  help: "Options FollowSymLinks is the default. httpd checks access for the path of the link, not for its target. Delete the link, or set Options -FollowSymLinks.",
  securitySeverity: 6.5,
  references: { cis: ["5.1", "5.2", "5.3"], cwe: [59] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server }, client) {
        const served = client.directoriesOf(line);
        if (served === undefined) return;
        const { mapping } = served;
        // If the path of the directory has a link, as in releases with a link to the current one, its layout is intended.
        const root = mapping.to.slice(0, -1);
        if (client.disk?.realPathOf?.(root) !== root) return;
        for (const { path, entries } of served.all)
          for (const { name, kind } of entries) {
            const link = path + name;
            const target = kind === "link" ? client.disk?.realPathOf?.(link) : undefined;
            if (target === undefined || isWithin(target, root)) continue;
            const answer = askForLink(link, mapping, server, client);
            const denied =
              answer && client.askAsFile(server, answer.request, target + (answer.file ?? link).slice(link.length));
            if (denied?.class !== "401" && denied?.class !== "403") continue;
            const section = denied.decidedBy.map(({ parent }) => parent).find(isOwnSection);
            if (answer === undefined || (section === undefined && !systemFiles.test(target))) continue;
            const related = section ? [{ message: labels.denied, span: section.span }] : [];
            const message = messages.leaves(link, target, answer);
            const references = { cis: line.key === "documentroot" && path === mapping.to ? ["5.2"] : [] };
            yield { message, span: line.span, related, witness: witnessOf(answer), references };
          }
      },
    },
  }),
});

/** Directories of the system, whose files are not meant for clients. */
const systemFiles =
  /^\/(?:$|(?:etc|root|proc|sys|dev|boot|var\/(?:log|spool|mail|backups))(?:\/|$)|(?:home(?:\/[^/]+)?|var|usr|opt|srv)$)/;

/** Returns whether a section denies more than the whole disk, as the default configuration does. */
function isOwnSection(section: Directive | undefined): section is Directive {
  return section?.key.startsWith("<directory") === true && section.arguments[0]?.value !== "/";
}

/** Requests a link to a file, or a file in the linked directory. */
function askForLink(
  link: string,
  mapping: { readonly from: string; readonly to: string },
  server: OutsideServer,
  client: OutsideClient,
): DefiniteAnswer | undefined {
  const file = client.disk?.kindOf(link) === "directory" ? client.findFileIn(link) : link;
  return file === undefined ? undefined : client.askForFile(server, mapping, file);
}
