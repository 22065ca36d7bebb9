import { CodeActionKind, type InitializeResult, TextDocumentSyncKind } from "vscode-languageserver/node";
import { SETTINGS_FILE } from "../settings/settings.js";
import { FIX_ALL } from "./code-actions.js";

/** What the server tells an editor that it can do. */
export const capabilities: InitializeResult["capabilities"] = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  hoverProvider: true,
  completionProvider: { triggerCharacters: ["<", "/", " ", "{", "+", "-", ","], resolveProvider: true },
  definitionProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  documentLinkProvider: {},
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL] },
};

/** Files on the disk that may be part of what is open. */
export const watched = ["**/*.conf", "**/*.load", "**/.htaccess", "**/envvars", `**/${SETTINGS_FILE}`];
