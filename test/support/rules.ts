import { readCertificates } from "../../src/config/files/certificates.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { EntryKind } from "../../src/config/model/project.js";
import { findDirectiveFacts, isAllowedIn } from "../../src/facts/directives.js";
import type { Release } from "../../src/facts/release.js";
import type { Finding } from "../../src/lint/finding.js";
import { keepVariants, type RuleDefinition } from "../../src/lint/rule.js";
import { lint } from "../../src/lint/runner/lint.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { applyEdits } from "../../src/text/edits.js";
import { rangeOf, toReadable } from "../../src/text/source.js";

export interface Given {
  /** Kind of the text; default `server`. */
  readonly kind?: EntryKind;
  readonly release?: Release;
  readonly from?: Release;
  readonly modules?: readonly string[];
  readonly withoutModules?: readonly string[];
  readonly defines?: ReadonlyMap<string, string | undefined>;
  /** Further files by absolute path; the text itself is `/etc/httpd/httpd.conf` (`/srv/.htaccess` for `htaccess`). */
  readonly files?: Readonly<Record<string, string>>;
  /** The targets of symbolic links by path, both absolute. */
  readonly links?: Readonly<Record<string, string>>;
  /** The time of the analysis. */
  readonly now?: Date;
}

/** A finding in test form: positions as `line:column-line:column` of the text, related ones with their file. */
export interface ReportedFinding {
  readonly rule: string;
  readonly severity: string;
  readonly at: string;
  /** The underlined text. */
  readonly text: string;
  readonly message: string;
  readonly notes?: readonly string[];
  readonly help?: readonly string[];
  readonly label?: string;
  readonly related: readonly string[];
}

/** Returns a section for a directory with these lines. */
export function inDirectory(...lines: readonly string[]): string {
  return `<Directory "/srv">\n${lines.join("\n")}\n</Directory>\n`;
}

/** Returns a section with these lines: `section("Location /a", "Deny from all")`. */
export function section(tag: string, ...lines: readonly string[]): string {
  return `<${tag}>\n${lines.join("\n")}\n</${tag.replace(/ .*/, "")}>\n`;
}

/** Returns a server's main file with DocumentRoot `/srv`. */
export function onServer(...sections: readonly string[]): string {
  return `DocumentRoot "/srv"\n${sections.join("")}`;
}

/** Returns the main file of a server whose modules are known. */
export function wholeServer(...lines: readonly string[]): string {
  const modules = ["mpm_event", "unixd", "authz_core"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
  return `${[...modules, ...lines].join("\n")}\n`;
}

/** Returns a rule with one of its variants only. */
export function onlyVariant(rule: RuleDefinition, variant: string): RuleDefinition {
  const kept = keepVariants(rule, (id) => id === variant);
  if (kept?.variants === undefined) throw new Error(`${rule.id} has no variant ${variant}`);
  return kept;
}

/** Runs rules on a configuration given as text. */
export function findingsOf(rules: readonly RuleDefinition[], text: string, given: Given = {}): ReportedFinding[] {
  return lintText(rules, text, given).map(summarize);
}

/** Returns the text after the fix of the first finding, which must be an unsafe one. */
export function fixFirst(rule: RuleDefinition, text: string, given: Given = {}): string | undefined {
  const fix = lintText([rule], text, given)[0]?.fix;
  return fix?.safety === "unsafe" ? applyEdits(text, fix.edits) : undefined;
}

/** Returns the findings themselves, for tests of fixes. */
export function lintText(rules: readonly RuleDefinition[], text: string, given: Given = {}): readonly Finding[] {
  return resultOf(rules, text, given).findings;
}

/** Returns the whole result of a run. */
export function resultOf(rules: readonly RuleDefinition[], text: string, given: Given = {}) {
  const { kind = "server", files = {}, links = {}, from, now, ...options } = given;
  const entry = kind === "htaccess" ? "/srv/.htaccess" : "/etc/httpd/httpd.conf";
  const access = memoryAccess({ ...files, [entry]: text }, links);
  const load = (release: Release | undefined) => {
    const loaded = loadProject(entry, { ...options, ...(release ? { release } : {}), kind, access });
    if (!loaded.ok) throw new Error(loaded.error);
    return loaded.value;
  };
  const before = from === undefined ? {} : { from, before: () => load(from) };
  const project = load(options.release);
  const tree = createFileTree({ by: "existing disk" }, project, access);
  const result = lint(project, { rules, ...before, files: tree, readCertificates, ...(now ? { now } : {}) });
  result.findings.forEach(checkHelpInHtaccess);
  return result;
}

/**
 * Throws if the help for a line of a `.htaccess` file names a directive that is not allowed there, such as `<Directory>`, and it
 * neither says where to use it, nor shows a line of the server.
 */
function checkHelpInHtaccess({ span, related, rule, help = [] }: Finding): void {
  const files = [span, ...related.map((each) => each.span)].map(({ file }) => file.realPath);
  if (files.some((path) => !path.endsWith("/.htaccess"))) return;
  for (const text of help) {
    const names = [...text.matchAll(/`(<?[A-Z][A-Za-z]+)(?=[ >`])/g)].map(([, name = ""]) => name);
    const refused = names.filter((name) => {
      const facts = findDirectiveFacts("2.4", name.toLowerCase());
      return facts.length > 0 && !facts.some((each) => isAllowedIn(each, "htaccess"));
    });
    if (refused.length > 0 && !/server|virtual host|main file|`AllowOverride /.test(text))
      throw new Error(`${rule} proposes ${refused.join(", ")} in a .htaccess file: ${text}`);
  }
}

/** Returns the text of a finding with all its parts: `header | note: … | help: …`. */
export function textOf({
  message,
  label,
  notes = [],
  help = [],
}: Pick<ReportedFinding, "message" | "label" | "notes" | "help">): string {
  const labels = label === undefined ? [] : [`label: ${label}`];
  return [message, ...labels, ...notes.map((note) => `note: ${note}`), ...help.map((each) => `help: ${each}`)].join(
    " | ",
  );
}

function summarize(finding: Finding): ReportedFinding {
  const { file, start, end } = finding.span;
  const range = rangeOf(finding.span);
  const { label, notes, help } = finding;
  return {
    rule: finding.rule,
    severity: finding.severity,
    at: `${range.start.line}:${range.start.column}-${range.end.line}:${range.end.column}`,
    text: toReadable(file.text.slice(start, end)),
    message: finding.message,
    ...(label === undefined ? {} : { label }),
    ...(notes === undefined ? {} : { notes }),
    ...(help === undefined ? {} : { help }),
    related: finding.related.map((related) => {
      const place = rangeOf(related.span).start;
      return `${related.span.file.path.replace(/^.*\//, "")}:${place.line}:${place.column}: ${related.message}`;
    }),
  };
}
