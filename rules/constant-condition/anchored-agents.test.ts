import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const rule = onlyVariant(constantCondition, "anchored-agents");
const check = (text: string) =>
  findingsOf([rule], `${text}\n`, { kind: "htaccess" }).map(({ message, help }) => [message, help?.[0]]);
const deny = "\nRewriteRule ^ - [F]";

describe("reports", () => {
  test.each([
    ['SetEnvIfNoCase User-Agent "^(AhrefsBot|SemrushBot|MJ12bot)" bad', "^(AhrefsBot|SemrushBot|MJ12bot)", "AhrefsBot"],
    ["SetEnvIf User-Agent ^SemrushBot bad", "^SemrushBot", "SemrushBot"],
    [`RewriteCond %{HTTP_USER_AGENT} ^(curl|SemrushBot) [NC]${deny}`, "^(curl|SemrushBot)", "SemrushBot"],
    [`RewriteCond %{HTTP_USER_AGENT} (^ahrefsbot|^mj12bot) [NC,OR]${deny}`, "(^ahrefsbot|^mj12bot)", "AhrefsBot"],
    [`RewriteCond %{HTTP:User-Agent} !^bingbot${deny}`, "^bingbot", "bingbot"],
    ['BrowserMatch "^bingbot" bot', "^bingbot", "bingbot"],
    ["BrowserMatchNoCase ^gptbot bot", "^gptbot", "GPTBot"],
    [`RewriteCond %{HTTP_USER_AGENT} ^(iPhone|Android) [NC]${deny}`, "^(iPhone|Android)", "iPhone"],
    ['<If "%{HTTP_USER_AGENT} =~ /^PetalBot/">\nRequire all denied\n</If>', "^PetalBot", "PetalBot"],
  ])("%s", (line, pattern, name) => {
    expect(check(line)).toEqual([
      [`\`${pattern}\` never matches the \`User-Agent\` of ${name}`, "delete `^`: the name is not at the start"],
    ]);
  });

  test("with a fix", () => {
    const text = 'BrowserMatch "^(bingbot|YandexBot)" bot\n';
    const [finding] = lintText([rule], text, { kind: "htaccess" });
    expect(applyEdits(text, finding?.fix?.edits ?? [])).toBe('BrowserMatch "(bingbot|YandexBot)" bot\n');
  });
});

describe("does not report", () => {
  test.each([
    'SetEnvIfNoCase User-Agent "(AhrefsBot|SemrushBot)" bad',
    'SetEnvIfNoCase User-Agent "^.*(AhrefsBot|SemrushBot)" bad',
    'SetEnvIfNoCase User-Agent "^Mozilla/5\\.0 \\(compatible; AhrefsBot" bad',
    "SetEnvIf Referer ^AhrefsBot bad",
    `RewriteCond %{HTTP_USER_AGENT} ^curl [NC]${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^(Wget|python-requests|CCBot|facebookexternalhit|Twitterbot)${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^Googlebot${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^$${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^(?!Mozilla)${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^ahrefsbot${deny}`,
    `RewriteCond %{HTTP_USER_AGENT} ^AhrefsBot$|AhrefsBot/${deny}`,
    `RewriteCond %{HTTP_REFERER} ^AhrefsBot${deny}`,
    "RewriteRule ^bingbot/ - [F]",
    `<If "%{HTTP_USER_AGENT} =~ /^Mozilla/ && %{HTTP_REFERER} =~ /^bingbot/">\nRequire all denied\n</If>`,
  ])("%s", (line) => {
    expect(check(line)).toEqual([]);
  });
});
