import {
  type Directive,
  findPlaceholder,
  isOnServersDisk,
  type Project,
  RulePlaces,
  type Scope,
} from "../../src/lint/api/configuration.js";
import { isWindowsPath, type RuleContext, resolvePath, stripTrailingSlash } from "../../src/lint/api/rule.js";

/** A password or group file whose path leads elsewhere than to the file that is meant. */
export interface MisplacedFile {
  readonly line: Directive;
  /** What httpd takes the path to be relative to, if it is relative; otherwise it is an absolute path. */
  readonly serverRoot: string | undefined;
  /** The path that httpd opens; undefined if the ServerRoot is not known. */
  readonly opened: string | undefined;
  /** The file that is probably meant: it exists. */
  readonly meant: string | undefined;
}

/** Finds password and group files with a path below the directory, or below the document root, as the author sees them. */
export class MisplacedFiles {
  private readonly places: RulePlaces;
  private readonly roots = new Set<string>();

  constructor(
    private readonly project: Project,
    private readonly files: RuleContext["files"],
  ) {
    this.places = new RulePlaces(project);
  }

  addRoot({ arguments: [word] }: Directive): void {
    if (word) this.roots.add(stripTrailingSlash(resolvePath(this.project.serverRoot, word.value)));
  }

  /** To be called when all document roots are known. */
  find(line: Directive, scope: Scope): MisplacedFile | undefined {
    const [word] = line.arguments;
    const path = word?.value ?? "";
    // The value of a variable or a placeholder is not known, and modules take other sources than files.
    if (path === "" || /[$%@{]/.test(path) || findPlaceholder(path) || isWindowsPath(path)) return undefined;
    return path.startsWith("/") ? this.findBelowRoot(line, path) : this.findBesideLine(line, path, scope);
  }

  /** The path of a URL: a document root has the file. */
  private findBelowRoot(line: Directive, path: string): MisplacedFile | undefined {
    if (this.files?.kindOf(path) !== "missing") return undefined;
    const root = [...this.roots].find((each) => this.isFile(each + path));
    if (root !== undefined) return { line, serverRoot: undefined, opened: path, meant: root + path };
    // A folder that is mounted later is empty, or missing as a whole.
    const isKnown =
      line.key === "authuserfile" &&
      isOnServersDisk(path, this.project) &&
      this.files.list?.(folderOf(path))?.some(({ kind }) => kind === "file");
    return isKnown ? { line, serverRoot: undefined, opened: path, meant: undefined } : undefined;
  }

  /** httpd completes a relative path with the ServerRoot (mod_authn_file.c `set_authn_file_slot`: `ap_server_root_relative`). */
  private findBesideLine(line: Directive, path: string, scope: Scope): MisplacedFile | undefined {
    const { serverRoot, kind, entry } = this.project;
    const opened = resolvePath(serverRoot, path);
    // Without the main file, the directory of the file takes the place of the ServerRoot, unless a flag names it.
    const isRootKnown = kind === "server" || serverRoot !== folderOf(entry);
    if (isRootKnown && this.isFile(opened)) return undefined;
    const { directory } = this.places.find(scope);
    const beside = directory === undefined ? undefined : resolvePath(directory, path.replace(/^(?:\.\/)+/, ""));
    const meant = beside !== undefined && this.isFile(beside) ? beside : undefined;
    // Without the file, only its place tells: the author of a `.htaccess` file thinks of its directory.
    if (meant === undefined && !(scope.inHtaccess && (kind === "htaccess" || this.files))) return undefined;
    return isRootKnown ? { line, serverRoot, opened, meant } : { line, serverRoot: "", opened: undefined, meant };
  }

  private isFile(path: string): boolean {
    return this.files?.kindOf(path) === "file";
  }
}

function folderOf(path: string): string {
  return path.replace(/\/[^/]*$/, "") || "/";
}
