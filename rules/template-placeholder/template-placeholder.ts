import {
  type Directive,
  findPlaceholder,
  indexDirectives,
  isOfUnusedMacro,
  iterateDirectives,
  type Project,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, type Span } from "../../src/lint/api/rule.js";

const messages = {
  placeholder: (text: string) => ({
    message: `${quoteText(text)} is the placeholder of a template`,
    notes: ["decisions that depend on a placeholder are unknown"],
    help: ["check the generated file"],
  }),
  tag: (tag: string) => ({
    message: `${quoteText(tag.replace(/\s+/g, " "))} is a tag of a template`,
    notes: ["the lines that it stands for are not known", "decisions that depend on a placeholder are unknown"],
    help: ["check the generated file"],
  }),
};

/** Directives whose formats may contain `%a%`. */
const formats: ReadonlySet<string> = new Set([
  ...["logformat", "customlog", "transferlog", "errorlogformat", "header", "requestheader"],
]);

/** Directives whose values may have variables of Windows, such as `%PATH%`. */
const environments: ReadonlySet<string> = new Set(["setenv", "fcgidinitialenv", "fcgidcmdoptions"]);

export const templatePlaceholder = defineRule({
  id: "template-placeholder",
  title: "Template instead of a configuration",
  group: "syntax",
  severity: "info",
  description: "A file with placeholders, such as `@@Port@@` or `{{ port }}`, reported once for each file.",
  help: "A template becomes a configuration when another program fills it in. httpd-lint checks its lines, but its values are not known, and decisions that depend on them are unknown. Check the generated file, too.",
  tags: ["correctness"],
  isAboutTemplate: true,
  messages,
  check: ({ project, report }) => ({
    end() {
      for (const { span, isTag, text } of firstInEachFile(project))
        report({ message: isTag ? messages.tag(text) : messages.placeholder(text), span });
    },
  }),
});

/** The first placeholder or tag of a file. */
interface Use {
  readonly span: Span;
  readonly isTag: boolean;
  readonly text: string;
}

function firstInEachFile(project: Project): Iterable<Use> {
  const first = new Map<string, Use>();
  const add = (use: Use) => {
    const { realPath } = use.span.file;
    const known = first.get(realPath);
    if (known === undefined || use.span.start < known.span.start) first.set(realPath, use);
  };
  for (const { kind, span } of project.problems)
    if (kind === "template") add({ span, isTag: true, text: span.file.text.slice(span.start, span.end) });
  const hasPlaceholder = (text: string) => findPlaceholder(text) !== undefined;
  if (!indexDirectives(project).some(hasPlaceholder, (each) => placeholderIn(each) !== undefined))
    return first.values();
  for (const directive of iterateDirectives(project)) {
    const text = placeholderIn(directive);
    // The parameters of an unused macro are not known, either.
    if (text !== undefined && !isOfUnusedMacro(directive.span.file)) add({ span: directive.span, isTag: false, text });
  }
  return first.values();
}

function placeholderIn({ key, argumentText }: Directive): string | undefined {
  if (formats.has(key)) return undefined;
  return findPlaceholder(environments.has(key) ? argumentText.replace(/%\w+%/g, "") : argumentText);
}
