import { getElement } from "./elements.js";
import { FileSet } from "./file-set.js";
import {
  type Numbered,
  type PlaygroundAnswer,
  type PlaygroundConfiguration,
  type PlaygroundData,
  type PlaygroundTask,
  type PlaygroundVersion,
  playgroundVersions,
} from "./messages.js";
import { ResultTabs } from "./result-tabs.js";
import { decodeLink, encodeLink, MAX_LINK, type SharedState } from "./share-link.js";
import { TaskQueue, type TaskWorker } from "./task-lane.js";

/** Starts a worker from the text in the page: the page fetches nothing. */
function startWorker(url: string): TaskWorker<PlaygroundTask, PlaygroundAnswer> {
  const worker = new Worker(url);
  return {
    send: (task) => worker.postMessage(task),
    receive: (onAnswer, onFailure) => {
      worker.addEventListener("message", ({ data }: MessageEvent<Numbered<PlaygroundAnswer>>) => onAnswer(data));
      worker.addEventListener("error", () => {
        onFailure({ kind: "failed", html: '<p class="card wrong error">The browser stopped the analysis.</p>' });
      });
    },
    terminate: () => worker.terminate(),
  };
}

/** The page: the files, their results, examples, and links. */
class Playground {
  private readonly files: FileSet;
  private readonly results: ResultTabs;
  private readonly tools: TaskQueue<PlaygroundTask, PlaygroundAnswer>;
  private readonly version = getElement("release", HTMLSelectElement);
  private readonly example = getElement("example", HTMLSelectElement);
  /** Whether the files are not those of an example. */
  private isEdited = false;
  /** The edited files that an example has replaced. */
  private own: SharedState | undefined;
  /** Descriptions by version and name. */
  private readonly descriptions = new Map<string, Promise<string>>();

  constructor(
    private readonly data: PlaygroundData,
    shared: SharedState | undefined,
  ) {
    const text = getElement("worker", HTMLScriptElement).textContent ?? "";
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.tools = new TaskQueue(() => startWorker(url));
    const first = shared ?? data.examples[0] ?? { configuration: emptyConfiguration, version: "2.4" };
    this.version.value = first.version;
    this.example.value = shared === undefined ? "0" : "";
    this.files = new FileSet(
      first.configuration,
      (name) => this.describe(name),
      () => this.onEdit(),
    );
    this.results = new ResultTabs(this.files, () => startWorker(url));
    this.version.addEventListener("input", () => this.update());
    this.example.addEventListener("input", () => this.chooseExample());
    getElement("link", HTMLButtonElement).addEventListener("click", () => this.createLink());
    addEventListener("hashchange", () => this.openLink());
    this.update();
  }

  private get chosenVersion(): PlaygroundVersion {
    return playgroundVersions.find((each) => each === this.version.value) ?? "2.4";
  }

  private onEdit(): void {
    this.isEdited = true;
    this.example.value = "";
    this.update();
  }

  private update(): void {
    this.results.update(this.chosenVersion);
  }

  /** @param example the value of the field for examples; empty for other files */
  private load(state: SharedState, example: string): void {
    this.version.value = state.version;
    this.results.startFrom(state.configuration);
    this.files.load(state.configuration);
    this.example.value = example;
  }

  /** Loads an example, or the edited files that an example has replaced. */
  private chooseExample(): void {
    const { value } = this.example;
    if (this.isEdited) this.own = { configuration: this.files.configuration, version: this.chosenVersion };
    const chosen = value === "" ? this.own : this.data.examples[Number(value)];
    if (chosen === undefined) return;
    this.load(chosen, value);
    this.isEdited = value === "";
  }

  private async openLink(): Promise<void> {
    const shared = await decodeLink(location.hash);
    if (shared !== undefined) this.load(shared, "");
  }

  /** Puts the files into the address of the page, with secrets masked. */
  private async createLink(): Promise<void> {
    const note = getElement("link-note", HTMLElement);
    const answer = await this.tools.request({ kind: "mask", configuration: this.files.configuration });
    if (answer.kind !== "masked") {
      note.textContent = "No link was created, because the secrets in the files could not be masked.";
      return;
    }
    const link = await encodeLink({ configuration: answer.configuration, version: this.chosenVersion });
    if (link === undefined) {
      note.textContent = `The files are too large for a link: it would have over ${MAX_LINK} characters.`;
      return;
    }
    history.replaceState(undefined, "", link);
    note.textContent = "The address of this page now contains the files, with secrets masked.";
  }

  private describe(name: string): Promise<string> {
    const version = this.chosenVersion;
    const key = `${version} ${name.toLowerCase()}`;
    const known = this.descriptions.get(key);
    if (known) return known;
    const description = this.tools
      .request({ kind: "describe", name, version })
      .then((answer) => (answer.kind === "page" ? answer.html : ""));
    this.descriptions.set(key, description);
    return description;
  }
}

const emptyConfiguration: PlaygroundConfiguration = {
  files: { "/etc/httpd/httpd.conf": "" },
  main: "/etc/httpd/httpd.conf",
};

async function start(): Promise<void> {
  const data: PlaygroundData = JSON.parse(getElement("data", HTMLScriptElement).textContent ?? "");
  const shared = await decodeLink(location.hash);
  getElement("playground", HTMLElement).hidden = false;
  new Playground(data, shared);
}

void start();
