import { getElement, getElementsIn, openTarget } from "./elements.js";

/** Filters the findings of a page by severity, rule, file and text. */
function start(): void {
  addEventListener("hashchange", () => openTarget());
  openTarget();
  const form = document.getElementById("filters");
  if (!(form instanceof HTMLFormElement)) return;
  const findings = getElementsIn(document, "article.finding", HTMLElement).map((element) => ({
    element,
    text: (element.textContent ?? "").toLowerCase(),
  }));
  const sections = getElementsIn(document, "section.file", HTMLElement);
  const filter = () => {
    const isWanted = createFindingMatcher(form);
    let count = 0;
    for (const { element, text } of findings) {
      element.hidden = !isWanted(element.dataset, text);
      if (!element.hidden) count++;
    }
    for (const section of sections)
      section.hidden = getElementsIn(section, "article.finding", HTMLElement).every(({ hidden }) => hidden);
    const all = findings.length;
    getElement("shown", HTMLOutputElement).value =
      count === all ? `All ${all} findings are shown` : `${count} of ${all} findings are shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  // The browser restores the form when the user returns to the page.
  filter();
}

/** Returns the filter that the form selects. */
function createFindingMatcher(form: HTMLFormElement): (facts: DOMStringMap, text: string) => boolean {
  const severities = new Set(new FormData(form).getAll("severity"));
  const rule = getElement("rule", HTMLSelectElement).value;
  const file = getElement("file", HTMLSelectElement).value;
  const query = getElement("text", HTMLInputElement).value.toLowerCase().trim();
  return (facts, text) =>
    severities.has(facts["severity"] ?? "") &&
    (rule === "" || facts["rule"] === rule) &&
    (file === "" || facts["file"] === file) &&
    text.includes(query);
}

start();
