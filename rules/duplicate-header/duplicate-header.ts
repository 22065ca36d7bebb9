import { type Directive, type HeaderLine, parseHeaderLine, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, lineAt, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  twice: (name: string, values: readonly string[], lines: string) => ({
    message: `the header ${quoteText(name)} is sent twice: \`always\` has a table of its own`,
    notes: [
      "`Header always set` and `Header set` have tables of their own: neither replaces the header of the other",
      `responses have the values ${values.map(quoteText).join(" and ")}`,
    ],
    help: [`delete one of the lines${lines}; \`Header always set\` also applies to error responses`],
  }),
};

const labels = { other: "sets the header in the other table" };

export const duplicateHeader = defineRule({
  id: "duplicate-header",
  title: "Header is sent twice",
  group: "correctness",
  severity: "warning",
  description: "A response header that both `Header set` and `Header always set` add.",
  help: "mod_headers has two tables of response headers. `Header always set` does not replace the header that `Header set` adds, so that responses have it twice. Browsers ignore some headers that come twice, such as X-Frame-Options. Delete one of the lines.",
  tags: ["correctness"],
  messages,
  check: ({ project, report }) => {
    const reported = new Set<Directive>();
    const main = project.kind === "server" ? project.directives.filter(({ key }) => key === "header") : [];
    return {
      scope: {
        holding: ["header"],
        visit(scope) {
          const own = headersOf(scope);
          const around = scope.place === "htaccess" ? main : outerScopes(scope).flatMap(headersOf);
          for (const name of new Set(own.map((line) => parseHeaderLine(line, false).name))) {
            const pair = findPair([...around, ...own], name);
            const [first, last] = pair ?? [];
            if (first === undefined || last === undefined || !own.includes(last.directive)) continue;
            if (reported.has(last.directive)) continue;
            reported.add(last.directive);
            report({
              message: messages.twice(writtenName(last), [first.value, last.value], linesOf(first, last)),
              span: last.directive.span,
              related: [{ message: labels.other, span: first.directive.span }],
            });
          }
        },
      },
    };
  },
});

function headersOf({ directives }: Scope): readonly Directive[] {
  return directives.filter(({ key }) => key === "header");
}

/** Returns the scopes around a scope, the outermost first: their lines apply before its own. */
function outerScopes({ parent }: Scope): readonly Scope[] {
  return parent ? [...outerScopes(parent), parent] : [];
}

/** Returns the lines that leave a header in both tables, in order (mod_headers.c `do_headers_fixup`). */
function findPair(lines: readonly Directive[], name: string): readonly [HeaderLine, HeaderLine] | undefined {
  const set = new Map<boolean, HeaderLine>();
  for (const directive of lines) {
    const line = parseHeaderLine(directive, false);
    if (line.name !== name) continue;
    // What a condition or an edit leaves depends on the response.
    if (line.isLimited || /^(?:edit|echo|merge|append|add|note)/.test(line.action)) return undefined;
    if (line.action === "set") {
      set.delete(line.isAlways);
      set.set(line.isAlways, line);
    } else if (line.action === "unset") set.delete(line.isAlways);
  }
  const [first, last] = [...set.values()];
  return first && last ? [first, last] : undefined;
}

/** Returns the numbers of two lines of one file, after a space. */
function linesOf({ directive: { span: first } }: HeaderLine, { directive: { span: last } }: HeaderLine): string {
  return first.file === last.file ? ` ${lineAt(first.file, first.start)} and ${lineAt(last.file, last.start)}` : "";
}

function writtenName({ directive, name }: HeaderLine): string {
  return directive.arguments.find(({ value }) => value.toLowerCase().replace(/:.*/, "") === name)?.value ?? name;
}
