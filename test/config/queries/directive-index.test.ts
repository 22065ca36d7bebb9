import { describe, expect, test } from "vitest";
import { indexDirectives } from "../../../src/config/queries/directive-index.js";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import { load, loadText } from "../../support/projects.js";

const contains = (word: string) => (text: string) => text.includes(word);

describe("the index of directives", () => {
  test.each([
    ["in a section", "<Directory /srv>\n  Options sought\n</Directory>"],
    ["in a continued line", "Options sou\\\nght"],
    ["in the value of a variable and further text", "Define part sou\nOptions ${part}ght"],
    ["in an expanded macro", "<Macro m $x>\nOptions sou$x\n</Macro>\nUse m ght"],
  ])("finds a word %s", (_, text) => {
    const project = loadText(text, { kind: "server" });
    const hasWord = contains("sought");
    expect([...iterateDirectives(project)].some((each) => hasWord(each.argumentText))).toBe(true);
    expect(indexDirectives(project).some(hasWord, (each) => hasWord(each.argumentText))).toBe(true);
  });

  test("does not find a word in a comment", () => {
    const hasWord = contains("sought");
    const index = indexDirectives(loadText("# sought\nOptions None\n"));
    expect(index.some(hasWord, (each) => hasWord(each.argumentText))).toBe(false);
  });

  test("reads no directive if no file has the word", () => {
    const index = indexDirectives(loadText("Options None\nTimeOut 5\n"));
    let reads = 0;
    const counting = () => {
      reads++;
      return true;
    };
    expect(index.some(contains("sought"), counting)).toBe(false);
    expect(reads).toBe(0);
  });

  test("finds a directive name in sections and `.htaccess` files", () => {
    const project = load(
      {
        "/etc/httpd/httpd.conf":
          "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\nAuthType Basic\n</Directory>\n",
        "/srv/.htaccess": "AuthType Digest\n",
      },
      { kind: "server" },
    );
    const index = indexDirectives(project);
    expect(index.named("authtype").map(({ argumentText }) => argumentText)).toEqual(["Basic", "Digest"]);
    expect(index.hasAny(new Set(["<directory"]))).toBe(true);
    expect(index.hasAny(new Set(["<location"]))).toBe(false);
  });
});
