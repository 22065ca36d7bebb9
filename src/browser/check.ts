import { openTarget, part, partsIn } from "./elements.js";

/** Filters the findings of a page by severity, rule, file and text. */
function start(): void {
  addEventListener("hashchange", openTarget);
  openTarget();
  const form = document.getElementById("filters");
  if (!(form instanceof HTMLFormElement)) return;
  const findings = partsIn(document, "article.finding", HTMLElement).map((element) => ({
    element,
    text: (element.textContent ?? "").toLowerCase(),
  }));
  const sections = partsIn(document, "section.file", HTMLElement);
  const filter = () => {
    const isWanted = wanted(form);
    let count = 0;
    for (const { element, text } of findings) {
      element.hidden = !isWanted(element.dataset, text);
      if (!element.hidden) count++;
    }
    for (const section of sections)
      section.hidden = partsIn(section, "article.finding", HTMLElement).every(({ hidden }) => hidden);
    const all = findings.length;
    part("shown", HTMLOutputElement).value = count === all ? `all ${all} are shown` : `${count} of ${all} are shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  // Going back to the page brings back what was chosen.
  filter();
}

/** Which findings the form asks for. */
function wanted(form: HTMLFormElement): (facts: DOMStringMap, text: string) => boolean {
  const severities = new Set(new FormData(form).getAll("severity"));
  const rule = part("rule", HTMLSelectElement).value;
  const file = part("file", HTMLSelectElement).value;
  const asked = part("text", HTMLInputElement).value.toLowerCase().trim();
  return (facts, text) =>
    severities.has(facts["severity"] ?? "") &&
    (rule === "" || facts["rule"] === rule) &&
    (file === "" || facts["file"] === file) &&
    text.includes(asked);
}

start();
