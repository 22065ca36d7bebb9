import type { Finding } from "../engine/finding.js";
import type { IgnoredFinding } from "../engine/ignores.js";
import type { RuleDefinition } from "../engine/rule.js";

/** What there is to report, and how it should look. */
export interface ReportInput {
  readonly findings: readonly Finding[];
  /** Findings that are kept quiet. */
  readonly ignored: readonly IgnoredFinding[];
  /** How many files were read. */
  readonly files: number;
  /** How many lines they have together. */
  readonly lines: number;
  /** The rules that ran, whether or not they found anything. */
  readonly rules: readonly RuleDefinition[];
  /** The version of httpd-lint. */
  readonly version: string;
  /** The directory that paths are shown relative to; files outside it keep their absolute paths. */
  readonly base?: string;
  /** Text: with colours. */
  readonly colour?: boolean;
  /** Text: columns of the terminal. */
  readonly width?: number;
  /** SARIF: sets this run apart from others of the same commit. */
  readonly category?: string;
  /** Ignored findings are reported too, with what keeps them quiet. GitHub shows those of SARIF like any other. */
  readonly reportIgnored?: boolean;
  /** Globs of settings that ignored nothing, reported with the ignored findings. */
  readonly unusedIgnores?: readonly { readonly settings: string; readonly paths: readonly string[] }[];
  /** SARIF: the address of a rule's page. */
  readonly helpUri?: (rule: string) => string;
  /** HTML: the text of a rule's page, as Markdown. */
  readonly rulePageOf?: (rule: string) => string | undefined;
  /** HTML: what filters findings in the browser; without it all are shown. */
  readonly script?: string;
}
