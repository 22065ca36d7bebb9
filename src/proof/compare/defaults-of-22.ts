import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { isSince } from "../../facts/release.js";
import { isAccessDenied } from "../../server/model/answer-class.js";
import type { ObservedAnswer } from "../clients/observe.js";
import type { Difference } from "../model/comparison.js";
import { findOtherProgram } from "../paths/file-contents.js";

/** What 2.2 does by default, and 2.4 does only with a line. 2.2 does not know the line, or it changes nothing there. */
export interface DefaultOf22 {
  readonly directive: string;
  /** The argument with which a line of the server keeps the default of 2.2. */
  readonly value: string;
  /** The directive before which the line belongs, if the main file has it. */
  readonly beside: string;
  /** Reports whether the default matters in a configuration. */
  readonly isUsedBy: (project: Project) => boolean;
  /** Reports whether the default may matter to a request with an access check; absent if it may for each. */
  readonly isUsedAfter?: (check: ObservedAnswer) => boolean;
  /** Returns a line for which it is not known whether the default matters. */
  readonly findOpenUse?: (project: Project) => Directive | undefined;
  /** Reports whether the line may remove a difference. */
  readonly mayRemove: (difference: Difference) => boolean;
}

/** The lines that may give a directory a handler before index files are searched. */
const handlerLines = [
  "sethandler",
  "scriptalias",
  "scriptaliasmatch",
  "virtualscriptalias",
  "virtualscriptaliasip",
  "wsgiscriptalias",
  "wsgiscriptaliasmatch",
  "dav",
];

const defaultsOf22: readonly DefaultOf22[] = [
  {
    // 2.2 does not search index files in a directory with a handler (mod_dir.c `fixup_dir`).
    directive: "DirectoryCheckHandler",
    value: "On",
    beside: "directoryindex",
    isUsedBy: (project) =>
      (project.modules.has("dir_module") || !project.modulesAreKnown) &&
      handlerLines.some((key) => indexDirectives(project).named(key).length > 0),
    mayRemove: ({ regions }) => regions.some(({ pathClass }) => pathClass.path.endsWith("/")),
  },
  {
    // The default is `All` in 2.2 and `FollowSymLinks` in 2.4 (core.c `create_core_dir_config`).
    directive: "Options",
    value: "All",
    beside: "options",
    isUsedBy: ({ directives }) =>
      !directives.some(({ key, arguments: [word] }) => key === "options" && isAbsolute(word?.value)),
    isUsedAfter: ({ access, startsFromDefaultOptions = true }) => !isAccessDenied(access) && startsFromDefaultOptions,
    findOpenUse: findOtherProgram,
    mayRemove: ({ before, after }) => isAccessDenied(after.access) && !isAccessDenied(before.access),
  },
];

/** Reports whether the first word of an Options line makes it replace the options. */
function isAbsolute(word: string | undefined): boolean {
  return word !== undefined && !/^[+-]/.test(word);
}

/** Returns the defaults that matter for a server of 2.2. The server of a part, such as a `.htaccess` file, is not known. */
export function listDefaultsOf22(project: Project): readonly DefaultOf22[] {
  if (project.kind !== "server" || isSince(project.release, "2.4")) return [];
  return defaultsOf22.filter(({ isUsedBy }) => isUsedBy(project));
}

/** What a configuration of 2.4 makes of the defaults that matter for one of 2.2. */
export interface DefaultsAfterUpgrade {
  /** The lines that keep some of them. */
  readonly keptBy: readonly Directive[];
  readonly lost: readonly DefaultOf22[];
}

/** Compares the defaults of two configurations. Nothing is lost if both are of one version. */
export function compareDefaults(before: Project, after: Project): DefaultsAfterUpgrade {
  if (!isSince(after.release, "2.4")) return { keptBy: [], lost: [] };
  const lines = listDefaultsOf22(before).map((each) => ({ each, line: findLine(after, each) }));
  return {
    keptBy: lines.flatMap(({ line }) => line ?? []),
    lost: lines.flatMap(({ each, line }) => (line ? [] : [each])),
  };
}

/** Returns the line that keeps a default. It is the first one of its name: others may add to it. */
function findLine({ directives }: Project, { directive, value }: DefaultOf22): Directive | undefined {
  const found = directives.find(({ key }) => key === directive.toLowerCase());
  return found?.guard === undefined && found?.argumentText.toLowerCase() === value.toLowerCase() ? found : undefined;
}
