/** The output formats of each command; the first is the default. */
export const outputFormats = {
  check: [
    ...(["text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "azure"] as const),
    ...(["html", "markdown", "comment", "junit", "checkstyle"] as const),
  ],
  explain: ["text", "json"],
  test: ["text", "json", "junit"],
  compare: ["text", "json", "html", "markdown"],
  map: ["text", "json", "html", "markdown"],
  audit: ["text", "json", "html"],
  upgrade: ["text", "json", "html", "markdown"],
  migrate: ["diff", "json", "html", "markdown"],
  rules: ["text", "markdown", "json"],
} as const;

/** A format of a command. Its renderers are a table with a row for each. */
export type OutputFormat<Command extends keyof typeof outputFormats> = (typeof outputFormats)[Command][number];

/** The renderers of a command, by format. */
export type Renderers<Command extends keyof typeof outputFormats, Renderer> = Readonly<
  Record<OutputFormat<Command>, Renderer>
>;
