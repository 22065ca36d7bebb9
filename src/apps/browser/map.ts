import { getElement, getElementsIn, replaceContent } from "./elements.js";
import { createReleaseServers, type EmbeddedServer, type ReleaseServer, renderAnswers } from "./embedded-server.js";
import { readRequestForm } from "./request-form.js";

/** Evaluates requests entered on a map page, and filters its tree. */
function start(): void {
  const server: EmbeddedServer = JSON.parse(getElement("data", HTMLScriptElement).textContent ?? "");
  const form = getElement("ask", HTMLFormElement);
  // Reading a large configuration takes a while.
  let answering: readonly ReleaseServer[] | undefined;
  const ask = () => {
    answering ??= createReleaseServers(server);
    replaceContent(getElement("answer", HTMLElement), renderAnswers(readRequestForm(form), answering, server.base));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  form.hidden = false;
  for (const place of getElementsIn(document, "p.ask", HTMLElement)) {
    place.hidden = false;
    place.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      fillForm(form, target.dataset);
      ask();
      form.scrollIntoView();
      getElement("ask-url", HTMLInputElement).focus({ preventScroll: true });
    });
  }
  filterTree();
}

/** Fills the form with an example request for a scope, keeping the client. */
function fillForm(form: HTMLFormElement, values: DOMStringMap): void {
  for (const name of ["url", "method", "host", "port", "scheme", "serverIp"]) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = values[name] ?? "";
  }
}

/** Shows only differences and their ancestors, if selected. */
function filterTree(): void {
  const filter = document.getElementById("differing");
  if (!(filter instanceof HTMLInputElement)) return;
  const scopes = getElementsIn(document, "li.scope", HTMLElement);
  const update = () => {
    for (const scope of scopes) {
      const differs = scope.dataset["differs"] === "yes" || scope.querySelector('[data-differs="yes"]') !== null;
      scope.hidden = filter.checked && !differs;
    }
  };
  filter.addEventListener("input", update);
  getElement("tree-filter", HTMLElement).hidden = false;
  update();
}

start();
