import {
  type Directive,
  indexDirectives,
  isSince,
  isWholeServer,
  listRespondingServers,
  mayHaveMoreLines,
  type Project,
  type Scope,
  type ScopeKind,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";
import { createFix, defineRule, quoteText, type Report, removeLines, replaceSpan } from "../../src/lint/api/rule.js";
import { type CompressedAnswers, findCompressedAnswers } from "./compressed-answers.js";
import { findUnusedLimits, type UnusedLimit } from "./default-host-limits.js";
import { Companions, companionKeys, type MissingCompanion } from "./missing-companions.js";
import { findUnusedProcesses, type UnusedProcesses } from "./unused-processes.js";

const messages = {
  defaultType: (type: string) => ({
    message: "`DefaultType` has no effect in 2.4",
    notes: [`files without a type of their own are sent without Content-Type, not as ${quoteText(type)} (AH00117)`],
    help: ["use `ForceType` or `AddType` for the files that need a type", "if there are none, delete this line"],
  }),
  nameVirtualHost: {
    message: "`NameVirtualHost` has no effect in 2.4",
    notes: [
      "2.4 selects virtual hosts with one address by name, with or without this line (AH00548)",
      "a later release may not start with this line",
    ],
    help: ["delete this line"],
  },
  overrideElsewhere: (name: string, section: string) => ({
    message: `\`${name}\` has no effect in \`${section}\``,
    notes: [
      `\`${name}\` applies only in \`<Directory>\``,
      `httpd reads \`.htaccess\` files as if this line did not exist (${name === "AllowOverride" ? "AH00114" : "AH00115"})`,
    ],
    help: ["move this line to the `<Directory>` that contains the files"],
  }),
  overrideInPattern: (name: string, section: string) => ({
    message: `\`${name}\` has no effect in \`${section}\``,
    notes: [
      `\`${name}\` applies only in a \`<Directory>\` with a path`,
      "httpd reads `.htaccess` files as if this line did not exist",
    ],
    help: ["move this line to a `<Directory>` with the path, which may contain wildcards"],
  }),
};

const hostMessages = {
  encodedSlashes: {
    message: "`AllowEncodedSlashes` of the main server has no effect in virtual hosts",
    notes: ["virtual hosts do not inherit it", "a URL with `%2F` returns 404 there (AH00026)"],
    help: ["add this line to the virtual hosts"],
  },
  limit: ({ line, other }: UnusedLimit) => ({
    message: `\`${line.name}\` has no effect in this virtual host`,
    notes: [
      "httpd reads the request line and the headers before it chooses a virtual host by name",
      "until then, the limits of the first virtual host of the address apply",
    ],
    help: [
      other === undefined
        ? "move this line to the main server, or to the first virtual host of the address"
        : "set the limit in the first virtual host of the address",
    ],
  }),
};

const companionMessages = {
  missing: ({ title, companion, effect, help }: MissingCompanion) => ({
    message: `${quoteText(title)} needs ${quoteText(companion)}, which no line sets`,
    notes: [effect],
    help: [help],
    addsLines: true as const,
  }),
  compressed: ({ filter, isDestructive }: CompressedAnswers) => ({
    message: isDestructive
      ? `the filter ${quoteText(filter)} makes compressed responses of the backend unreadable`
      : `the filter ${quoteText(filter)} finds no text in compressed responses of the backend`,
    notes: ["httpd passes `Accept-Encoding` of the client on, so that the backend may compress"],
    help: ["add `RequestHeader unset Accept-Encoding`"],
    addsLines: true as const,
  }),
  unusedProcesses: ({ name }: UnusedProcesses) => ({
    message: `the processes of ${quoteText(`WSGIDaemonProcess ${name}`)} run no application`,
    notes: [
      "no line selects them: the application runs in the processes of httpd",
      "options of this line such as `python-path` and `user` do not apply to it",
    ],
    help: [`add ${quoteText(`WSGIProcessGroup ${name}`)}`],
    addsLines: true as const,
  }),
};

const labels = {
  host: "does not inherit it",
  first: "the first virtual host",
  backend: "passes the requests on",
  application: "runs in the processes of httpd",
};

const fixTitles = { setNone: "Replace with `DefaultType none`", delete: "Delete this line" };

export const ignoredDirective = defineRule({
  id: "ignored-directive",
  title: "Directive has no effect",
  group: "upgrade",
  severity: "warning",
  description:
    "2.4 accepts and ignores DefaultType, NameVirtualHost, AllowOverride outside of `<Directory>` or in one with a pattern, and AllowEncodedSlashes outside of the virtual hosts. Also a limit of a virtual host that is not the first of its address, and a line that does nothing without another one, such as CacheEnable without CacheRoot or `rate-limit` without its filter. Also a filter for text that a backend may compress.",
  help: "httpd starts with at most a warning in its log, and behaves as if the line did not exist. Delete the line, or use its replacement in 2.4.",
  tags: ["upgrade", "correctness"],
  upgrade: "behaviour",
  editorTag: "unnecessary",
  messages: { ...messages, ...hostMessages, ...companionMessages },
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const reportInPattern = (directive: Directive, scope: Scope) => {
      const problem = overrideInPattern(directive, scope);
      if (problem) report({ ...problem, span: directive.span });
    };
    const companions = new Companions();
    return {
      scope: {
        holding: ["proxypass"],
        visit(scope) {
          const found = findCompressedAnswers(scope, project);
          if (found === undefined) return;
          const related = [{ message: labels.backend, span: found.backend.span }];
          const severity = found.isDestructive ? "warning" : "info";
          report({ severity, message: companionMessages.compressed(found), span: found.line.span, related });
        },
      },
      end() {
        for (const found of findUnusedLimits(project)) {
          const related = [{ message: labels.first, span: found.first.span }];
          report({ message: hostMessages.limit(found), span: found.line.span, related });
        }
        const isWhole = isWholeServer(project);
        for (const found of isWhole || !mayHaveMoreLines(project) ? companions.find(isWhole) : [])
          report({ message: companionMessages.missing(found), span: found.line.span });
        for (const found of findUnusedProcesses(project)) {
          const related = [{ message: labels.application, span: found.application.span }];
          report({ message: companionMessages.unusedProcesses(found), span: found.line.span, related });
        }
        const found = findUninheritedSlashes(project);
        if (found === undefined) return;
        const { line, host } = found;
        report({
          message: hostMessages.encodedSlashes,
          span: line.span,
          related: [{ message: labels.host, span: host.span }],
        });
      },
      directives: ({ key }) =>
        overrides.has(key) ? reportInPattern : companionKeys.has(key) ? (line) => companions.add(line) : undefined,
      byWords({ key }, { place }) {
        const check = checks.get(key);
        if (check === undefined) return undefined;
        return (directive) => {
          const problem = check(directive, place);
          if (problem) report({ ...problem, ...withoutLine(directive), span: directive.span });
        };
      },
    };
  },
});

