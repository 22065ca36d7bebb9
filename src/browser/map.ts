import { answers, requestIn } from "./asking.js";
import { type Answering, answeringBy, type CarriedServer } from "./carried-server.js";
import { part, partsIn, show } from "./elements.js";

/** Answers the requests that the page of a map is asked, and filters its tree. */
function start(): void {
  const server: CarriedServer = JSON.parse(part("data", HTMLScriptElement).textContent ?? "");
  const form = part("ask", HTMLFormElement);
  // Reading the configuration takes a while where it is large.
  let answering: readonly Answering[] | undefined;
  const ask = () => {
    answering ??= answeringBy(server);
    show(part("answer", HTMLElement), answers(requestIn(form), answering, server.base));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  form.hidden = false;
  for (const place of partsIn(document, "p.ask", HTMLElement)) {
    place.hidden = false;
    place.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      fill(form, target.dataset);
      ask();
      form.scrollIntoView();
      part("ask-url", HTMLInputElement).focus({ preventScroll: true });
    });
  }
  filterTree();
}

/** Puts into the form how a scope is asked; who asks stays. */
function fill(form: HTMLFormElement, asked: DOMStringMap): void {
  for (const name of ["url", "method", "host", "port", "scheme", "serverIp"]) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = asked[name] ?? "";
  }
}

/** Shows only what differs, where that is asked for, and what it lies below. */
function filterTree(): void {
  const filter = document.getElementById("differing");
  if (!(filter instanceof HTMLInputElement)) return;
  const scopes = partsIn(document, "li.scope", HTMLElement);
  const update = () => {
    for (const scope of scopes) {
      const differs = scope.dataset["differs"] === "yes" || scope.querySelector('[data-differs="yes"]') !== null;
      scope.hidden = filter.checked && !differs;
    }
  };
  filter.addEventListener("input", update);
  part("tree-filter", HTMLElement).hidden = false;
  update();
}

start();
