import type { Semantics } from "../../src/server/model/answer.js";

/** A client: on the machine itself or elsewhere, with a password or without. */
export interface Client {
  readonly isLocal: boolean;
  readonly isUser: boolean;
}

/** A configuration in the upgrade guide, with its results. */
export interface GuideCase {
  readonly title: string;
  /** DOCROOT is the document root. */
  readonly lines: readonly string[];
  readonly path: string;
  /** The answers under each semantics, in the order of `clients`; `allowed` is any but 401, 403 and 500. */
  readonly answers: Readonly<Record<Semantics, readonly [string, string, string, string]>>;
}

export const clients: readonly Client[] = [
  { isLocal: true, isUser: false },
  { isLocal: true, isUser: true },
  { isLocal: false, isUser: false },
  { isLocal: false, isUser: true },
];

const status = (...lines: readonly string[]) => ['<Location "/server-status">', ...lines, "</Location>"];
const inRoot = (...lines: readonly string[]) => ['<Directory "/">', "AllowOverride None", ...lines, "</Directory>"];
const fromHere = ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1"];
const user = ["AuthType Basic", "AuthBasicProvider file", 'AuthName "secure"', "AuthUserFile users"];

type Answers = readonly [string, string, string, string];
const same = (answers: Answers) => ({ server: answers, guide: answers });
const all = (answer: string): Answers => [answer, answer, answer, answer];

/** The guide's two examples with both kinds of directives, and the second one below a granted document root. */
export const mixedCases: readonly GuideCase[] = [
  {
    title: "case A: mod_access_compat outside, Require inside",
    lines: [...inRoot("Order deny,allow", "Deny from all"), ...status("Require local")],
    path: "/server-status",
    answers: same(all("403 AH01797")),
  },
  {
    title: "case B: Require outside, mod_access_compat inside",
    lines: [...inRoot("Require all denied"), ...status(...fromHere)],
    path: "/server-status",
    answers: {
      server: ["403 AH01630", "403 AH01630", "403 AH01797", "403 AH01797"],
      guide: ["allowed", "allowed", "403 AH01797", "403 AH01797"],
    },
  },
  {
    title: "case B below a document root that grants access",
    lines: [
      ...inRoot("Require all denied"),
      '<Directory "DOCROOT">',
      "Require all granted",
      "</Directory>",
      ...status(...fromHere),
    ],
    path: "/server-status",
    answers: same(["allowed", "allowed", "403 AH01797", "403 AH01797"]),
  },
];

export interface Pair {
  readonly title: string;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Behaviour of the mod_access_compat form, if different from the guide. */
  readonly server?: Answers;
  readonly answers: Answers;
  /** Log messages of the Require form, if different. */
  readonly newAnswers?: Answers;
}

export const pairs: readonly Pair[] = [
  {
    title: "all denied",
    old: ["Order deny,allow", "Deny from all"],
    new: ["Require all denied"],
    answers: all("403 AH01797"),
    newAnswers: all("403 AH01630"),
  },
  {
    title: "all allowed",
    old: ["Order allow,deny", "Allow from all"],
    new: ["Require all granted"],
    answers: all("allowed"),
  },
  {
    title: "hosts of a domain",
    old: ["Order Deny,Allow", "Deny from all", "Allow from example.org"],
    new: ["Require host example.org"],
    answers: all("403 AH01797"),
    newAnswers: all("403 AH01630"),
  },
  {
    title: "authentication only",
    old: ["Order Deny,Allow", "Allow from all", ...user, "Require valid-user"],
    new: [...user, "Require valid-user"],
    answers: ["401", "allowed", "401", "allowed"],
  },
  {
    title: "both must pass",
    old: [
      ...["Order allow,deny", "Deny from all", "Satisfy ALL", "Allow from 127.0.0.1"],
      ...[...user, "Require valid-user"],
    ],
    new: [...user, "<RequireAll>", "Require valid-user", "Require ip 127.0.0.1", "</RequireAll>"],
    server: all("403 AH01797"),
    answers: ["401", "allowed", "403 AH01797", "403 AH01797"],
    newAnswers: ["401", "allowed", "403 AH01630", "403 AH01630"],
  },
  {
    title: "either suffices",
    old: [
      ...["Order allow,deny", "Deny from all", "Satisfy any", "Allow from 127.0.0.1"],
      ...[...user, "Require valid-user"],
    ],
    new: [...user, "Require valid-user", "Require ip 127.0.0.1"],
    server: ["401 AH01797", "allowed AH01797", "401 AH01797", "allowed AH01797"],
    answers: ["allowed", "allowed", "401 AH01797", "allowed AH01797"],
    newAnswers: ["allowed", "allowed", "401", "allowed"],
  },
];

const inSection = (lines: readonly string[]) => ['<Location "/x">', ...lines, "</Location>"];

/** The six equivalent pairs, each with mod_access_compat directives and with Require. */
export const equivalentCases: readonly GuideCase[] = pairs.flatMap(
  ({ title, old, new: words, server, answers, newAnswers }) => [
    {
      title: `${title}, with mod_access_compat`,
      lines: inSection(old),
      path: "/x",
      answers: { server: server ?? answers, guide: answers },
    },
    { title: `${title}, with Require`, lines: inSection(words), path: "/x", answers: same(newAnswers ?? answers) },
  ],
);
