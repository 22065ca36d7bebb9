import { parseRequireLine, type RequireLine, requireArgumentsOf, requireRulesOf } from "../../src/lint/api/access.js";
import { type Directive, hasWildcard, indexDirectives, isSince, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, type RejectionEffect, rejectionEffectOf } from "../../src/lint/api/rule.js";

const describeGroup = (...notes: readonly string[]) => ({
  message: "`Require group` does not check `AuthDBMGroupFile` in 2.4",
  notes,
  help: ["use `Require dbm-group`"],
});

const NO_FILE = "`AuthGroupFile` is not set";

const messages = {
  deniesMembers: describeGroup(NO_FILE, "every member is denied (401)"),
  allowsNobody: describeGroup(NO_FILE, "this line never allows a client"),
  /** With `not`. */
  deniesNobody: describeGroup(NO_FILE, "this line never denies a member"),
  notLoaded: (effect: RejectionEffect) => ({
    ...describeGroup("mod_authz_groupfile is not loaded"),
    effect,
  }),
};

const labels = { dbmFile: "the groups are in this DBM file" };

const fixTitles = { replace: "Replace with `dbm-group`" };

export const dbmGroup = defineRule({
  id: "dbm-group",
  title: "DBM groups need `Require dbm-group`",
  group: "upgrade",
  severity: "warning",
  description: "`Require group` is used, and AuthDBMGroupFile is set, but AuthGroupFile is not.",
  help: "In 2.2, every group module checked `Require group`. In 2.4, only mod_authz_groupfile does, and groups in a DBM file need `Require dbm-group`. httpd starts silently and denies every member (401, AH01664).",
  tags: ["upgrade", "access-control"],
  upgrade: "answers",
  // If mod_authz_groupfile is not loaded: loading it would not help.
  supersedes: ["refused-at-start", "authentication-incomplete"],
  messages,
  check: ({ project, release, report }) => {
    if (indexDirectives(project).named("authdbmgroupfile").length === 0) return {};
    const isKnown = !project.modulesAreKnown || project.modules.has("authz_groupfile_module");
    const scopes: Scope[] = [];
    const lines: { readonly line: RequireLine; readonly scope: Scope }[] = [];
    return {
      directives: {
        require(directive, scope) {
          const line = parseRequireLine(directive);
          // Elsewhere the server rejects any `not`.
          const isTaken = !line.negated || directive.parent?.key === "<requireall";
          if (line.provider === "group" && isTaken) lines.push({ line, scope });
        },
      },
      scope: { holding: ["authdbmgroupfile", "authgroupfile"], visit: (scope) => scopes.push(scope) },
      end() {
        if (!isSince(release, "2.4") || lines.length === 0) return;
        const filesOf = groupFilesOf(scopes);
        for (const { line, scope } of lines) {
          const files = filesOf(scope);
          if (files.dbm === undefined || files.text !== undefined || hasDbmSibling(line, scope)) continue;
          const isRequired = line.directive.parent?.key === "<requireall" || requireRulesOf(scope).length === 1;
          const span = line.directive.spanOf(line.providerAt);
          const result = line.negated ? "deniesNobody" : isRequired ? "deniesMembers" : "allowsNobody";
          report({
            ...(isKnown && !line.negated ? {} : { severity: "error" }),
            message: isKnown ? messages[result] : messages.notLoaded(rejectionEffectOf(scope.inHtaccess)),
            span,
            related: [{ message: labels.dbmFile, span: files.dbm.span }],
            fix: { title: fixTitles.replace, safety: "unsafe", edits: [{ span, text: "dbm-group" }] },
          });
        }
      },
    };
  },
});

/** Returns whether a `Require dbm-group` of the scope already names all of the line's groups. */
function hasDbmSibling(line: RequireLine, scope: Scope): boolean {
  const named = new Set(
    scope.directives
      .filter(({ key }) => key === "require")
      .map(parseRequireLine)
      .filter(({ provider, negated }) => provider === "dbm-group" && negated === line.negated)
      .flatMap((other) => requireArgumentsOf(other).map(({ value }) => value)),
  );
  return requireArgumentsOf(line).every(({ value }) => named.has(value));
}

/** The innermost directives that name the group files in effect, by kind. */
export interface GroupFiles {
  readonly dbm?: Directive;
  readonly text?: Directive;
}

/**
 * Returns the group files that certainly apply in a scope: its own, those of the enclosing sections in the file, and
 * those of Directory sections for a parent directory. A text file that may be inherited from elsewhere (a Directory
 * section over a Location) counts as applied, to avoid false reports.
 *
 * @param scopes all scopes of a configuration
 */
function groupFilesOf(scopes: readonly Scope[]): (scope: Scope) => GroupFiles {
  const byPath = new Map<string, GroupFiles>();
  let elsewhere: Directive | undefined;
  let byPattern: Directive | undefined;
  for (const scope of scopes) {
    const own = ownFiles(scope);
    if (own.dbm === undefined && own.text === undefined) continue;
    if (scope.place === "directory" || scope.place === "htaccess") elsewhere ??= own.text;
    const path = directoryOf(scope);
    // Patterns apply after all directories, whatever sections they are nested in.
    if (path === undefined && scope.place === "directory") byPattern ??= own.text;
    if (path !== undefined) byPath.set(path, { ...byPath.get(path), ...own });
  }
  return (scope) => {
    let files: GroupFiles = {};
    for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
      files = { ...ownFiles(outer), ...files };
      const path = directoryOf(outer);
      for (const above of path === undefined ? [] : pathsUp(path)) files = { ...byPath.get(above), ...files };
    }
    // The top of a fragment and a section by URL or pattern may inherit from a directory.
    const isPlaced = ancestors(scope).some((outer) => directoryOf(outer) !== undefined);
    if (scope.place === "unknown") return {};
    if (byPattern !== undefined) files = { ...files, text: byPattern };
    return isPlaced || elsewhere === undefined ? files : { text: elsewhere, ...files };
  };
}

function ancestors(scope: Scope): Scope[] {
  return scope.parent ? [scope, ...ancestors(scope.parent)] : [scope];
}

function ownFiles(scope: Scope): GroupFiles {
  const dbm = scope.directives.findLast((directive) => directive.key === "authdbmgroupfile");
  const text = scope.directives.findLast((directive) => directive.key === "authgroupfile");
  return { ...(dbm ? { dbm } : {}), ...(text ? { text } : {}) };
}

/** Returns the directory of a Directory section or a `.htaccess` file; undefined for a pattern and any other scope. */
function directoryOf(scope: Scope): string | undefined {
  if (scope.place === "htaccess") {
    const file = scope.directives[0]?.reading.tree.source.path;
    return file?.startsWith("/") ? trimSlashes(file.slice(0, file.lastIndexOf("/"))) : undefined;
  }
  const [path, ...more] = scope.section?.key === "<directory" ? scope.section.arguments : [];
  if (path === undefined || more.length > 0 || !path.value.startsWith("/") || hasWildcard(path.value)) return undefined;
  return trimSlashes(path.value);
}

function trimSlashes(path: string): string {
  return `/${path.split("/").filter(Boolean).join("/")}`;
}

/** Returns a directory and its parents, innermost first. */
function pathsUp(path: string): string[] {
  const parts = path.split("/").filter(Boolean);
  return [...parts.map((_, index) => `/${parts.slice(0, parts.length - index).join("/")}`), "/"];
}
