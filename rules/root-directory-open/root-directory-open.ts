import { type Directive, isSince, iterateDescendants, placeOfServer } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText } from "../../src/lint/api/rule.js";

const remedy = ['deny access in `<Directory "/">`, and allow it for the directories to serve'];

const messages = {
  undenied: {
    message: "no section denies access to the root of the file system",
    notes: ["httpd allows access to all files that a URL is mapped to, if no section covers them"],
    help: ['add `<Directory "/">` with `Require all denied`'],
  },
  granted: (line: Directive) => ({
    message: `${describe(line)} allows access to the root of the file system`,
    notes: ["an `Alias` or rewrite rule with a mistake can then serve any file that httpd can read"],
    help: remedy,
  }),
  overridden: (line: Directive) => ({
    message: `${describe(line)} lets \`.htaccess\` files change the configuration`,
    notes: ["a user who can write a file below the directory can change access, handlers and options"],
    help: ["use `AllowOverride None`, or name the classes that the files need"],
  }),
  options: (line: Directive) => ({
    message: `${describe(line)} applies to the root of the file system`,
    notes: ["all directories inherit these options"],
    help: ["use `Options None` here, and set options for the directories that need them"],
  }),
};

function describe(line: Directive): string {
  return quoteText(`${line.name} ${line.argumentText}`);
}

export const rootDirectoryOpen = defineRule({
  id: "root-directory-open",
  title: "Root of the file system is not denied",
  group: "hardening",
  severity: "info",
  description: "A server that does not deny access to the root of the file system, or options and overrides there.",
  help: 'Deny access, overrides and options for `<Directory "/">`, and allow them for the directories that need them. Then a mistake in the mapping of URLs does not serve other files of the machine. `AllowOverride All` gives `.htaccess` files the most influence.',
  securitySeverity: 2,
  references: { cis: ["4.1", "4.3", "4.4", "5.1"], cwe: [552] },
  tags: ["access-control", "security"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    let isCovered = false;
    const checkRoot = (line: Directive) => {
      const [word = "", second = ""] = line.arguments.map(({ value }) => value.toLowerCase());
      if (accessDirectives.has(line.key)) isCovered = true;
      const cisOf = (...cis: readonly string[]) => ({ span: line.span, references: { cis } });
      if (line.key === "require" && word === "all" && second === "granted")
        report({ message: messages.granted(line), ...cisOf("4.1") });
      else if (line.key === "allow" && second === "all") report({ message: messages.granted(line), ...cisOf("4.1") });
      else if (line.key === "allowoverride" && word !== "none")
        report({ message: messages.overridden(line), ...cisOf("4.3", "4.4") });
      else if (line.key === "options" && word !== "none") report({ message: messages.options(line), ...cisOf("5.1") });
    };
    return {
      directives: {
        "<directory"({ arguments: words, children = [] }) {
          const isRoot = words.length === 1 && /^\/+$/.test(words[0]?.value ?? "");
          for (const line of iterateDescendants(children)) {
            if (isRoot) checkRoot(line);
            else if (line.key === "allowoverride" && line.arguments[0]?.value.toLowerCase() === "all")
              report({ message: messages.overridden(line), span: line.span, references: { cis: ["4.4"] } });
          }
        },
      },
      end() {
        if (isCovered) return;
        for (const place of placeOfServer(project))
          report({ message: messages.undenied, ...place, references: { cis: ["4.1"] } });
      },
    };
  },
});

const accessDirectives: ReadonlySet<string> = new Set(["require", "order", "allow", "deny"]);
