import { defineRule } from "../../src/lint/api/rule.js";
import { pathPatterns } from "./path-patterns.js";
import { neverMatchingSection } from "./sections.js";

export const neverMatchingPath = defineRule({
  id: "never-matching-path",
  title: "Path or section that never matches",
  group: "correctness",
  advice: "anywhere",
  severity: "warning",
  description:
    "A path or pattern of a line, or a section with a path, name, method or condition, that no request can match.",
  help: "httpd compares each path and pattern with one form of the request: the URL path, the path on the disk, a name, or the rest of a path in a directory. A text of another form never matches, and the line or section has no effect. Write the path, name or condition in the form that httpd compares.",
  tags: ["correctness"],
  variants: [pathPatterns, neverMatchingSection],
});
