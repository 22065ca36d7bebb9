import { inDirectory, section } from "../../support/rules.js";
import { pitfalls } from "../pitfalls.js";
import { eachUntold, type Fact, type Facts, toldBy } from "./fact.js";

/** The silent changes of access and the refusals at start, as fixtures beside this folder have them. */
const fixtures: readonly Fact[] = pitfalls.map(({ id, title, rules: [by = ""], bad, ...given }) => ({
  fact: `${id}: ${title}`,
  told: { by, example: bad, ...given },
}));

const asking = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/httpd/users"];

export const knownPitfalls: Facts = {
  title: "Pitfalls, each seen on running servers",
  facts: [
    ...fixtures,
    ...eachUntold("both servers answer alike", {
      "A12: a denied address is not asked for a password":
        "403 without a password in 2.2 with `Satisfy all` and in 2.4 with `<RequireAll>`",
      "A13: RequireAny does as Satisfy any, RequireAll asks again":
        "`compare` proves such pairs equal or shows the request",
    }),
    ...toldBy("changed-behaviour", {
      "D: a blank in the query string of a RewriteRule answers 403": "RewriteRule ^/(.*)$ /index.php?q=$1 [L]\n",
      "D: a header with an underscore in its name is no variable of scripts": "RequestHeader set X_User alice\n",
      "D: SSLEngine optional is off": section("VirtualHost *:443", "SSLEngine optional"),
    }),
    ...toldBy("modules-to-load", {
      "D: a balancer without mod_proxy_balancer answers 500":
        "LoadModule proxy_module modules/mod_proxy.so\n<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n",
    }),
    ...toldBy("removed-directive", {
      "C: the Authz…Authoritative directives fail inside guards, too": `<IfModule mod_authz_user.c>\n${inDirectory("AuthzUserAuthoritative Off")}</IfModule>\n`,
      "C: names are read in any case, and messages echo them": "rewritelog x\n",
      "C: SSIEnableAccess was in 2.2's manual alone": inDirectory("SSIEnableAccess On"),
      "C: AuthzDBDAuthoritative was in no 2.2": inDirectory("AuthzDBDAuthoritative Off"),
    }),
    ...toldBy("refused-at-start", {
      "C: Order is one word of two names": inDirectory("Order deny, allow"),
      "C: Allow takes from and at least a word": inDirectory("Allow from"),
    }),
    {
      fact: "C: Satisfy and Require need AuthConfig, Order needs Limit",
      told: {
        by: "override-missing",
        example: `DocumentRoot "/srv"\n${inDirectory("AllowOverride Limit", "Require all granted")}`,
        files: { "/srv/.htaccess": "Require all granted\n" },
      },
    },
    ...toldBy("misplaced-directive", {
      "C: out of its place a directive is named with its section": inDirectory("ServerName x"),
      "C: cache directives stand in no `.htaccess` file, whatever the manual says":
        '<Directory "/srv">\n<Limit GET>\nCacheEnable disk /\n</Limit>\n</Directory>\n',
    }),
    ...toldBy("limit-leaves-methods-open", {
      "C: Limit protects the methods that it names alone": `DocumentRoot "/srv"\n${inDirectory(
        ...asking,
        "<Limit GET POST>",
        "Require valid-user",
        "</Limit>",
      )}`,
    }),
    ...toldBy("undefined-variable", { "C: an undefined variable stays as it is written": "Timeout ${SECONDS}\n" }),
    ...toldBy("ignored-directive", { "C: NameVirtualHost and DefaultType warn": "NameVirtualHost *:80\n" }),
    ...eachUntold("both servers answer alike", {
      "C: mutual-failure needs an Allow and no Deny": "`explain` and `compare` decide by it for both releases",
      "C: SSIETag and SSILastModified need Limit": "the tables of both releases have it so",
    }),
    ...eachUntold("outside the configuration", {
      "C: httpd -L of 2.2 lists compiled-in modules alone": "it is how the tables were drawn",
      "C: messages begin with AH00526 in 2.4": "it is how the server words what the rules quote",
    }),
  ],
};
