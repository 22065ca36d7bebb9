import type { Directive } from "../../project/directive.js";
import type { Project } from "../../project/project.js";
import type { FileTree } from "../files.js";
import type { Groups } from "../patterns.js";
import type { Questions } from "../questions.js";
import type { Request } from "../request.js";
import type { ServerNames } from "../server-names.js";

/** What a run over rules looks at, and what they change. */
export interface RewriteContext {
  readonly project: Project;
  readonly files: FileTree;
  readonly questions: Questions;
  readonly request: Request;
  /** The path of the URL, which rules leave as it is. */
  readonly path: string;
  readonly names: ServerNames;
  /** The ServerAdmin line in force. */
  readonly serverAdmin: Directive | undefined;
  readonly documentRoot: string;
  /** Where an Alias leads from and to, where one led here. */
  readonly alias?: AliasContext | undefined;
  /** Changed by E; names are in lower case. */
  readonly env: Map<string, string>;
  /** Who is authenticated by then, and by what; `unknown` where that is not told. */
  readonly user: string | undefined | "unknown";
  /** The RewriteMap lines in force, by name. */
  readonly maps: ReadonlyMap<string, Directive>;
  /** For rules of a section or `.htaccess` file: what relative paths start from, with a slash at its end. */
  readonly directory: string | undefined;
  readonly isProxied: boolean;
  /** Whether a substitution that leads to this very host is followed as a path, and how. */
  readonly leadsHere: (host: string, port: number) => boolean;

  /** What the rules work on: the URL's path, later a file name or an absolute URL. */
  filename: string;
  /** What follows the file's name; rules of sections see it behind the name. */
  pathInfo: string;
  query: string | undefined;
  status: number;
  /** A substitution led to this very host and was taken for a path. */
  isReduced: boolean;
}

export interface AliasContext {
  readonly prefix: string;
  readonly documentRoot: string;
}

/** What cannot be told, as the end of "not followed, since … is not known". */
export interface Unknown {
  readonly unknown: string;
}

export function isUnknown(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && "unknown" in value;
}

/** What patterns matched so far: that of the rule for `$1`, those of its conditions for `%1`. */
export interface BackReferences {
  readonly rule: Groups;
  readonly condition: Groups | Unknown;
}
