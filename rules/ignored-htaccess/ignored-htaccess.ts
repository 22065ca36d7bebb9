import {
  type DefiniteAnswer,
  describeAnswer,
  findLostEffect,
  formatLineTitle,
  isCompatDirective,
  type LostEffect,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  type HtaccessFile,
  indexDirectives,
  isSince,
  type Project,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { defineRule, isWithin } from "../../src/lint/api/rule.js";

const messages = {
  ignored: (line: Directive, override: string, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} has no effect: \`AllowOverride None\` applies`,
    notes: ["httpd does not read this file", describeAnswer(answer)],
    help: [`move the lines to a \`<Directory>\` section, or set \`AllowOverride ${override}\``],
  }),
  noEffect: (line: Directive, { answer, intended }: LostEffect) => ({
    message: `${formatLineTitle(line)} has no effect: \`AllowOverride None\` applies`,
    notes: [
      "httpd does not read this file",
      `${describeAnswer(answer)}; with the file, the status would be ${intended.status}`,
    ],
    help: ["move the lines to a `<Directory>` section, or set `AllowOverride All` there"],
  }),
  noEffectElsewhere: (line: Directive, { answer, intended }: LostEffect) => ({
    message: `a virtual host ignores ${formatLineTitle(line)}: \`AllowOverride None\` applies`,
    notes: [
      "the virtual host also serves this directory, but does not read this file",
      `${describeAnswer(answer)}; with the file, the status would be ${intended.status}`,
    ],
    help: ["set `AllowOverride All` in a `<Directory>` section of this virtual host, too"],
  }),
  ignoredElsewhere: (line: Directive, override: string, answer: DefiniteAnswer) => ({
    message: `a virtual host ignores ${formatLineTitle(line)}: \`AllowOverride None\` applies`,
    notes: ["the virtual host also serves this directory, but does not read this file", describeAnswer(answer)],
    help: [`move the lines to a \`<Directory>\` section, or set \`AllowOverride ${override}\` there, too`],
  }),
};

const labels = { override: "ignores the file" };

export const ignoredHtaccess = defineRule({
  id: "ignored-htaccess",
  title: "Unread .htaccess file",
  group: "exposure",
  severity: "error",
  description:
    "A .htaccess file with access rules, rewrite rules or redirects that a server or one of its virtual hosts does not read (AllowOverride None).",
  help: "With AllowOverride None, httpd does not open the file, and logs nothing. Move its lines to a Directory section, or set AllowOverride.",
  securitySeverity: 7.5,
  references: { cwe: [284] },
  tags: ["access-control", "security"],
  messages,
  check: (context) => ({
    end() {
      const { project, release, unreadHtaccess, report } = context;
      if (project.kind !== "server" || !isSince(release, "2.4")) return;
      const readElsewhere = overridesDiffer(project) ? project.htaccess : [];
      for (const file of [...unreadHtaccess, ...readElsewhere].slice(0, MAX_UNREAD)) {
        const isRead = readElsewhere.includes(file);
        // The line that denies access is reported, if anybody can do what it denies.
        const line = file.directives.find(({ key }) => effectNames.has(key));
        const lost = line && findDenial(file) === undefined ? findLostEffect(file, context) : undefined;
        if (line === undefined || lost === undefined) continue;
        const by = settingOf(lost.answer);
        if (isRead && !/^none$/i.test(by?.argumentText.trim() ?? "")) continue;
        report({
          severity: "warning",
          message: (isRead ? messages.noEffectElsewhere : messages.noEffect)(line, lost),
          span: line.span,
          related: by ? [{ message: labels.override, span: by.span }] : [],
          witness: witnessOf(lost.answer),
        });
      }
    },
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server, context }, client) {
        const { project, unreadHtaccess } = context;
        const readElsewhere = overridesDiffer(project) ? project.htaccess : [];
        if (unreadHtaccess.length + readElsewhere.length === 0) return;
        const served = client.directoriesOf(line);
        const files = new Map(served?.all.map((directory) => [directory.path, directory.entries]));
        for (const file of [...unreadHtaccess, ...readElsewhere]) {
          const path = client.directoryOf(file);
          if (served === undefined || !isWithin(path, served.mapping.to)) continue;
          const isRead = readElsewhere.includes(file);
          const denial = findDenial(file);
          if (denial === undefined) continue;
          const names = (files.get(path) ?? []).filter(({ name, kind }) => kind === "file" && !name.startsWith("."));
          for (const { name } of names.slice(0, MAX_FILES)) {
            const answer = client.askForFile(server, served.mapping, path + name);
            if (answer === undefined || isDecidedLater(answer)) continue;
            const override = denial.key === "require" ? "AuthConfig" : "Limit";
            const by = settingOf(answer);
            if (isRead && !/^none$/i.test(by?.argumentText.trim() ?? "")) continue;
            yield {
              message: (isRead ? messages.ignoredElsewhere : messages.ignored)(denial, override, answer),
              span: denial.span,
              related: by ? [{ message: labels.override, span: by.span }] : [],
              witness: witnessOf(answer),
            };
            break;
          }
        }
      },
    },
  }),
});

/** Number of unread files that are tried. */
const MAX_UNREAD = 20;

/** Lines whose effect a request shows. */
const effectNames: ReadonlySet<string> = new Set([
  ...["rewriterule", "redirect", "redirectmatch", "redirectpermanent", "redirecttemp", "directoryindex"],
]);

/** Returns the AllowOverride line that applies to an answer. */
function settingOf({ layers }: DefiniteAnswer): Directive | undefined {
  return layers.map((layer) => layer.setting("allowoverride")).findLast((each) => each !== undefined);
}

/** Number of files in a directory to request. */
const MAX_FILES = 3;

/** Returns the line of a file that denies anonymous clients; undefined if another of its lines may allow them. */
function findDenial({ directives }: HtaccessFile): Directive | undefined {
  const lines = directives.filter(({ key }) => key === "require" || key === "satisfy" || isCompatDirective({ key }));
  const texts = lines.map(({ name, argumentText }) => `${name} ${argumentText}`.toLowerCase());
  if (texts.some((text) => /^(?:require all granted|satisfy any|allow from all)\b/.test(text))) return undefined;
  return lines.find((line) => line.key === "require" || (line.key === "deny" && /^from all$/i.test(line.argumentText)));
}

/** Returns whether the same directory may have other overrides in another virtual host. */
function overridesDiffer(project: Project): boolean {
  return indexDirectives(project)
    .named("allowoverride")
    .some((line) => virtualHostAround(line) !== undefined);
}

/** Returns whether a section decides that is merged after `.htaccess` files: it would decide anyway. */
function isDecidedLater({ decidedBy }: DefiniteAnswer): boolean {
  return decidedBy.some((line) => {
    for (let outer = line.parent; outer; outer = outer.parent)
      if (/^<(?:files|location|if|else)/.test(outer.key)) return true;
    return false;
  });
}
