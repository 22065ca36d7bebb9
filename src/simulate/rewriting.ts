import type { Answer } from "../access/answer.js";
import { absolutePath } from "../project/paths.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { type Layer, settingIn } from "../scope/layer.js";
import { documentRootOf, type Mapping } from "../scope/mapping.js";
import type { PerDirConfig } from "../scope/per-dir-config.js";
import type { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import type { RequestWalk } from "../scope/request-walk.js";
import type { AliasContext } from "../scope/rewriting/context.js";
import type { CommonContext, Rewriting } from "../scope/rewriting/rewriting.js";
import { rewriteInSections } from "../scope/rewriting/section-rewriting.js";
import { sectionRules } from "../scope/rewriting/section-rules.js";
import { serverRules } from "../scope/rewriting/server-rules.js";
import { rewriteUrl } from "../scope/rewriting/url-rewriting.js";
import { canonicalPath } from "../scope/section-index.js";
import type { Server } from "../scope/server.js";
import type { DirectoryWalk } from "../scope/walk.js";
import { fromReadable } from "../text/source.js";

/** A request on its way, for rules to look at. */
export interface OnItsWay {
  readonly project: Project;
  readonly files: FileTree;
  readonly questions: Questions;
  readonly server: Server;
  /** As it is asked for, unwatched: looking at it is no sign of access being checked. */
  readonly request: Request;
  readonly path: string;
  readonly env: Map<string, string>;
  readonly walk: RequestWalk;
}

/** What the server's own rules make of the URL, ahead of all that maps it. @param early what is in force by then */
export function rewrittenUrl(way: OnItsWay, early: PerDirConfig): Rewriting | undefined {
  if (serverRules(way.server) === undefined) return undefined;
  return rewriteUrl(commonOf(way, early, undefined, undefined), early.layers);
}

/** Where a request is when access has been granted. */
export interface LetIn {
  readonly config: PerDirConfig;
  readonly mapping: Mapping & { readonly kind: "file" | "proxy" };
  readonly walked: DirectoryWalk | undefined;
  readonly user: RewriteUser;
}

/** Who is logged in, as far as rules may know. */
export type RewriteUser = CommonContext["user"];

/** What the rules of sections and `.htaccess` files make of a request that was let in. */
export function rewrittenInSections(way: OnItsWay, letIn: LetIn): Rewriting | undefined {
  const { config, mapping, walked, user } = letIn;
  if (!config.has("rewriteengine")) return undefined;
  const { groups, layers } = config;
  const rules = sectionRules(groups, (layer) => folderOf(layer, walked));
  if (rules === undefined) return undefined;
  way.request.looks?.at({ kind: "any-user" }, way.request.user !== undefined);
  const common = commonOf(way, config, user, aliasOf(mapping, way.project));
  if (mapping.kind === "proxy")
    return rewriteInSections(common, rules, layers, { filename: mapping.target, pathInfo: "", isProxied: true });
  if (walked === undefined) return undefined;
  const whole = cleaned(mapping.filename);
  const filename = cleaned(walked.filename);
  const pathInfo = walked.kind === "directory" ? "" : whole.slice(filename.length);
  return rewriteInSections(common, rules, layers, { filename, pathInfo, isProxied: false });
}

/** Who is logged in when rules are looked at behind access control. 2.2 is not asked that closely. */
export function userOf(answer: Answer | undefined, request: Request, { release }: Project): RewriteUser {
  if (request.user === undefined) return undefined;
  return release === "2.4" ? answer?.user : "unknown";
}

function commonOf(
  { walk, ...way }: OnItsWay,
  config: PerDirConfig,
  user: RewriteUser,
  alias: AliasContext | undefined,
): CommonContext {
  const { project, server } = way;
  return {
    ...way,
    names: walk.names(config),
    serverAdmin: settingIn(server.layers, "serveradmin"),
    documentRoot: documentRootOf(server, project),
    user,
    alias,
  };
}

/** The Alias by which a request came to its file (mod_alias.c `ap_set_context_info`). */
function aliasOf({ by }: Mapping, { serverRoot }: Project): AliasContext | undefined {
  const [from, to] = by?.arguments ?? [];
  if (!from || !to || (by?.key !== "alias" && by?.key !== "scriptalias")) return undefined;
  return { prefix: from.value, documentRoot: absolutePath(serverRoot, to.value) };
}

/** The folder of a `.htaccess` file; undefined for a section. */
function folderOf(layer: Layer, walked: DirectoryWalk | undefined): string | undefined {
  if (layer.section !== undefined) return undefined;
  const found = walked?.htaccess.find(
    ({ level, verdict }) => verdict.kind === "taken" && walked.layers[level] === layer,
  );
  return found && `${fromReadable(found.file.directory).replace(/\/$/, "")}/`;
}

/** The numbers of some messages; some have none. */
export function codesOf(messages: readonly string[]): readonly string[] {
  return messages.flatMap((message) => /^AH\d{5}/.exec(message)?.[0] ?? []);
}

/** A path as the directory walk leaves it; a slash at its end stays. */
function cleaned(path: string): string {
  const plain = canonicalPath(path) ?? path;
  return path.endsWith("/") ? `${plain}/` : plain;
}
