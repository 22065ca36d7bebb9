import { Html } from "../../report/html/html.js";
import { pluralize } from "../../text/words.js";
import { getElement, getElementsIn, openTarget, replaceContent } from "./elements.js";
import type {
  FindingsAnswer,
  PageAnswer,
  PlaygroundAnswer,
  PlaygroundConfiguration,
  PlaygroundFinding,
  PlaygroundFix,
  PlaygroundTask,
  PlaygroundVersion,
  ResultTask,
} from "./messages.js";
import { readRequestForm } from "./request-form.js";
import { TaskLane, type TaskWorker } from "./task-lane.js";

const tabNames = ["findings", "explain", "map", "compare", "migrate"] as const;
type TabName = (typeof tabNames)[number];

/** The files, as far as the results read and change them. */
export interface ResultHooks {
  readonly configuration: PlaygroundConfiguration;
  mark(findings: readonly PlaygroundFinding[]): void;
  reveal(path: string, from: number, to: number): void;
  applyFix(fix: PlaygroundFix): void;
  replaceTexts(texts: Readonly<Record<string, string>>): void;
}

/** Time from the markers to the tab of findings: markers appear without its layout. */
const TAB_AFTER_MS = 16;
/** Time without a change after which a screen reader reads the state of the results. */
const ANNOUNCE_AFTER_MS = 1000;

/**
 * The tabs with results. After each change, all tabs are out of date: the selected one is computed again, and the others
 * when they are selected. Results that are out of date are hidden.
 */
export class ResultTabs {
  private selected: TabName = "findings";
  private version: PlaygroundVersion = "2.4";
  /** The files to compare with. */
  private earlier: PlaygroundConfiguration;
  /** Counts the changes of the files and the version. */
  private revision = 0;
  private readonly states = new Map<TabName, string>();
  private announcement: ReturnType<typeof setTimeout> | undefined;
  private readonly checks: TaskLane<PlaygroundTask, PlaygroundAnswer>;
  private readonly proofs: TaskLane<PlaygroundTask, PlaygroundAnswer>;
  private readonly pages: TaskLane<PlaygroundTask, PlaygroundAnswer>;
  private readonly form = getElement("ask", HTMLFormElement);
  private readonly side = getElement("side", HTMLSelectElement);

  constructor(
    private readonly files: ResultHooks,
    startWorker: () => TaskWorker<PlaygroundTask, PlaygroundAnswer>,
  ) {
    this.earlier = files.configuration;
    this.checks = new TaskLane(startWorker, { pause: 0, patience: 2000 }, (answer) => this.showFindings(answer));
    this.proofs = new TaskLane(startWorker, { pause: 300, patience: 500 }, (answer) => this.showFindings(answer));
    this.pages = new TaskLane(startWorker, { pause: 150, patience: 500 }, (answer) => this.showPage(answer));
    this.connectTabs();
    this.form.hidden = false;
    // A screen reader reads the state, not each answer while the user types.
    contentOf("explain").removeAttribute("role");
    this.form.addEventListener("input", () => this.refresh("explain"));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.side.addEventListener("input", () => this.compareWith(this.side.value));
    getElement("remember", HTMLButtonElement).addEventListener("click", () => this.remember());
  }

  /** Computes results again after a change of the files or the version. */
  update(version: PlaygroundVersion): void {
    this.version = version;
    this.revision++;
    for (const name of tabNames) this.setOutdated(name);
    this.proofs.cancel();
    this.checks.run({ kind: "check", configuration: this.files.configuration, version, isProved: false });
    this.computePage();
  }

  /** Takes other files as those to compare with; `update` follows. */
  startFrom(configuration: PlaygroundConfiguration): void {
    this.earlier = configuration;
    this.compareWith("release");
  }

  private remember(): void {
    this.earlier = this.files.configuration;
    this.compareWith("earlier");
  }

  /** @param side a value of the field for it */
  private compareWith(side: string): void {
    this.side.value = side;
    getElement("earlier-files", HTMLElement).hidden = side !== "earlier";
    this.refresh("compare");
  }

  private refresh(name: TabName): void {
    this.setOutdated(name);
    this.computePage();
  }

  /** Computes the selected tab if it is out of date; findings have lanes of their own. */
  private computePage(): void {
    this.pages.cancel();
    if (this.selected !== "findings" && !this.states.has(this.selected)) this.pages.run(this.createTask(this.selected));
    this.showState();
  }

  private createTask(kind: Exclude<TabName, "findings">): ResultTask {
    const common = { configuration: this.files.configuration, version: this.version };
    if (kind === "explain") return { ...common, kind, request: readRequestForm(this.form) };
    if (kind === "compare")
      return { ...common, kind, before: this.side.value === "earlier" ? this.earlier : undefined };
    return { ...common, kind };
  }

  private showFindings(answer: PlaygroundAnswer): void {
    if (answer.kind === "failed") {
      this.files.mark([]);
      this.setCurrent("findings", answer.html, "The files cannot be checked.");
    }
    if (answer.kind !== "findings") return;
    this.files.mark(answer.findings);
    const { revision } = this;
    setTimeout(() => {
      if (revision === this.revision) this.showFindingsTab(answer);
    }, TAB_AFTER_MS);
    if (!answer.needsProofs) return;
    const { configuration } = this.files;
    this.proofs.run({ kind: "check", configuration, version: this.version, isProved: true });
  }

