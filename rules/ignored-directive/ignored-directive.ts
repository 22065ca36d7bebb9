import type { Directive, Scope, ScopeKind } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText, type Report, removeLines, replaceSpan } from "../../src/rule-api/rule.js";

const messages = {
  defaultType: (type: string) =>
    `2.4 ignores \`DefaultType\`, so a file without a type of its own is sent without one and not as ${quoteText(type)} (AH00117); write \`ForceType\` or \`AddType\` for the files that are meant, or take the line out`,
  nameVirtualHost:
    "`NameVirtualHost` has no effect in 2.4, so virtual hosts with one address are told apart by name with or without it (AH00548); take the line out before a later release stops at it",
  overrideElsewhere: (name: string, section: string) =>
    `\`${name}\` counts in \`<Directory>\` alone and not in \`${section}\`, so \`.htaccess\` files are read as if the line were not there (${name === "AllowOverride" ? "AH00114" : "AH00115"}); move it to the \`<Directory>\` that holds the files`,
  overrideInPattern: (name: string, section: string) =>
    `\`${name}\` counts in \`<Directory>\` by path alone and not in \`${section}\`, so \`.htaccess\` files are read as if the line were not there; move it to a \`<Directory>\` with the path, which may have wildcards in it`,
};

const fixTitles = { setNone: "Write `DefaultType none`", delete: "Take the line out" };

export const ignoredDirective = defineRule({
  id: "ignored-directive",
  title: "A directive that the server ignores",
  severity: "warning",
  description:
    "DefaultType, NameVirtualHost, and AllowOverride outside of `<Directory>` or in one by pattern: 2.4 takes them and does not go by them.",
  help: "The server starts with at most a warning in its log, and answers as if the line were not there. Take the line out, or write what 2.4 has in its place.",
  tags: ["upgrade", "correctness"],
  upgrade: "behaviour",
  messages,
  check: ({ release, report }) => {
    if (release !== "2.4") return {};
    const reportInPattern = (directive: Directive, scope: Scope) => {
      const told = overrideInPattern(directive, scope);
      if (told) report({ ...told, span: directive.span });
    };
    return {
      forName: ({ key }) => (overrides.has(key) ? reportInPattern : undefined),
      byWords({ key }, { place }) {
        const check = checks.get(key);
        if (check === undefined) return undefined;
        return (directive) => {
          const told = check(directive, place);
          if (told) report({ ...told, ...withoutLine(directive), span: directive.span });
        };
      },
    };
  },
});

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
  return edit ? { fix: { title, safety: "safe", edits: [edit] } } : {};
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
