import { isSince, type Release } from "../../facts/release.js";
import { describeCommentMove } from "../../text/comments.js";
import { toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import type { Wording } from "./wording.js";

/** The remedy for an undefined variable. */
export const DEFINE_VARIABLE_REMEDY =
  "define it with `--define NAME=VALUE`, or pass the server's environment file with `--envvars`";

/** Lines are not read if their presence or content depends on an undefined variable. */
const dependsOnVariable = (written: string, variable: string) => ({
  problem: `${quoteText(written)} depends on ${quoteText(variable)}, which has no value here`,
  consequence: "the included directives are not checked",
  remedy: DEFINE_VARIABLE_REMEDY,
});

const cannotLoad = (file: string, path: string) =>
  `Cannot load ${toReadable(file)} into server: ${toReadable(path)}: cannot open shared object file: No such file or directory`;

/** Why a file cannot be read; the server's own message ends with the system's. */
export interface UnreadFile {
  readonly message: string;
  readonly system?: string;
  readonly isAbsent?: boolean;
  readonly reason?: string;
  readonly remedy?: string;
}

const unreadable = (
  { system, isAbsent = false, reason, remedy: own = "give httpd-lint read access" }: UnreadFile,
  server: string,
  remedy: string,
): Omit<Wording, "problem"> => ({
  kind: "include",
  ...(isAbsent ? { isMissing: true } : {}),
  ...(system === undefined
    ? {
        ...(reason === undefined ? {} : { facts: [reason] }),
        consequence: "the included directives are not checked",
        remedy: own,
      }
    : { remedy, server: `${server}: ${system}` }),
});

/** What httpd refuses, or httpd-lint cannot read, while it reads the files: the wording by code. */
export const readingTexts = {
  "depends-on-variable": (written: string, variable: string) => ({
    ...dependsOnVariable(written, variable),
    kind: "passed-over",
  }),
  "condition-depends-on-variable": (written: string, variable: string) => ({
    ...dependsOnVariable(written, variable),
    consequence: "it is not known whether the section applies",
    kind: "limit",
  }),
  "condition-depends-on-placeholder": (written: string, placeholder: string) => ({
    ...dependsOnVariable(written, placeholder),
    consequence: "it is not known whether the section applies",
    kind: "passed-over",
  }),
  "undecided-file": (
    path: string,
    failed: string,
    remedy = "give httpd-lint access to it, for example by running it as root",
  ) => ({
    kind: "limit",
    problem: `it is unknown whether ${quoteText(path)} exists: ${failed}`,
    consequence: "it is not known whether the section applies",
    remedy,
  }),
  "missing-bracket": (section: string) => ({
    kind: "refused",
    problem: `missing \`>\` at the end of \`${section}>\``,
    remedy: "add the `>`",
    server: `${section}> directive missing closing '>'`,
  }),
  "missing-condition": (section: string, example: string) => ({
    kind: "refused",
    problem: `\`${section}>\` needs a condition`,
    remedy: `use the form \`${section} ${example}>\``,
    server: `${section}> directive requires additional arguments`,
  }),
  "missing-version": () => ({
    kind: "refused",
    problem: "`<IfVersion>` needs an operator and a version",
    remedy: "use the form `<IfVersion >= 2.4>`",
    server: "<IfVersion takes one, two or three arguments, a comparison operator, a version (and a delimiter)",
  }),
  "unknown-version-operator": (operator: string) => ({
    kind: "refused",
    problem: `unknown \`<IfVersion>\` operator ${quoteText(operator)}`,
    remedy: "use `=`, `<`, `<=`, `>`, `>=` or `~`, optionally after a `!`",
    server: `unrecognized operator '${toReadable(operator)}'`,
  }),
  "invalid-version": (version: string) => ({
    kind: "refused",
    problem: version === "" ? "`<IfVersion>` needs a version" : `invalid version ${quoteText(version)}`,
    remedy: "use one to three numbers separated by dots, such as `2.4`",
    server:
      "Version appears to be invalid. It must have the format major[.minor[.patch]] where major, minor and patch are numbers.",
  }),
  "unclosed-version-pattern": (pattern: string) => ({
    kind: "refused",
    problem: `missing \`/\` at the end of the pattern ${quoteText(pattern)}`,
    remedy: "add the `/`",
    server: "Missing delimiting / of regular expression.",
  }),
  "invalid-version-pattern": (pattern: string) => ({
    kind: "refused",
    problem: `invalid regular expression ${quoteText(pattern)}`,
    remedy: "correct it",
    server: "Unable to compile regular expression",
  }),
  "undecided-pattern": (pattern: string, reason: string) => ({
    kind: "limit",
    problem: `httpd-lint does not support the pattern ${quoteText(pattern)}`,
    facts: [reason],
    consequence: "this section is not checked",
    remedy: "use a simpler pattern to have it checked",
  }),
  "missing-module-file": (name: string, folder: string, file: string, path: string) => ({
    kind: "refused",
    problem: `the module file ${quoteText(name)} does not exist in ${quoteText(folder)}`,
    remedy: "install the module, or delete the line",
    server: cannotLoad(file, path),
  }),
  "misspelled-module-file": (name: string, folder: string, near: string, file: string, path: string) => ({
    kind: "refused",
    problem: `the module file ${quoteText(name)} does not exist in ${quoteText(folder)}`,
    remedy: `did you mean ${quoteText(near)}?`,
    server: cannotLoad(file, path),
  }),
  "unnamed-macro": (close: number) => ({
    kind: "refused",
    problem: "`<Macro>` needs a name",
    remedy: "use the form `<Macro name $parameter>`",
    server: `<Macro macro definition: ${close === 0 ? "empty name" : "name not found"}`,
  }),
  "empty-parameter": (number: number, name: string, title: string) => ({
    kind: "refused",
    problem: `parameter ${number} of macro ${quoteText(name)} is empty`,
    remedy: "name it, or delete it",
    server: `${title}: empty argument #${number} name`,
  }),
  "duplicate-parameter": (parameter: string, name: string, title: string, number: number, other: number) => ({
    kind: "refused",
    problem: `duplicate parameter ${quoteText(parameter)} of macro ${quoteText(name)}`,
    remedy: "rename one of them",
    server: `argument name conflict in ${title}: argument '${toReadable(parameter)}': #${number} and #${other}, change argument names!`,
  }),
  "unclosed-macro": (title: string) => ({
    kind: "syntax",
    problem: "unclosed `<Macro>`",
    remedy: "add `</Macro>`",
    server: `${title}\\n\\tcontents error: expected token not found: </Macro>`,
  }),
  "macro-line-too-long": (max: string, title: string) => ({
    kind: "syntax",
    problem: `a line of this macro is longer than ${max} bytes`,
    remedy: "split the line",
    server: `${title}\\n\\tcontents error: expected token not found: </Macro>`,
  }),
  "wrong-value-count": (
    name: string,
    expected: string,
    given: number,
    usage: string,
    title: string,
    parameters: number,
  ) => ({
    kind: "refused",
    problem: `macro ${quoteText(name)} takes ${expected}, but ${given} ${given === 1 ? "was" : "were"} given`,
    remedy: `use the form \`${usage}\``,
    server: `${title} used with ${given} arguments instead of ${parameters}`,
  }),
  "expansion-too-long": (name: string, max: string, title: string, lineAt: number, path: string, line: number) => ({
    kind: "refused",
    problem: `with these values a line of macro ${quoteText(name)} is longer than ${max} bytes`,
    remedy: "shorten the values or the line",
    server: `${title} used on line ${lineAt} of "${path}" error while substituting: while processing line ${line} of ${title} cannot substitute, buffer size too small`,
  }),
  "unclosed-but-accepted": (title: string, isInside: boolean) => ({
    kind: "fragile",
    problem: `unclosed section \`<${title}>\``,
    consequence: `httpd accepts the file only if ${isInside ? "the condition of the unclosed section around it is true" : "the condition is true"}`,
    remedy: `add \`</${title}>\``,
  }),
  "unclosed-section": (title: string, server: string) => ({
    kind: "syntax",
    problem: `section \`<${title}>\` is not closed in this file`,
    remedy: `add \`</${title}>\``,
    server,
  }),
  "missing-bracket-after-tag": (word: string, server: string) => ({
    kind: "syntax",
    problem: `missing \`>\` directly after ${quoteText(word)}`,
    remedy: `use ${quoteText(`${word}>`)}`,
    server,
  }),
  "space-in-closing-tag": (name: string, server: string) => ({
    kind: "syntax",
    problem: "space between `</` and the name of the section",
    remedy: `use ${quoteText(`</${name}>`)}`,
    server,
  }),
  "closing-tag-without-section": (word: string, server: string) => ({
    kind: "syntax",
    problem: `${quoteText(word)} closes a section that is not open`,
    remedy: "delete it, or open the section in this file",
    server,
  }),
  "wrong-closing-tag": (expected: string, word: string, server: string) => ({
    kind: "syntax",
    problem: `expected \`</${expected}>\`, found ${quoteText(word)}`,
    remedy: "close the sections in the order they were opened",
    server,
  }),
  "misspelled-closing-tag": (expected: string, word: string, server: string) => ({
    kind: "syntax",
    problem: `expected \`</${expected}>\`, found ${quoteText(word)}`,
    remedy: "use the same name in both tags",
    server,
  }),
  "overlapping-sections": (word: string, tags: string, server: string) => ({
    kind: "syntax",
    problem: `${quoteText(word)} comes before ${tags}`,
    remedy: "close the sections in the order they were opened",
    server,
  }),
  "text-after-closing-tag": (tag: string, server: string) => ({
    kind: "syntax",
    problem: `text after the closing tag ${quoteText(tag)}`,
    remedy: "put the tag on its own line",
    server,
  }),
  "unclosed-skipped-section": (name: string) => ({
    kind: "syntax",
    problem: `unclosed section \`<${name}>\``,
    remedy: `add \`</${name}>\``,
    server: `Expected </${name}> before end of configuration`,
  }),
  "sections-too-deep": (max: number) => ({
    kind: "limit",
    problem: `sections are nested more than ${max} levels deep`,
    consequence: "httpd-lint does not check the directives inside",
    remedy: "flatten the sections to have them checked",
  }),
  "unclosed-program": (name: string, bare: string) => ({
    kind: "syntax",
    problem: `unclosed section \`${name}>\``,
    remedy: `add \`</${bare}>\``,
  }),
  "wrong-closing-tag-when-skipped": (expected: string, word: string, isTypo: boolean, server: string) => ({
    kind: "syntax",
    problem: `expected \`</${expected}>\`, found ${quoteText(word)}`,
    facts: ["httpd checks this even in a conditional section whose condition is false"],
    remedy: isTypo ? "use the same name in both tags" : "close the sections in the order they were opened",
    server,
  }),
  "colon-in-variable-name": (name: string) => ({
    kind: "refused",
    problem: `variable name ${quoteText(name)} contains a \`:\``,
    remedy: "use a name without `:`",
    server: "Variable name must not contain ':'",
  }),
  "recursive-macro": (name: string) => ({
    kind: "refused",
    problem: `macro ${quoteText(name)} uses itself`,
    remedy: "delete this Use from the macro",
    server: `recursive use of macro '${toReadable(name)}' is invalid`,
  }),
  "missing-macro-name": (user: string) => ({
    kind: "refused",
    problem: `\`${user}\` needs the name of a macro`,
    remedy: "add the name",
    server: "no macro name specified with Use",
  }),
  /** Another file may define macros. */
  "use-without-macros": (user: string, name: string) => ({
    kind: "refused",
    ...(name === ""
      ? { problem: `\`${user}\` needs the name of a macro`, remedy: "add the name" }
      : { problem: `undefined macro ${quoteText(name)}`, remedy: "define it before this line with `<Macro>`" }),
    server: `no macro defined before ${user}`,
  }),
  "undefined-macro": (name: string, key: string) => ({
    kind: "refused",
    problem: `undefined macro ${quoteText(name)}`,
    remedy: "define it before this line with `<Macro>`",
    server: `macro '${toReadable(key)}' undefined`,
  }),
  "misspelled-macro": (name: string, key: string, similar: string) => ({
    kind: "refused",
    problem: `undefined macro ${quoteText(name)}`,
    remedy: `did you mean ${quoteText(similar)}?`,
    server: `macro '${toReadable(key)}' undefined`,
  }),
  "undefined-macro-to-remove": (name: string, key: string, similar: string | undefined) => ({
    kind: "refused",
    problem: `undefined macro ${quoteText(name)}`,
    remedy: similar === undefined ? "define it before this line with `<Macro>`" : `did you mean ${quoteText(similar)}?`,
    server: `cannot remove undefined macro '${toReadable(key)}'`,
  }),
  "comment-after-directive": (comment = "") => ({
    kind: "refused",
    problem: "a comment cannot follow a directive on the same line",
    facts: ["httpd reads the comment as arguments"],
    remedy: describeCommentMove(comment),
  }),
  "not-on-or-off": (name: string, value: string | undefined) => ({
    kind: "refused",
    problem:
      value !== undefined
        ? `invalid value ${quoteText(value)} for \`${name}\`: expected \`On\` or \`Off\``
        : `\`${name}\` needs \`On\` or \`Off\``,
    remedy: "use `On` or `Off`",
  }),
  "empty-argument": (name: string) => ({
    kind: "refused",
    problem: `\`${name}\` does not accept an empty argument`,
    remedy: "add the missing value",
  }),
  "argument-count-not-accepted": (name: string, given: number, noun: string, syntax: string) => ({
    kind: "refused",
    problem: given > 0 ? `\`${name}\` does not accept ${given} ${noun}` : `\`${name}\` needs an argument`,
    remedy: syntax === "" ? "correct the line" : `use \`${syntax}\``,
  }),
  "variables-too-long": (max: string) => ({
    kind: "limit",
    problem: `the variables in this line exceed the limit of ${max} bytes`,
    consequence: "the line is read without their values",
    remedy: "shorten the values to have the line checked",
  }),
  "line-too-long": (bytes: string, max: string) => ({
    kind: "syntax",
    problem: `the line has ${bytes} bytes, but the limit is ${max}`,
    remedy: "split the line",
  }),
  "too-many-included-files": (max: string) => ({
    kind: "include",
    problem: `the Include exceeds the limit of ${max} files and directories`,
    consequence: "the included directives are not checked",
    remedy: "use a smaller directory or a narrower pattern",
  }),
  "directories-too-deep": (path: string, max: number, release: Release) => ({
    kind: "include",
    problem: `\`${path}\` is nested more than ${max} directories deep`,
    facts: ["a link to a parent directory is the most likely cause"],
    remedy: "delete the link, or include files by name",
    server: `${isSince(release, "2.4") ? `Include/IncludeOptional: Directory '${path}'` : `Directory ${path}`} exceeds the maximum include directory nesting level of ${max}. You have probably a recursion somewhere.`,
  }),
  "wildcard-without-match": (pattern: string, directory: string, remedy: string) => ({
    kind: "include",
    problem: `the wildcard \`${pattern}\` matches nothing in \`${directory}\``,
    isMissing: true,
    remedy,
    server: `Include/IncludeOptional: No matches for the wildcard '${pattern}' in '${directory}', failing`,
  }),
  "wildcard-in-directory": (path: string) => ({
    kind: "include",
    problem: `2.2 does not accept a wildcard in the directory of \`${path}\``,
    remedy: "write an `Include` for each directory",
    server: `Wildcard patterns not allowed in Include ${path}`,
  }),
  "unreadable-include": (what: string, failure: UnreadFile, server: string, remedy: string) => ({
    ...unreadable(failure, server, remedy),
    problem: `${what}: ${failure.message}`,
  }),
  "dangling-include": (path: string, failure: UnreadFile, mayBeOptional: boolean) => ({
    ...unreadable(
      failure,
      `Could not open configuration file ${path}`,
      `correct the link, or ${mayBeOptional ? "use IncludeOptional" : "delete it"}`,
    ),
    problem: `\`${path}\` cannot be included: it is a symbolic link to a missing file`,
  }),
  "unmapped-include": (problem: string) => ({
    kind: "include",
    problem,
    isMissing: true,
    consequence: "the included directives are not checked",
    remedy: "copy it from the server and map it with --map",
  }),
  "too-many-unknown-directives": (max: string) => ({
    kind: "limit",
    problem: `the configuration has more than ${max} different unknown directives`,
    consequence: "the rest of this Include and later ones are not checked",
    remedy: "include only configuration files",
  }),
  "undefined-variable": (name: string) => ({
    kind: "undefined-variable",
    problem: `variable \`\${${toReadable(name)}}\` has no value`,
    consequence: "httpd uses the text as it is",
    remedy: DEFINE_VARIABLE_REMEDY,
  }),
  "template-tag": (tag: string) => ({
    kind: "template",
    problem: `${quoteText(tag)} is a tag of a template`,
    consequence: "the lines that it stands for are not checked",
    remedy: "check the generated file",
  }),
  "too-many-macro-lines": (max: string) => ({
    kind: "limit",
    problem: `macros expand to more than ${max} lines, the limit of httpd-lint`,
    consequence: "this and later uses are not checked",
    remedy: "use fewer nested macros to have them checked",
  }),
  "too-many-expanded-bytes": (megabytes: number, what: string) => ({
    kind: "limit",
    problem: `macros and variables expand to more than ${megabytes} MB in total, the limit of httpd-lint`,
    consequence:
      what === "use" ? "this and later uses are not checked" : "this and later lines are read without their values",
    remedy: "shorten the values or use fewer macros",
  }),
  "too-many-repeated-lines": (max: string) => ({
    kind: "limit",
    problem: `files that are included repeatedly have more than ${max} lines, the limit of httpd-lint`,
    consequence: "repeated directives of this Include and later ones are not checked",
    remedy: "include files less often to have them checked",
  }),
  "missing-server-root": (path: string) => ({
    kind: "server-root",
    problem: `ServerRoot \`${toReadable(path)}\` is not a directory on this machine`,
    remedy: "correct the path, or pass the directory with its files as `--server-root`",
    server: "ServerRoot must be a valid directory",
  }),
  "includes-too-deep": (max: number, release: Release) => ({
    kind: "include",
    problem: `Include is nested ${max} levels deep`,
    facts: ["this happens if files include each other in a circle"],
    remedy: "delete one of the Include lines",
    server: `Exceeded maximum include depth of ${max}${isSince(release, "2.4") ? ", There appears to be a recursion." : ". You have probably a recursion somewhere."}`,
  }),
  "below-missing-server-root": (path: string) => ({
    kind: "passed-over",
    problem: `${quoteText(path)} is below the ServerRoot, which is not a directory on this machine`,
    isMissing: true,
    consequence: "the included directives are not checked",
    remedy: "pass the directory with its files as `--server-root`",
  }),
  "unreadable-htaccess": (path: string, failed: string) => ({
    kind: "closed",
    problem: `${quoteText(path)} cannot be read: ${failed}`,
    consequence: "its access rules are unknown",
    remedy: "give httpd-lint read access, for example by running it as root",
  }),
  "irregular-htaccess": (path: string, failed: string, isDirectory: boolean) => ({
    kind: "closed",
    problem: `${quoteText(path)} cannot be read: ${failed}`,
    consequence: isDirectory
      ? "requests below its directory return 403 if httpd reads `.htaccess` files there"
      : "its access rules are unknown",
    remedy: "replace it with a regular file, or delete it",
  }),
  "unlisted-directory": (path: string, failed: string) => ({
    kind: "closed",
    problem: `the directory ${quoteText(path)} cannot be listed: ${failed}`,
    consequence: "the access rules of `.htaccess` files there are unknown",
    remedy: "give httpd-lint read access, for example by running it as root",
  }),
  "unfinished-search": (root: string, max: string, name: string) => ({
    kind: "limit",
    problem: `${quoteText(root)} exceeds the limit of ${max} directories for \`.htaccess\` files`,
    consequence: "such files in further directories are not checked, and decisions there are uncertain",
    remedy: `use a smaller directory in ${quoteText(name)}, or limit httpd-lint to one with \`--confine\``,
  }),
  "unsearched-directory": (name: string, path: string) => ({
    kind: "passed-over",
    problem: `\`${name}\` may map anywhere in ${quoteText(path)}, which is not searched for \`.htaccess\` files`,
    consequence: "their access rules are unknown",
    remedy: "add a separate Alias for the directory to have it searched",
  }),
  "directory-with-two-names": (path: string, first: string) => ({
    kind: "passed-over",
    problem: `${quoteText(path)} is the same directory as ${quoteText(first)}, and is read under that name`,
    consequence: "`.htaccess` files under the other name are not checked",
    remedy: "use the first name",
  }),
} satisfies Record<string, (...shown: never[]) => Wording>;
