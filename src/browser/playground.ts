import type { Release } from "../directives/directives.js";
import { type Html, html } from "../report/html/html.js";
import { maskFile } from "../report/secrets/redaction.js";
import { sourceFile, toReadable } from "../text/source.js";
import { getElement, getElementsIn, openTarget, replaceContent } from "./elements.js";
import { readRequestForm, renderAnswers } from "./request-form.js";
import {
  createDeciders,
  type PlaygroundConfiguration,
  renderAnswerAssumptions,
  renderCheck,
  renderComparedConfigurations,
  renderConfigurationMap,
  renderError,
  renderMigratedConfiguration,
} from "./workbench.js";

/** The initial contents of the playground: a 2.2 site that behaves differently under 2.4. */
const exampleConfiguration: PlaygroundConfiguration = {
  main: "/etc/httpd/httpd.conf",
  files: {
    "/etc/httpd/httpd.conf": `ServerRoot "/etc/httpd"
ServerName intranet.example.com
Listen 80
DocumentRoot "/srv/intranet"

# The whole site is for the office.
<Directory "/srv/intranet">
    AllowOverride AuthConfig Limit
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
</Directory>

# Press releases are public since the upgrade to 2.4.
<Directory "/srv/intranet/press">
    Require all granted
</Directory>

# The wiki requires a password.
<Location "/wiki">
    AuthType Basic
    AuthName "Wiki"
    AuthUserFile "/etc/httpd/users"
    Require valid-user
    Satisfy any
</Location>
`,
    "/srv/intranet/drafts/.htaccess": `Order allow,deny
Deny from all
`,
  },
};

interface TypedFile {
  name: string;
  text: string;
}

/** The editor for the configuration files. */
class Editor {
  private files: TypedFile[] = [];
  private main = 0;
  private current = 0;
  private readonly name = getElement("name", HTMLInputElement);
  private readonly text = getElement("text", HTMLTextAreaElement);
  private readonly isMain = getElement("main", HTMLInputElement);

  constructor(bench: PlaygroundConfiguration) {
    this.files = Object.entries(bench.files).map(([name, text]) => ({ name, text }));
    this.main = Math.max(0, Object.keys(bench.files).indexOf(bench.main));
    this.name.addEventListener("input", () => this.keep());
    this.text.addEventListener("input", () => this.keep());
    this.isMain.addEventListener("input", () => this.choose(this.current));
    getElement("add", HTMLButtonElement).addEventListener("click", () => this.add());
    getElement("remove", HTMLButtonElement).addEventListener("click", () => this.remove());
    this.go(this.main);
  }

  get bench(): PlaygroundConfiguration {
    const files = Object.fromEntries(this.files.map(({ name, text }) => [toAbsolutePath(name), text]));
    return { files, main: toAbsolutePath(this.files[this.main]?.name ?? "") };
  }

  /** Returns the configuration with other contents of the displayed file. */
  benchWith(text: string): PlaygroundConfiguration {
    const { files, main } = this.bench;
    return { files: { ...files, [toAbsolutePath(this.name.value)]: text }, main };
  }

  /** Makes a file the main one. */
  private choose(index: number): void {
    this.main = index;
    this.draw();
  }

  private keep(): void {
    this.files[this.current] = { name: this.name.value, text: this.text.value };
    this.draw();
  }

  private add(): void {
    this.files.push({ name: `/srv/www/site-${this.files.length + 1}/.htaccess`, text: "" });
    this.go(this.files.length - 1);
    this.name.select();
  }

  private remove(): void {
    if (this.files.length === 1) this.files = [{ name: "/etc/httpd/httpd.conf", text: "" }];
    else this.files.splice(this.current, 1);
    if (this.main > this.current || this.main >= this.files.length) this.main = Math.max(0, this.main - 1);
    this.go(Math.min(this.current, this.files.length - 1));
  }

  private go(index: number): void {
    this.current = index;
    this.name.value = this.files[index]?.name ?? "";
    this.text.value = this.files[index]?.text ?? "";
    this.draw();
  }

