import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { indentUnit } from "@codemirror/language";
import {
  type Diagnostic,
  forEachDiagnostic,
  lintGutter,
  nextDiagnostic,
  previousDiagnostic,
  setDiagnostics,
} from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  type Command,
  closeHoverTooltips,
  Decoration,
  type DecorationSet,
  EditorView,
  hasHoverTooltips,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { lineStartAt } from "../../report/html/code.js";
import { tokenizeLine } from "../../report/text/highlighting.js";
import { editorStyle } from "./editor-style.js";
import type { PlaygroundFinding, PlaygroundFix } from "./messages.js";

/** The events and requests of the editor. */
export interface EditorHooks {
  /** The text of the file has changed. */
  onChange(): void;
  applyFix(fix: PlaygroundFix): void;
  /** Returns the description of a directive as HTML; empty if there is none. */
  describe(name: string): Promise<string>;
}

/** The editor for one file at a time; each file keeps a state with its history. */
export class ConfigurationEditor {
  private readonly view: EditorView;
  private readonly extensions: Extension;

  /** Puts the editor into a shadow root: its styles there need no exception from the page's policy. */
  constructor(
    host: HTMLElement,
    private readonly hooks: EditorHooks,
  ) {
    const root = host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(editorStyle);
    root.adoptedStyleSheets = [style];
    this.extensions = this.createExtensions();
    this.view = new EditorView({ root, parent: root, state: this.createState("") });
  }

  createState(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions });
  }

  get state(): EditorState {
    return this.view.state;
  }

  /** Shows a file. */
  show(state: EditorState): void {
    this.view.setState(state);
  }

  /** Marks the findings of the file shown. */
  mark(findings: readonly PlaygroundFinding[]): void {
    const { length } = this.view.state.doc;
    const marked = findings.filter(({ hasMarker, to }) => hasMarker && to <= length);
    this.view.dispatch(setDiagnostics(this.view.state, marked.map(this.toDiagnostic)));
  }

  /** Selects a range, and moves the focus to it. */
  select(from: number, to: number): void {
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }

  change(edits: readonly { readonly from: number; readonly to: number; readonly insert: string }[]): void {
    this.view.dispatch({ changes: [...edits], userEvent: "input.fix" });
  }

  private readonly toDiagnostic = (finding: PlaygroundFinding): Diagnostic => {
    const { from, to, severity, message, hover, fix } = finding;
    return {
      ...{ from, to, severity, message },
      renderMessage: () => {
        const element = document.createElement("div");
        element.innerHTML = hover;
        return element;
      },
      actions: fix ? [{ name: `Fix: ${fix.title}`, apply: () => this.hooks.applyFix(fix) }] : [],
    };
  };

  private createExtensions(): Extension {
    return [
      [lineNumbers(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), highlightSpecialChars()],
      [history(), search({ top: true }), EditorView.lineWrapping, indentUnit.of("    "), EditorState.tabSize.of(4)],
      [tokenColors, hoverTooltip((view, position) => this.describeDirective(view, position))],
      // The Tab key is not bound: it moves the focus out of the editor.
      keymap.of([
        { key: "Escape", run: closeTooltips },
        { key: "Alt-Enter", run: () => this.applyFixAtCursor() },
        // The tab of findings takes the place of CodeMirror's list.
        { key: "F8", run: announceAfter(nextDiagnostic), shift: announceAfter(previousDiagnostic) },
        ...searchKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      EditorView.contentAttributes.of({
        "aria-label": "Contents",
        "aria-describedby": "editor-keys",
        autocapitalize: "off",
        tabindex: "0",
      }),
      EditorView.domEventHandlers({
        blur: ({ relatedTarget }, view) => {
          const isInside = relatedTarget instanceof Node && view.dom.contains(relatedTarget);
          if (!isInside) setTimeout(() => closeTooltips(view));
        },
      }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) this.hooks.onChange();
      }),
    ];
  }

  /** Applies the first fix of the findings at the cursor. */
  private applyFixAtCursor(): boolean {
    const [fix] = diagnosticsAtCursor(this.view).flatMap(({ actions = [] }) => actions);
    fix?.apply(this.view, 0, 0);
    return fix !== undefined;
  }

  /** Describes the directive at a position, unless a finding is there, whose tooltip is shown. */
  private async describeDirective(view: EditorView, position: number): Promise<Tooltip | null> {
    const line = view.state.doc.lineAt(position);
    const [, blanks = "", name = ""] = /^(\s*)(<?[A-Za-z][\w-]*)/.exec(line.text) ?? [];
    const start = line.from + blanks.length;
    if (name === "" || position < start || position > start + name.length) return null;
    if (diagnosticsBetween(view.state, start, start + name.length).length > 0) return null;
    const text = await this.hooks.describe(name);
    if (text === "") return null;
    const create = () => {
      const dom = document.createElement("div");
      dom.className = "hover directive";
      dom.innerHTML = text;
      return { dom };
    };
    return { pos: start, end: start + name.length, above: true, create };
  }
}

function closeTooltips(view: EditorView): boolean {
  if (!hasHoverTooltips(view.state)) return false;
  view.dispatch({ effects: closeHoverTooltips });
  return true;
}

function diagnosticsBetween(state: EditorState, from: number, to: number): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  forEachDiagnostic(state, (diagnostic, start, end) => {
    if (start <= to && end >= from) found.push(diagnostic);
  });
  return found;
}

/** Returns the findings in the lines of the selection. */
function diagnosticsAtCursor({ state }: EditorView): readonly Diagnostic[] {
  const { from, to } = state.selection.main;
  const exact = diagnosticsBetween(state, from, to);
  return exact.length > 0 ? exact : diagnosticsBetween(state, state.doc.lineAt(from).from, state.doc.lineAt(to).to);
}

/** Returns a command that moves to a finding, and reads it to users of a screen reader. */
function announceAfter(move: Command): Command {
  return (view) => {
    const isMoved = move(view);
    const messages = diagnosticsAtCursor(view).map(({ severity, message }) => `${severity}: ${message}`);
    if (isMoved) view.dispatch({ effects: EditorView.announce.of(messages.join("; ")) });
    return isMoved;
  };
}

/** Number of characters above the visible part that are searched for the start of a continued line. */
const REACH = 5000;

/** Colors the visible lines, as the pages of reports do. */
const tokenColors = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colorTokens(view);
    }

    update({ view, docChanged, viewportChanged }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = colorTokens(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function colorTokens({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let colored = -1;
  for (const { from, to } of visibleRanges) {
    let line = doc.lineAt(Math.max(from, colored + 1 > doc.length ? doc.length : colored + 1));
    const above = doc.sliceString(Math.max(0, line.from - REACH), line.from);
    let start = lineStartAt(above, above.length);
    // A long line may be in several visible ranges.
    while (line.from <= to && line.to > colored) {
      const { tokens, next } = tokenizeLine(line.text, start);
      for (const token of tokens)
        builder.add(line.from + token.start, line.from + token.end, Decoration.mark({ class: `hl-${token.kind}` }));
      colored = line.to;
      start = next;
      if (line.number === doc.lines) break;
      line = doc.line(line.number + 1);
    }
  }
  return builder.finish();
}
