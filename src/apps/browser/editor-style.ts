import { codeStyle } from "../../report/html/code.js";

/** The underline of a finding. CodeMirror's own are images, which the page's policy forbids. */
const underline = (severity: string) =>
  `.cm-editor .cm-lintRange-${severity} { background-image: none; text-decoration: underline wavy var(--${severity}) 1.5px; text-underline-offset: .2em; text-decoration-skip-ink: none; }
.cm-editor .cm-lintPoint-${severity}::after { border-bottom-color: var(--${severity}); }
.cm-editor .cm-diagnostic-${severity} { border-left: .3rem solid var(--${severity}); }`;

/** The text of the sign of a finding in the gutter. */
const sign = (severity: string, text: string) =>
  `.cm-editor .cm-lint-marker-${severity} { content: none; color: var(--${severity}); }
.cm-editor .cm-lint-marker-${severity}::after { content: "${text}"; content: "${text}" / ""; font-weight: 700; }`;

/** The style of the editor in its shadow root, with the variables of the page. */
export const editorStyle = `
:host { display: block; }
.cm-editor { height: 100%; background: var(--card); color: var(--ink); font-size: .9rem; border-radius: .5rem; }
.cm-editor.cm-focused { outline: 3px solid var(--accent); outline-offset: 2px; }
.cm-editor .cm-scroller { font-family: var(--mono); line-height: 1.55; font-variant-ligatures: none; border-radius: inherit; }
.cm-editor .cm-content { caret-color: var(--ink); padding: .5rem 0; }
.cm-editor .cm-gutters { background: var(--code); color: var(--quiet); border: 0; border-right: 1px solid var(--line); }
.cm-editor .cm-activeLine { background: color-mix(in srgb, var(--accent) 7%, transparent); }
.cm-editor .cm-activeLineGutter { background: transparent; color: var(--ink); font-weight: 700; }
.cm-editor .cm-gutter-lint { width: 1.3em; }
.cm-editor .cm-gutter-lint .cm-gutterElement { padding: 0; text-align: center; }
.cm-editor .cm-lint-marker { width: auto; height: auto; cursor: pointer; }
.cm-editor .cm-lintRange { padding-bottom: 0; }
.cm-editor .cm-lintRange-active { background-color: var(--mark); }
.cm-editor .cm-specialChar { color: var(--error); }
.cm-editor .cm-searchMatch { background: var(--mark); outline: 1px solid var(--quiet); }
.cm-editor .cm-searchMatch-selected { outline: 2px solid var(--accent); }
.cm-editor .cm-panels { background: var(--code); color: var(--ink); border-color: var(--line); }
.cm-editor .cm-panels button, .cm-editor .cm-panels input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .3rem; padding: .2rem .5rem; }
.cm-editor .cm-tooltip { background: var(--card); color: var(--ink); border: 1px solid var(--quiet); border-radius: .5rem; overflow: auto; max-width: min(34rem, 92vw); max-height: 60vh; }
.cm-editor .cm-diagnostic { padding: .5rem .8rem; white-space: normal; }
.cm-editor .cm-diagnosticAction { font: inherit; font-weight: 600; background: var(--accent); color: var(--page); border-radius: .4rem; padding: .3rem .7rem; margin: .3rem 0 0; }
.hover { font: .92rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
.hover p, .hover ul, .hover pre { margin: .3rem 0; }
.hover ul { padding-left: 1.2rem; }
.hover code { font-family: var(--mono); background: var(--code); border-radius: .25rem; padding: .05em .25em; }
.hover.directive { padding: .4rem .8rem; }
.hover .badge { font-weight: 650; }
.badge.error { color: var(--error); } .badge.warning { color: var(--warning); } .badge.info { color: var(--info); }
${codeStyle}
${["error", "warning", "info"].map(underline).join("\n")}
${sign("error", "✕")}
${sign("warning", "▲")}
${sign("info", "i")}
@media (max-width: 30rem) { .cm-editor { font-size: 1rem; } }
`;
