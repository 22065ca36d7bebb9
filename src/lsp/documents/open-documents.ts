import { basename } from "node:path";
import type { Position } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { ConfigTree, Line } from "../../../grammar/ast.js";
import { parseFile } from "../../../grammar/parser.js";
import { SETTINGS_FILE } from "../../settings/settings.js";
import { type SourceFile, sourceFile } from "../../text/source.js";
import type { DocumentText } from "../job.js";
import { findLineIndex, type ParsedLine, parseLine } from "./config-lines.js";
import { type DocumentLocation, locateDocument, type PositionMapper, positionMapperOf } from "./protocol-conversion.js";

/** A version of an open document; its lines are read when they are asked for. */
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

  get snapshot(): Omit<DocumentText, "alone"> {
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

/** A place in a document. */
export interface Cursor {
  readonly document: OpenDocument;
  /** In bytes. */
  readonly offset: number;
  /** The line that it is in, joined with those that continue it; undefined in a document without any. */
  readonly index: number;
  readonly line: Line | undefined;
  /** The line's words, where it is a directive or opens a section. */
  readonly read: ParsedLine | undefined;
}

/** The open documents, each version of them read once. */
export class OpenDocuments {
  private readonly known = new Map<string, OpenDocument>();

  /**
   * @param texts as the editor has them
   * @param folder where documents that are no files are taken to lie
   */
  constructor(
    private readonly texts: { all(): TextDocument[]; get(uri: string): TextDocument | undefined },
    private readonly folder: () => string,
  ) {}

  /** A document that holds configuration. */
  get(uri: string): OpenDocument | undefined {
    const document = this.read(uri);
    return document && isSettingsFile(document.place.path) ? undefined : document;
  }

  all(): readonly OpenDocument[] {
    return this.texts.all().flatMap(({ uri }) => this.get(uri) ?? []);
  }

  /** Settings files that are open, as they are edited: binary strings by path. */
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
    // The editor's text is changed in place; what was read of a version stays what it is.
    const frozen = TextDocument.create(uri, text.languageId, text.version, text.getText());
    const document = new OpenDocument(frozen, known?.place ?? locateDocument(uri, this.folder()));
    this.known.set(uri, document);
    return document;
  }

  forget(uri: string): void {
    this.known.delete(uri);
  }
}

/** Whether a file holds settings of a project, and no configuration. */
export function isSettingsFile(path: string): boolean {
  return basename(path) === SETTINGS_FILE;
}
