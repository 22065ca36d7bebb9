import type { Html } from "../report/html/html.js";

/** The parts of a page by their ids: a page without one is not ours. */
export function getElement<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`);
  return element;
}

/** All parts of a kind inside another. */
export function getElementsIn<Kind extends Element>(
  inside: ParentNode,
  selector: string,
  kind: new () => Kind,
): Kind[] {
  return [...inside.querySelectorAll(selector)].filter((element): element is Kind => element instanceof kind);
}

/** Puts a piece in place of what an element holds. */
export function replaceContent(element: HTMLElement, piece: Html): void {
  element.innerHTML = piece.toString();
}

/** Opens what a link on the page leads to, where that is folded. */
export function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target === null) return;
  for (let around = target.closest("details"); around; around = around.parentElement?.closest("details") ?? null)
    around.open = true;
  target.scrollIntoView();
}