  private draw(): void {
    this.isMain.checked = this.main === this.current;
    const tabs = getElement("tabs", HTMLElement);
    const known = getElementsIn(tabs, "button", HTMLButtonElement);
    for (const surplus of known.slice(this.files.length)) surplus.remove();
    for (const [index, { name }] of this.files.entries()) {
      const tab = known[index] ?? tabs.appendChild(this.tab(index));
      tab.textContent = `${name}${index === this.main ? " (main)" : ""}`;
      tab.setAttribute("aria-pressed", String(index === this.current));
    }
  }

  private tab(index: number): HTMLButtonElement {
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

/** Returns the configuration in the page's link; undefined if there is none. */
function parseLink(): PlaygroundConfiguration | undefined {
  try {
    const { files, main }: Partial<PlaygroundConfiguration> = JSON.parse(
      decodeURIComponent(location.hash.replace(/^#try=/, "")),
    );
    const texts = Object.entries(files ?? {}).filter(([, text]) => typeof text === "string");
    return texts.length > 0 && typeof main === "string" ? { files: Object.fromEntries(texts), main } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a link that contains the configuration, without secrets. */
function createLink({ files, main }: PlaygroundConfiguration): string {
  const masked = Object.entries(files).map(([name, text]) => [name, toReadable(maskFile(sourceFile(name, text)))]);
  return `#try=${encodeURIComponent(JSON.stringify({ files: Object.fromEntries(masked), main }))}`;
}

/** Runs a task after the page has announced it. */
function runTask(place: string, task: () => Html): void {
  const working = getElement("working", HTMLElement);
  working.textContent = "Working …";
  setTimeout(() => {
    let piece: Html;
    try {
      piece = task();
    } catch (error) {
      piece = renderError(
        `internal error, please report it: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    replaceContent(getElement(place, HTMLElement), piece);
    working.textContent = place === "result" ? "Done." : "";
    if (place === "result") getElement("results", HTMLElement).scrollIntoView();
  }, 20);
}

/** Returns the target version and the version you upgrade from. */
function readChosenRelease(): { readonly release: Release; readonly from: Release | undefined } {
  const { value } = getElement("release", HTMLSelectElement);
  return { release: value === "2.2" ? "2.2" : "2.4", from: value === "from 2.2" ? "2.2" : undefined };
}

function start(): void {
  const editor = new Editor(parseLink() ?? exampleConfiguration);
  const side = getElement("side", HTMLSelectElement);
  const other = getElement("other", HTMLTextAreaElement);
  const tasks: Readonly<Record<string, () => Html>> = {
    check: () => renderCheck(editor.bench, readChosenRelease().release, readChosenRelease().from),
    map: () => renderConfigurationMap(editor.bench),
    compare: () =>
      renderComparedConfigurations(
        editor.bench,
        side.value === "text" ? editor.benchWith(other.value) : undefined,
        readChosenRelease().release,
      ),
    migrate: () => renderMigratedConfiguration(editor.bench, readChosenRelease().from ?? readChosenRelease().release),
  };
  for (const button of getElementsIn(document, "button[data-do]", HTMLButtonElement)) {
    const task = tasks[button.dataset["do"] ?? ""];
    if (task)
      button.addEventListener("click", () => {
        runTask("result", task);
        getElement("results", HTMLElement).focus();
      });
  }
  side.addEventListener("input", () => {
    getElement("other-place", HTMLElement).hidden = side.value !== "text";
    if (other.value === "") other.value = getElement("text", HTMLTextAreaElement).value;
  });
  const form = getElement("ask", HTMLFormElement);
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    runTask("answer", () => {
      const servers = createDeciders(editor.bench);
      if ("wrong" in servers) return servers.wrong;
      return html`${renderAnswerAssumptions(editor.bench)}${renderAnswers(readRequestForm(form), servers, undefined)}`;
    });
  });
  getElement("link", HTMLButtonElement).addEventListener("click", () => {
    history.replaceState(undefined, "", createLink(editor.bench));
    getElement("link-note", HTMLElement).textContent =
      "The address of this page now contains the files, with secrets masked.";
  });
  addEventListener("hashchange", openTarget);
  getElement("playground", HTMLElement).hidden = false;
}

start();
