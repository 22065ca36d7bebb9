import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  type Edit,
  nativePath,
  quoteLike,
  quoteText,
  type RuleContext,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";

const messages = {
  beside: (line: Directive, target: string, help: string, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} also serves files outside of its directory`,
    notes: [
      `the request path follows \`${nativePath(toReadable(target))}\` without a check`,
      `${describeAnswer(answer)} if \`${nativePath(toReadable(answer.file ?? ""))}\` exists`,
    ],
    help: [help],
  }),
};

const programMessages = {
  glued: (line: Directive, from: string, to: string) => ({
    message: `only the path ${quoteText(from)} itself leads to the program`,
    notes: [
      `the rest of a path follows ${formatLineTitle(line)} without a slash`,
      `a request for ${quoteText(`${from}page`)} leads to ${quoteText(`${to}page`)}`,
    ],
    help: [`use ${quoteText(from.slice(0, -1))}, without the slash`],
  }),
};

const fixTitles = {
  removeSlash: "Remove the slash at the end of the path",
  addSlash: "Add a slash to the pattern",
};

export const aliasSlashMismatch = defineRule({
  id: "alias-slash-mismatch",
  title: "Alias reaches directories next to its target",
  group: "exposure",
  severity: "error",
  description:
    "The path and the target of an Alias do not both end in a slash, so that requests reach files next to the target.",
  help: "httpd appends the rest of the path to the target as it is. With a slash on one side only, `/img/-private/x` becomes `/srv/images-private/x`. End both in a slash, or neither.",
  supersedes: ["missing-slash"],
  securitySeverity: 7.5,
  references: { cwe: [22] },
  tags: ["security"],
  messages: { ...messages, ...programMessages },
  check: () => ({
    exposure: {
      holding: ["alias", "scriptalias", "aliasmatch", "wsgiscriptalias"],
      *check({ line, server, context: { files } }, client) {
        if (isOfProgram(line, files)) {
          const [from, to] = line.arguments;
          const text = programMessages.glued(line, from?.value ?? "", to?.value ?? "");
          const edit = from && replaceSpan(line.spanOf(from), quoteLike(from, from.value.slice(0, -1)));
          yield {
            severity: "warning",
            message: text,
            span: line.span,
            ...createFix(fixTitles.removeSlash, "unsafe", edit),
          };
          return;
        }

        const probe = line.key === "aliasmatch" ? probePattern(line) : probePrefix(line);
        const answer = probe && client.ask(server, { path: probe.path });
        if (answer?.status !== 200 || answer.file === undefined || answer.file.startsWith(`${probe?.target}/`)) return;
        const text = messages.beside(line, probe?.target ?? "", probe?.help ?? "", answer);
        const fix = createFix(probe?.title ?? "", "unsafe", probe?.edit);
        yield { message: text, span: line.span, witness: witnessOf(answer), ...fix };
      },
    },
  }),
});

/** Reports whether a line with a slash at the end of its path is for one program: the path after it is that of its URL. */
function isOfProgram({ key, arguments: [from, to] }: Directive, files: RuleContext["files"]): boolean {
  if (!from?.value.endsWith("/") || from.value === "/" || !to || to.value.endsWith("/")) return false;
  if (key === "wsgiscriptalias") return files?.kindOf(to.value) !== "directory" && /\.\w+$/.test(to.value);
  return key === "scriptalias" && files?.kindOf(to.value) === "file";
}

/** A request that may leave the target of an Alias. */
interface AliasProbe {
  readonly path: string;
  /** Without a slash at the end. */
  readonly target: string;
  readonly help: string;
  readonly title: string;
  readonly edit: Edit | undefined;
}

function probePrefix(line: Directive): AliasProbe | undefined {
  const [from, to] = line.arguments;
  if (!from?.value.endsWith("/") || from.value === "/" || !to || to.value.endsWith("/")) return undefined;
  if (/[$%]/.test(from.value + to.value)) return undefined;
  return {
    path: `${from.value}-private/index.html`,
    target: to.value,
    help: `end both in a slash, or neither: \`${toReadable(from.value.slice(0, -1))}\` and \`${toReadable(to.value)}\``,
    title: fixTitles.removeSlash,
    edit: replaceSpan(line.spanOf(from), quoteLike(from, from.value.slice(0, -1))),
  };
}

/** Probes `^/img(.*)` with the target `/srv/images/$1`: the group may begin with two dots. */
function probePattern(line: Directive): AliasProbe | undefined {
  const [pattern, to] = line.arguments;
  const [, from] = /^\^(\/[\w./-]*\w)\(\.[*+]\)\$?$/.exec(pattern?.value ?? "") ?? [];
  const [, target] = /^(\/[^$]*)\/\$1$/.exec(to?.value ?? "") ?? [];
  if (pattern === undefined || from === undefined || target === undefined) return undefined;
  const fixed = pattern.value.replace(`^${from}(`, `^${from}/(`);
  return {
    path: `${from}../index.html`,
    target,
    help: `add a slash to the pattern: \`^${from}/(.*)\``,
    title: fixTitles.addSlash,
    edit: replaceSpan(line.spanOf(pattern), quoteLike(pattern, fixed)),
  };
}
