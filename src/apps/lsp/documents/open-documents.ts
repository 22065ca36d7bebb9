import { basename } from "node:path";
import type { Position } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { ConfigTree, Line } from "../../../../grammar/ast.js";
import { parseFile } from "../../../../grammar/parser.js";
import { type SourceFile, sourceFile } from "../../../text/source.js";
import { SETTINGS_FILE } from "../../settings/settings.js";
import type { DocumentText } from "../job.js";
import { findLineIndex, type ParsedLine, parseLine } from "./config-lines.js";
import { type DocumentLocation, locateDocument, type PositionMapper, positionMapperOf } from "./protocol-conversion.js";

/** A version of an open document; its lines are parsed on demand. */
export class OpenDocument {
  private own: SourceFile | undefined;
  private read: ConfigTree | undefined;

  constructor(
    readonly text: TextDocument,
    readonly place: DocumentLocation,
  ) {}

  get uri(): string {
    return this.text.uri;
  }

  get source(): SourceFile {
    this.own ??= sourceFile(this.place.path, this.text.getText());
    return this.own;
  }

  get tree(): ConfigTree {
    this.read ??= parseFile(this.source);
    return this.read;
  }

  get placed(): PositionMapper {
    return positionMapperOf(this.source);
  }

  get snapshot(): Omit<DocumentText, "standalone"> {
    const { uri, version } = this.text;
    return { uri, version, path: this.place.path, text: this.source.text };
  }

  at(position: Position): Cursor {
    const offset = this.placed.offsetOf(position);
    const index = findLineIndex(this.tree, offset);
    const line = this.tree.lines.at(index);
    return { document: this, offset, index, line, read: line && parseLine(this.tree, line) };
  }
}

/** A position in a document. */
export interface Cursor {
  readonly document: OpenDocument;
  /** In bytes. */
  readonly offset: number;
  /** The logical line that contains it, including continuations; undefined in an empty document. */
  readonly index: number;
  readonly line: Line | undefined;
  /** The parsed line, if it is a directive or opens a section. */
  readonly read: ParsedLine | undefined;
}

/** The open documents, each version of them parsed once. */
export class OpenDocuments {
  private readonly known = new Map<string, OpenDocument>();

  /**
   * @param texts the editor's documents
   * @param folder the assumed folder of documents that are not files
   */
  constructor(
    private readonly texts: { all(): TextDocument[]; get(uri: string): TextDocument | undefined },
    private readonly folder: () => string,
  ) {}

  /** Returns an open document with configuration. */
  get(uri: string): OpenDocument | undefined {
    const document = this.read(uri);
    return document && isSettingsFile(document.place.path) ? undefined : document;
  }

  all(): readonly OpenDocument[] {
    return this.texts.all().flatMap(({ uri }) => this.get(uri) ?? []);
  }

  /** Returns the open configuration files of httpd-lint with their edited contents: binary strings by path. */
  settingsFiles(): ReadonlyMap<string, string> {
    const open = this.texts.all().flatMap(({ uri }) => this.read(uri) ?? []);
    const files = open.filter(({ place }) => place.isFile && isSettingsFile(place.path));
    return new Map(files.map(({ place, source }) => [place.path, source.text]));
  }

  private read(uri: string): OpenDocument | undefined {
    const text = this.texts.get(uri);
    if (text === undefined) return undefined;
    const known = this.known.get(uri);
    if (known?.text.version === text.version) return known;
    // The editor's text is modified in place; the parsed version must not change.
    const frozen = TextDocument.create(uri, text.languageId, text.version, text.getText());
    const document = new OpenDocument(frozen, known?.place ?? locateDocument(uri, this.folder()));
    this.known.set(uri, document);
    return document;
  }

  forget(uri: string): void {
    this.known.delete(uri);
  }
}

/** Reports whether a file is a configuration file of httpd-lint rather than httpd configuration. */
export function isSettingsFile(path: string): boolean {
  return basename(path) === SETTINGS_FILE;
}