  private showFindingsTab(answer: FindingsAnswer): void {
    const state = describeFindings(answer.findings);
    this.setCurrent("findings", answer.html, answer.needsProofs ? `${state} so far. Proofs are running …` : state);
    this.addButtons(answer);
  }

  /** Adds the buttons of the findings, which are in the order of their articles. */
  private addButtons({ findings }: FindingsAnswer): void {
    const articles = getElementsIn(contentOf("findings"), "article.finding", HTMLElement);
    for (const [index, article] of articles.entries()) {
      const finding = findings[index];
      if (finding === undefined) continue;
      const { path, line, from, to, hasMarker, fix } = finding;
      const buttons = document.createElement("p");
      buttons.className = "buttons";
      if (hasMarker) buttons.append(createButton(`Go to line ${line}`, () => this.files.reveal(path, from, to)));
      if (fix) buttons.append(createButton("Apply the fix", () => this.files.applyFix(fix)));
      if (buttons.childElementCount > 0) article.append(buttons);
    }
  }

  private showPage(answer: PlaygroundAnswer): void {
    const name = this.selected;
    if (answer.kind === "failed") this.setCurrent(name, answer.html, "The task failed.");
    if (answer.kind !== "page") return;
    this.setCurrent(name, answer.html, `${titleOf(name)}: up to date`);
    this.offerChanges(name, answer);
  }

  private offerChanges(name: TabName, { changed }: PageAnswer): void {
    if (changed === undefined || Object.keys(changed).length === 0) return;
    const buttons = document.createElement("p");
    buttons.className = "buttons";
    buttons.append(
      createButton("Apply to the files", () => {
        if (!this.states.has(name)) return;
        this.files.replaceTexts(changed);
        // The button disappears.
        tabOf(name).focus();
      }),
    );
    contentOf(name).prepend(buttons);
  }

  private setOutdated(name: TabName): void {
    this.states.delete(name);
    const content = contentOf(name);
    content.dataset["outdated"] = "";
    content.setAttribute("aria-busy", "true");
    content.inert = true;
  }

  /** Replaces the content of a tab; the same parts stay open. */
  private setCurrent(name: TabName, html: string, state: string): void {
    const content = contentOf(name);
    const open = new Set(listDetails(content).flatMap(({ open: isOpen, key }) => (isOpen ? [key] : [])));
    replaceContent(content, new Html(html));
    for (const { element, key } of listDetails(content)) if (open.has(key)) element.open = true;
    delete content.dataset["outdated"];
    content.removeAttribute("aria-busy");
    content.inert = false;
    this.states.set(name, state);
    this.showState();
  }

  private showState(): void {
    const state = this.states.get(this.selected);
    getElement("state", HTMLElement).textContent = state ?? "Updating …";
    clearTimeout(this.announcement);
    if (state === undefined) return;
    this.announcement = setTimeout(() => {
      getElement("announcement", HTMLElement).textContent = state;
    }, ANNOUNCE_AFTER_MS);
  }

  private connectTabs(): void {
    for (const [index, name] of tabNames.entries()) {
      const tab = tabOf(name);
      tab.addEventListener("click", () => this.select(name));
      tab.addEventListener("keydown", ({ key }) => {
        const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
        const target = key === "Home" ? 0 : key === "End" ? tabNames.length - 1 : index + step;
        const next = tabNames[(target + tabNames.length) % tabNames.length];
        if (next === undefined || next === name) return;
        this.select(next);
        tabOf(next).focus();
      });
      // A link within the results does not replace the configuration in the page's address.
      contentOf(name).addEventListener("click", (event) => {
        const link = event.target instanceof Element ? event.target.closest("a")?.getAttribute("href") : undefined;
        if (!link?.startsWith("#")) return;
        event.preventDefault();
        openTarget(link);
      });
    }
  }

  private select(selected: TabName): void {
    this.selected = selected;
    for (const name of tabNames) {
      const tab = tabOf(name);
      tab.setAttribute("aria-selected", String(name === selected));
      tab.tabIndex = name === selected ? 0 : -1;
      getElement(`panel-${name}`, HTMLElement).hidden = name !== selected;
    }
    this.computePage();
  }
}

const tabOf = (name: TabName) => getElement(`tab-${name}`, HTMLButtonElement);
const titleOf = (name: TabName) => tabOf(name).textContent ?? "";

/** Returns the part of a tab that an answer replaces. */
function contentOf(name: TabName): HTMLElement {
  return getElement(name === "explain" ? "answer" : `content-${name}`, HTMLElement);
}

function createButton(title: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = title;
  button.addEventListener("click", onClick);
  return button;
}

interface KeyedDetails {
  readonly element: HTMLDetailsElement;
  readonly open: boolean;
  readonly key: string;
}

/** Returns the parts that can be opened, each with a key that is the same in another answer. */
function listDetails(content: HTMLElement): readonly KeyedDetails[] {
  return getElementsIn(content, "details", HTMLDetailsElement).map((element) => ({
    element,
    open: element.open,
    key: element.querySelector("summary")?.textContent ?? "",
  }));
}

/** Counts findings by severity. */
function describeFindings(findings: readonly PlaygroundFinding[]): string {
  if (findings.length === 0) return "No findings";
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity === "info" ? severity : pluralize(severity, count)}`];
  });
  return counts.join(", ");
}
