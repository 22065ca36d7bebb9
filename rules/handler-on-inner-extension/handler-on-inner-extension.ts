import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  optionsOf,
  sampleNameFor,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, parsePcre, type Scope } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, type Edit, indentOf, replaceLines, replaceSpan } from "../../src/lint/api/rule.js";
import { findProgramKind } from "./program-kinds.js";

const messages = {
  inner: ({ line, name, reason, help }: InnerName, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} also runs files such as \`${name}\``,
    notes: [reason, `${describeAnswer(answer)}, the output of the program`],
    help: [help],
  }),
};

const fixTitles = {
  anchor: (pattern: string) => `Anchor the pattern: \`${pattern}\``,
  section: "Set the handler for files with this extension at the end",
};

export const handlerOnInnerExtension = defineRule({
  id: "handler-on-inner-extension",
  title: "Files with an inner extension run as programs",
  group: "exposure",
  severity: "warning",
  description: "AddHandler, AddType or a pattern without `$` makes files such as photo.php.jpg run as programs.",
  help: "Applications that accept uploads check the last extension. AddHandler and AddType apply to each extension of a name. Use `<FilesMatch>` with a pattern that ends in `$`, and SetHandler.",
  securitySeverity: 6.5,
  references: { cwe: [434] },
  tags: ["security"],
  advice: "if it has an inner extension",
  messages,
  check: () => ({
    exposure: {
      holding: ["addhandler", "addtype", "sethandler"],
      *check({ line, scope, server, context: { project } }, client) {
        const named = line.arguments[0]?.value.toLowerCase() ?? "";
        const handler = named === "application/x-httpd-cgi" ? "cgi-script" : named;
        const kind = findProgramKind(handler, project);
        if (kind === undefined) return;
        const directory = client.findPathInto(scope, server)?.replace(/[^/]*$/, "");
        const inner = line.key === "sethandler" ? findUnanchored(line, scope) : findExtension(line);
        if (directory === undefined || inner === undefined) return;
        const runs = (answer: DefiniteAnswer) =>
          (answer.answeredBy === "program" || answer.answeredBy === "backend") &&
          answer.handler === handler &&
          (!kind.needsExecCgi || optionsOf(answer).has("execcgi"));
        // All files in the directory may be programs.
        if (client.askAll(server, { path: `${directory}a.${inner.last}` }).some(runs)) return;
        const answer = client.askAll(server, { path: directory + inner.name }).find(runs);
        if (answer === undefined) return;
        yield {
          message: messages.inner(inner, answer),
          span: line.span,
          witness: witnessOf(answer),
          ...createFix(inner.title, "unsafe", inner.edit),
        };
      },
    },
  }),
});

/** A name that a line matches by another extension than the last. */
interface InnerName {
  readonly line: Directive;
  readonly name: string;
  /** The last extension. */
  readonly last: string;
  readonly reason: string;
  readonly help: string;
  readonly title: string;
  readonly edit: Edit | undefined;
}

function findExtension(line: Directive): InnerName | undefined {
  const [handler, ...words] = line.arguments.map(({ value }) => value);
  const extensions = words.map((word) => word.replace(/^\./, "").toLowerCase());
  if (!extensions.every((each) => /^[\w-]+$/.test(each)) || extensions[0] === undefined) return undefined;
  // The type of a later extension replaces that of AddType; types files do not have this one.
  const last = line.key === "addhandler" ? "jpg" : "unknown";
  const pattern = extensions.length === 1 ? `\\.${extensions[0]}$` : `\\.(?:${extensions.join("|")})$`;
  const indent = indentOf(line.span);
  const lines = [`<FilesMatch "${pattern}">`, `    SetHandler ${handler}`, "</FilesMatch>"];
  return {
    ...{ line, name: `a.${extensions[0]}.${last}`, last },
    reason: "httpd compares each extension of a file name",
    help: `use \`<FilesMatch "${pattern}">\` with \`SetHandler ${handler}\``,
    title: fixTitles.section,
    edit: replaceLines(line.span, lines.map((each) => indent + each).join("\n")),
  };
}

function findUnanchored(line: Directive, { section }: Scope): InnerName | undefined {
  const isMatch = section?.key === "<filesmatch";
  const argument = section?.arguments[isMatch ? 0 : 1];
  if (argument === undefined || (!isMatch && section?.key !== "<files")) return undefined;
  const sample = sampleNameFor(argument.value);
  if (sample === undefined || !/\.\w+$/.test(sample)) return undefined;
  const isOne = parsePcre(argument.value).branches.length === 1;
  const pattern = isOne ? `${argument.value}$` : `(?:${argument.value})$`;
  return {
    ...{ line, name: `${sample}.jpg`, last: "jpg" },
    reason: `the pattern \`${argument.value}\` does not end in \`$\``,
    help: `use the pattern \`${pattern}\``,
    title: fixTitles.anchor(pattern),
    edit: replaceSpan(section.spanOf(argument), `"${pattern}"`),
  };
}
