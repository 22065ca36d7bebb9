import type { ConfigTree } from "../../grammar/ast.js";
import { parseFile } from "../../grammar/parser.js";
import { directiveFacts, isAllowedIn, type Release } from "../directives/directives.js";
import { type Span, toReadable } from "../text/source.js";
import type { Directive, Reading, ReadName } from "./directive.js";
import { FileReader } from "./file-reader.js";
import type { FileAccess } from "./files.js";
import type { Guard } from "./guards.js";
import { includedFiles } from "./include.js";
import type { Macro } from "./macros.js";
import type { LoadedModules, LoadModule } from "./modules.js";
import { absolutePath } from "./paths.js";
import type { Problem } from "./problems.js";
import type { Variables } from "./variables.js";
import { Wordings } from "./wordings.js";

/** Includes nested deeper than this stop the server (server/core.c AP_MAX_INCLUDE_DEPTH). */
const DEEPEST_INCLUDE = 128;

/** More lines than this are not made of macros; no real configuration comes near. */
const MOST_EXPANDED_LINES = 500_000;

/** What reading depends on and changes as it goes. */
export interface ReadingState {
  readonly release: Release;
  readonly version: readonly [number, number, number];
  readonly access: FileAccess;
  readonly variables: Variables;
  readonly modules: LoadedModules;
  readonly macros: Map<string, Macro>;
  /** Where relative paths start. */
  serverRoot: string;
  /** A ServerRoot line changes it, unless the user said otherwise. */
  readonly serverRootIsFixed: boolean;
  /** `.htaccess` files have narrower limits and may not Include or Define. */
  readonly inHtaccess: boolean;
}

/** A name with what it means while the same modules are loaded. */
interface NameInForce extends ReadName {
  /** Whether the server carries the directive out while reading: it must know it by now, and it must be allowed here. */
  readonly runsNow: boolean;
  readonly stamp: number;
}

/** What reading found beside the directives. */
export interface ReadingReport {
  readonly problems: Problem[];
  readonly guards: Guard[];
  /** The LoadModule lines, in the order in which they took effect. */
  readonly loadModules: LoadModule[];
  /** Every file that was read, once, in the order of the first reading. */
  readonly files: Map<string, ConfigTree>;
}

/**
 * Reads an entry file and all that it includes into the directives that the server would load, line by line as the
 * server does (server/config.c `ap_build_config`): guards are decided and Include, Define, LoadModule, Macro and Use take
 * effect where they stand, everything else is kept in order. Where the server would stop, the problem is noted and
 * reading goes on behind it.
 */
export class ConfigReader {
  readonly report: ReadingReport = { problems: [], guards: [], loadModules: [], files: new Map() };
  readonly wordings = new Wordings();
  private readonly names = new Map<string, NameInForce>();
  private readonly seen = new Set<string>();
  private includeDepth = 0;
  private includesStopped = false;
  private expandedLines = 0;

  constructor(private readonly state: ReadingState) {}

  /** Reads one file by its path; undefined, with a problem noted, where it cannot be read. */
  readPath(
    path: string,
    includedFrom: Span | undefined,
    into: Directive[],
    parent: Directive | undefined,
  ): string | undefined {
    const known = this.report.files.get(path);
    if (known) {
      this.readTree(known, includedFrom, into, parent);
      return undefined;
    }
    const content = this.state.access.read(path);
    if ("failed" in content) return content.failed;
    const tree = parseFile({ path: toReadable(path), realPath: content.realPath, text: content.text });
    this.report.files.set(path, tree);
    this.readTree(tree, includedFrom, into, parent);
    return undefined;
  }

  /** Reads a parsed file into the list of a section (or of the server). */
  readTree(tree: ConfigTree, includedFrom: Span | undefined, into: Directive[], parent: Directive | undefined): void {
    const reading: Reading = includedFrom ? { tree, includedFrom } : { tree };
    new FileReader(this, this.state, reading, into, parent).read();
  }

  problem(problem: Problem): void {
    const key = `${problem.kind} ${problem.span.file.path} ${problem.span.start} ${problem.message}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.report.problems.push(problem);
  }

  /** Notes a variable without a value once, however often it is used. */
  undefinedVariable(name: string, span: Span): void {
    if (this.seen.has(`\${${name}}`)) return;
    this.seen.add(`\${${name}}`);
    this.problem({
      kind: "undefined-variable",
      message: `\`\${${toReadable(name)}}\` has no value, so it stays in the line as it is written; define it, or name the server's environment file with --envvars`,
      span,
      related: [],
    });
  }

  /** Whether a macro may be put in place: macros that use others twice and twice again would never end. */
  allowsExpansion(lines: number, at: Span): boolean {
    this.expandedLines += lines;
    if (this.expandedLines <= MOST_EXPANDED_LINES) return true;
    if (this.expandedLines - lines <= MOST_EXPANDED_LINES) {
      this.problem({
        kind: "refused",
        message: `macros have put ${MOST_EXPANDED_LINES.toLocaleString("en")} lines in place by now, so this and later uses are passed over; let macros use each other less`,
        span: at,
        related: [],
      });
    }
    return false;
  }

  /** The release's facts about a name as written, and what it means now. */
  lookUp(written: string): NameInForce {
    const { inHtaccess, modules, release } = this.state;
    const before = this.names.get(written);
    if (before?.stamp === modules.stamp) return before;
    const known = before?.known ?? { key: written.toLowerCase(), facts: directiveFacts(release, written) };
    const loaded = known.facts.filter((each) => modules.provides(each));
    const [facts] = loaded;
    const name = facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written;
    const runsNow = loaded.some((each) => each.readTime && (!inHtaccess || isAllowedIn(each, "htaccess")));
    const inForce = { known, name, closing: `</${written.slice(1)}>`, runsNow, stamp: modules.stamp };
    this.names.set(written, inForce);
    return inForce;
  }

  /** Follows an Include; its files' directives go where the Include stands. */
  include(path: string, optional: boolean, at: Span, into: Directive[], parent: Directive | undefined): void {
    const { access, release } = this.state;
    if (this.includesStopped) return;
    if (this.includeDepth >= DEEPEST_INCLUDE) {
      // The server stops here; following on would only run in the same circle again and again.
      this.includesStopped = true;
      this.problem({
        kind: "include",
        message: `this Include is reached ${DEEPEST_INCLUDE} levels deep, so the files include each other in a circle and the server does not start; take one of the Include lines out`,
        span: at,
        related: [],
        server: `Exceeded maximum include depth of ${DEEPEST_INCLUDE}, There appears to be a recursion.`,
      });
      return;
    }
    this.includeDepth++;
    const found = includedFiles(absolutePath(this.state.serverRoot, path), optional, release, access);
    if ("refused" in found) {
      this.problem({
        kind: "include",
        message: `${found.reason}, so the server does not start; correct the path, or use IncludeOptional`,
        span: at,
        related: [],
        server: found.refused,
      });
    } else {
      for (const file of found.files) {
        const failed = this.readPath(file, at, into, parent);
        if (failed === undefined) continue;
        this.problem({
          kind: "include",
          message: `\`${toReadable(file)}\` cannot be included: ${failed}; the server does not start without it`,
          span: at,
          related: [],
          server: `Could not open configuration file ${toReadable(file)}`,
        });
      }
    }
    this.includeDepth--;
    if (this.includeDepth === 0) this.includesStopped = false;
  }
}