/** Returns the AllowEncodedSlashes line of the main server, if there are virtual hosts, and none has one. */
function findUninheritedSlashes(project: Project): { readonly line: Directive; readonly host: Directive } | undefined {
  const lines = indexDirectives(project).named("allowencodedslashes");
  const [line] = lines;
  if (line === undefined || lines.some((each) => virtualHostAround(each) !== undefined)) return undefined;
  if (line.arguments[0]?.value.toLowerCase() === "off") return undefined;
  const [host] = listRespondingServers(project).flatMap(({ server }) => server.section ?? []);
  return host && { line, host };
}

/**
 * Returns a fix. Deleting a line that 2.4 ignores changes nothing on 2.4. A DefaultType becomes `none` instead, which
 * states the lack of a default explicitly.
 */
function withoutLine(directive: Directive): Pick<Report, "fix"> {
  const { key, span, arguments: words } = directive;
  if (overrides.has(key)) return {};
  const [type] = words;
  const isType = key === "defaulttype" && type !== undefined;
  const edit = isType ? replaceSpan(directive.spanOf(type), "none") : removeLines(span);
  const title = isType ? fixTitles.setNone : fixTitles.delete;
  return createFix(title, "safe", edit);
}

type IgnoredReport = Pick<Report, "message" | "severity">;

const overrides: ReadonlySet<string> = new Set(["allowoverride", "allowoverridelist"]);

const checks: ReadonlyMap<string, (directive: Directive, place: ScopeKind) => IgnoredReport | undefined> = new Map([
  ["defaulttype", defaultType],
  ["namevirtualhost", nameVirtualHost],
  ["allowoverride", allowOverride],
  ["allowoverridelist", allowOverride],
]);

function defaultType({ arguments: [type, ...more] }: Directive): IgnoredReport | undefined {
  if (type === undefined || type.value === "" || more.length > 0 || type.value.toLowerCase() === "none")
    return undefined;
  return { message: messages.defaultType(type.value) };
}

/** 2.4 behaves as requested without this directive. */
function nameVirtualHost({ arguments: words }: Directive): IgnoredReport | undefined {
  if (words.length !== 1) return undefined;
  return { severity: "info", message: messages.nameVirtualHost };
}

const sections: Partial<Readonly<Record<ScopeKind, string>>> = {
  location: "<Location>",
  files: "<Files>",
  if: "<If>",
};

/** The server has already searched for `.htaccess` files when it merges these sections. */
function allowOverride({ name }: Directive, place: ScopeKind): IgnoredReport | undefined {
  const section = sections[place];
  if (section === undefined) return undefined;
  return { message: messages.overrideElsewhere(name, section) };
}

/** Directory sections by pattern are merged after all `.htaccess` files on the path have been read. */
function overrideInPattern({ name }: Directive, { place, section }: Scope): IgnoredReport | undefined {
  if (place !== "directory" || section === undefined) return undefined;
  const [first, second] = section.arguments;
  const isTilde = first?.value === "~" && first.quote === "none" && second !== undefined;
  if (section.key !== "<directorymatch" && !isTilde) return undefined;
  return {
    message: messages.overrideInPattern(name, section.key === "<directorymatch" ? "<DirectoryMatch>" : "<Directory ~>"),
  };
}
