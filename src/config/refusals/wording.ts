/** What a refusal is about. */
export type RefusalKind =
  /** Sections, quoting, line length: the text itself is invalid. */
  | "syntax"
  /** A file or directory that Include names is not available; without a server message, only httpd-lint cannot read it. */
  | "include"
  /** Not read, but not an error: a relative path below a missing ServerRoot, or a directory under another name. */
  | "passed-over"
  /** The ServerRoot does not exist here; unless that is a mistake, the server and its files are on another machine. */
  | "server-root"
  /** A `.htaccess` file, or a directory that may contain some, is not readable here; the server may be able to read it. */
  | "closed"
  /** Deeper or longer than httpd-lint supports; the server may accept it. */
  | "limit"
  /** Macro, Use, Define, LoadModule or a conditional section: the server stops reading. */
  | "refused"
  /** The tag of a template: it stands for lines that are not known. */
  | "template"
  /** `${X}` without a value: stays unchanged, and the server warns (AH00111). */
  | "undefined-variable"
  /** Accepted by the server only under the current circumstances. */
  | "fragile"
  /** A directive in its context, or its arguments: the server checks them after it has read all files. */
  | "directive";

/** The wording of a refusal: readable text, with excerpts of the configuration in backticks. */
export interface Wording {
  /** Absent for the arguments of a directive. */
  readonly kind?: RefusalKind;
  /** The header: the problem, as a clause. */
  readonly problem: string;
  /** Further facts, one clause each. */
  readonly facts?: readonly string[];
  /** The consequence, as a clause; if absent, that the server rejects the file. */
  readonly consequence?: string;
  /** The remedy, as an imperative clause. */
  readonly remedy: string;
  /** The server's error message, if it rejects the file. */
  readonly server?: string;
  /** The number of the server's message: AH00526 has the directive's file and line, AH01624 does not. */
  readonly logNumber?: "AH01624";
  /** Whether the server reports it only after the section that the line opens. */
  readonly when?: "closing";
  /** Whether it is about a file or directory that does not exist here. */
  readonly isMissing?: true;
  /** The module that is not loaded, if that is the cause. */
  readonly missing?: string;
  /** The intended word, if it is written in another case. */
  readonly lowerCase?: string;
}
