import type { Release } from "../directives/directives.js";
import { type Html, html } from "../report/html/html.js";
import { maskedText } from "../report/masked.js";
import { sourceFile, toReadable } from "../text/source.js";
import { answers, requestIn } from "./asking.js";
import { openTarget, part, partsIn, show } from "./elements.js";
import { example } from "./example.js";
import { answering, answersAssume, type Bench, checked, compared, mapped, migrated, wrong } from "./workbench.js";

interface TypedFile {
  name: string;
  text: string;
}

/** What is typed in. */
class Editor {
  private files: TypedFile[] = [];
  private main = 0;
  private current = 0;
  private readonly name = part("name", HTMLInputElement);
  private readonly text = part("text", HTMLTextAreaElement);
  private readonly isMain = part("main", HTMLInputElement);

  constructor(bench: Bench) {
    this.files = Object.entries(bench.files).map(([name, text]) => ({ name, text }));
    this.main = Math.max(0, Object.keys(bench.files).indexOf(bench.main));
    this.name.addEventListener("input", () => this.keep());
    this.text.addEventListener("input", () => this.keep());
    this.isMain.addEventListener("input", () => this.choose(this.current));
    part("add", HTMLButtonElement).addEventListener("click", () => this.add());
    part("remove", HTMLButtonElement).addEventListener("click", () => this.remove());
    this.go(this.main);
  }

  get bench(): Bench {
    const files = Object.fromEntries(this.files.map(({ name, text }) => [absolute(name), text]));
    return { files, main: absolute(this.files[this.main]?.name ?? "") };
  }

  /** The same with another text of the file that is shown. */
  benchWith(text: string): Bench {
    const { files, main } = this.bench;
    return { files: { ...files, [absolute(this.name.value)]: text }, main };
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
    const tabs = part("tabs", HTMLElement);
    const known = partsIn(tabs, "button", HTMLButtonElement);
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

function absolute(name: string): string {
  const path = name.trim();
  return path.startsWith("/") ? path : `/${path}`;
}

/** What the link to this page says; undefined where it says nothing. */
function linked(): Bench | undefined {
  try {
    const { files, main }: Partial<Bench> = JSON.parse(decodeURIComponent(location.hash.replace(/^#try=/, "")));
    const texts = Object.entries(files ?? {}).filter(([, text]) => typeof text === "string");
    return texts.length > 0 && typeof main === "string" ? { files: Object.fromEntries(texts), main } : undefined;
  } catch {
    return undefined;
  }
}

/** A link that holds what is typed in, without the secrets. */
function linkTo({ files, main }: Bench): string {
  const masked = Object.entries(files).map(([name, text]) => [name, toReadable(maskedText(sourceFile(name, text)))]);
  return `#try=${encodeURIComponent(JSON.stringify({ files: Object.fromEntries(masked), main }))}`;
}

/** Works something out, once the page has said so. */
function work(place: string, task: () => Html): void {
  const working = part("working", HTMLElement);
  working.textContent = "Working …";
  setTimeout(() => {
    let piece: Html;
    try {
      piece = task();
    } catch (error) {
      piece = wrong(`internal failure, please report it: ${error instanceof Error ? error.message : String(error)}`);
    }
    show(part(place, HTMLElement), piece);
    working.textContent = place === "result" ? "Done." : "";
    if (place === "result") part("results", HTMLElement).scrollIntoView();
  }, 20);
}

/** The release that reads, and the one that the configuration comes from. */
function chosenRelease(): { readonly release: Release; readonly from: Release | undefined } {
  const { value } = part("release", HTMLSelectElement);
  return { release: value === "2.2" ? "2.2" : "2.4", from: value === "from 2.2" ? "2.2" : undefined };
}

function start(): void {
  const editor = new Editor(linked() ?? example);
  const side = part("side", HTMLSelectElement);
  const other = part("other", HTMLTextAreaElement);
  const tasks: Readonly<Record<string, () => Html>> = {
    check: () => checked(editor.bench, chosenRelease().release, chosenRelease().from),
    map: () => mapped(editor.bench),
    compare: () =>
      compared(
        editor.bench,
        side.value === "text" ? editor.benchWith(other.value) : undefined,
        chosenRelease().release,
      ),
    migrate: () => migrated(editor.bench, chosenRelease().from ?? chosenRelease().release),
  };
  for (const button of partsIn(document, "button[data-do]", HTMLButtonElement)) {
    const task = tasks[button.dataset["do"] ?? ""];
    if (task)
      button.addEventListener("click", () => {
        work("result", task);
        part("results", HTMLElement).focus();
      });
  }
  side.addEventListener("input", () => {
    part("other-place", HTMLElement).hidden = side.value !== "text";
    if (other.value === "") other.value = part("text", HTMLTextAreaElement).value;
  });
  const form = part("ask", HTMLFormElement);
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    work("answer", () => {
      const servers = answering(editor.bench);
      if ("wrong" in servers) return servers.wrong;
      return html`${answersAssume(editor.bench)}${answers(requestIn(form), servers, undefined)}`;
    });
  });
  part("link", HTMLButtonElement).addEventListener("click", () => {
    history.replaceState(undefined, "", linkTo(editor.bench));
    part("link-note", HTMLElement).textContent =
      "The address of this page holds the files now, with their secrets masked.";
  });
  addEventListener("hashchange", openTarget);
  part("playground", HTMLElement).hidden = false;
}

start();
