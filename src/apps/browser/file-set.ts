import type { EditorState } from "@codemirror/state";
import { ConfigurationEditor, type EditorHooks } from "./editor.js";
import { getElement, getElementsIn } from "./elements.js";
import type { FileEdit, PlaygroundConfiguration, PlaygroundFinding, PlaygroundFix } from "./messages.js";

interface EditedFile {
  name: string;
  state: EditorState;
}

/** The files of the configuration: their names, which is the main one, and the editor for the chosen one. */
export class FileSet {
  private files: EditedFile[] = [];
  private main = 0;
  private current = 0;
  private findings: readonly PlaygroundFinding[] = [];
  /** Whether the findings belong to the current contents. */
  private areFindingsCurrent = false;
  private readonly name = getElement("name", HTMLInputElement);
  private readonly isMain = getElement("main", HTMLInputElement);
  private readonly editor: ConfigurationEditor;

  /** @param onChange called after a change of the contents, a name, or the main file */
  constructor(
    configuration: PlaygroundConfiguration,
    describe: EditorHooks["describe"],
    private readonly onChange: () => void,
  ) {
    this.editor = new ConfigurationEditor(getElement("editor", HTMLElement), {
      describe,
      onChange: () => this.reportChange(),
      applyFix: (fix) => this.applyFix(fix),
    });
    this.setUp(configuration);
    this.name.addEventListener("input", () => this.rename());
    this.isMain.addEventListener("input", () => this.chooseMain());
    getElement("add", HTMLButtonElement).addEventListener("click", () => this.add());
    getElement("remove", HTMLButtonElement).addEventListener("click", () => this.remove());
  }

  get configuration(): PlaygroundConfiguration {
    this.keep();
    const files = Object.fromEntries(
      this.files.map(({ name, state }) => [toAbsolutePath(name), state.doc.toString()] as const),
    );
    return { files, main: toAbsolutePath(this.files[this.main]?.name ?? "") };
  }

  /** Replaces all files. */
  load(configuration: PlaygroundConfiguration): void {
    this.setUp(configuration);
    this.reportChange();
  }

  /** Shows the markers of findings. */
  mark(findings: readonly PlaygroundFinding[]): void {
    this.findings = findings;
    this.areFindingsCurrent = true;
    this.markCurrent();
  }

  /** Shows a place, and moves the focus to it. */
  reveal(path: string, from: number, to: number): void {
    const index = this.indexOf(path);
    if (index < 0) return;
    if (index !== this.current) this.go(index);
    this.editor.select(from, to);
  }

  /** Applies the edits of a fix, unless the files have changed since its check. */
  applyFix({ edits }: PlaygroundFix): void {
    if (!this.areFindingsCurrent) return;
    this.applyEdits(edits);
    const [first] = edits;
    if (first) this.reveal(first.path, first.from, first.from + first.insert.length);
  }

  /** Replaces the contents of some files. */
  replaceTexts(texts: Readonly<Record<string, string>>): void {
    this.keep();
    this.applyEdits(
      this.files.flatMap(({ name, state }) => {
        const path = toAbsolutePath(name);
        const insert = texts[path];
        return insert === undefined ? [] : [{ path, from: 0, to: state.doc.length, insert }];
      }),
    );
  }

  private applyEdits(edits: readonly FileEdit[]): void {
    this.keep();
    for (const path of new Set(edits.map((edit) => edit.path))) {
      const own = edits.filter((edit) => edit.path === path);
      const index = this.indexOf(path);
      const file = this.files[index];
      if (file === undefined) continue;
      if (index === this.current) this.editor.change(own);
      else file.state = file.state.update({ changes: [...own] }).state;
    }
    this.reportChange();
  }

  private reportChange(): void {
    this.areFindingsCurrent = false;
    this.onChange();
  }

  private setUp({ files, main }: PlaygroundConfiguration): void {
    this.files = Object.entries(files).map(([name, text]) => ({ name, state: this.editor.createState(text) }));
    this.main = Math.max(0, Object.keys(files).indexOf(main));
    this.findings = [];
    this.show(this.main);
  }

  private indexOf(path: string): number {
    return this.files.findIndex(({ name }) => toAbsolutePath(name) === path);
  }

  /** Keeps the state of the file shown. */
  private keep(): void {
    const file = this.files[this.current];
    if (file) file.state = this.editor.state;
  }

  private rename(): void {
    const file = this.files[this.current];
    if (file) file.name = this.name.value;
    this.draw();
    this.reportChange();
  }

  private chooseMain(): void {
    this.main = this.current;
    this.draw();
    this.reportChange();
  }

  private add(): void {
    this.files.push({ name: `/srv/www/site-${this.files.length + 1}/.htaccess`, state: this.editor.createState("") });
    this.go(this.files.length - 1);
    this.name.select();
    this.reportChange();
  }

  private remove(): void {
    if (this.files.length === 1) this.files = [{ name: "/etc/httpd/httpd.conf", state: this.editor.createState("") }];
    else this.files.splice(this.current, 1);
    if (this.main > this.current || this.main >= this.files.length) this.main = Math.max(0, this.main - 1);
    this.show(Math.min(this.current, this.files.length - 1));
    this.reportChange();
  }

  private go(index: number): void {
    this.keep();
    this.show(index);
  }

  private show(index: number): void {
    const file = this.files[index];
    if (file === undefined) return;
    this.current = index;
    this.name.value = file.name;
    this.editor.show(file.state);
    this.markCurrent();
    this.draw();
  }

  private markCurrent(): void {
    const path = toAbsolutePath(this.files[this.current]?.name ?? "");
    this.editor.mark(this.findings.filter((finding) => finding.path === path));
  }

  private draw(): void {
    this.isMain.checked = this.main === this.current;
    // The main file is another one, not none.
    this.isMain.disabled = this.main === this.current;
    const tabs = getElement("tabs", HTMLElement);
    const known = getElementsIn(tabs, "button", HTMLButtonElement);
    for (const surplus of known.slice(this.files.length)) surplus.remove();
    for (const [index, { name }] of this.files.entries()) {
      const tab = known[index] ?? tabs.appendChild(this.createTab(index));
      tab.textContent = `${name}${index === this.main ? " (main)" : ""}`;
      tab.setAttribute("aria-pressed", String(index === this.current));
    }
  }

  private createTab(index: number): HTMLButtonElement {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.addEventListener("click", () => this.go(index));
    return tab;
  }
}

function toAbsolutePath(name: string): string {
  const path = name.trim();
  return path.startsWith("/") ? path : `/${path}`;
}
