import { describeRequireTree, formatLineTitle, type RequireNode } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { formatWordList } from "../../src/lint/api/rule.js";
import type { ShadowCause } from "./causes.js";

const MAX_NAMED = 3;
/** Maximum length of a header. */
const MAX_HEADER = 90;

const nameLines = (lines: readonly Directive[]) => {
  const named = lines.slice(0, lines.length > MAX_NAMED ? MAX_NAMED - 1 : MAX_NAMED).map(formatLineTitle);
  const more = lines.length > named.length ? [`${lines.length - named.length} more`] : [];
  return formatWordList([...named, ...more]);
};

/** Names the lines of a cause: the only one, or what they have in common. */
const nameAll = ({ lines: [first, ...others] }: ShadowCause, plural: string) =>
  first && others.length === 0 ? formatLineTitle(first) : plural;

/** Returns the first header that is not too long. */
const firstFitting = (...headers: readonly string[]) =>
  headers.find(({ length }) => length <= MAX_HEADER) ?? headers.at(-1) ?? "";

const has = ({ lines: { length } }: ShadowCause) => (length === 1 ? "has" : "have");
const noEffect = (cause: ShadowCause) => {
  const [first, ...others] = cause.lines;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${first ? formatLineTitle(first) : ""}${more} ${has(cause)} no effect`;
};

const them = ({ lines: { length } }: ShadowCause) => (length === 1 ? "it" : "them");
const matched = ({ lines: { length } }: ShadowCause) => (length === 1 ? "this line matches" : "these lines match");

const decides = ({ by }: ShadowCause) => nameLines(by);
const toAllowListed = (form: string) => `to allow only the listed clients, use ${form}`;
const overridesInherited = (form: string | undefined) =>
  form === undefined ? [] : ["a `Require` in this section overrides any inherited `Require`"];
const keepDenial = (line: string) => `to deny every client, keep only \`${line}\``;
const keepGrant = (line: string) => `to allow every client, keep only \`${line}\``;

export const messages = {
  /** @param form the Require directives for the listed clients, if there are any */
  nobody: (cause: ShadowCause, isForAll: boolean, form: string | undefined, orderHelps: boolean) => ({
    message: isForAll
      ? firstFitting(
          `no client is allowed: ${decides(cause)} overrides ${nameAll(cause, "each `Allow`")}`,
          `no client is allowed: ${decides(cause)} overrides each \`Allow\``,
        )
      : `${noEffect(cause)}: ${decides(cause)} overrides ${them(cause)}`,
    notes: ["under this `Order`, a `Deny` overrides each `Allow`", ...overridesInherited(form)],
    help: [
      ...(form === undefined ? [] : [toAllowListed(form)]),
      orderHelps
        ? "to keep mod_access_compat, use `Order deny,allow`"
        : `to keep mod_access_compat, delete ${decides(cause)}: other clients are denied without it`,
      keepDenial("Deny from all"),
    ],
  }),
  everybody: (cause: ShadowCause, form: string | undefined) => ({
    message: firstFitting(
      `${nameAll(cause, "the list of clients")} restricts nothing: ${decides(cause)} allows every client`,
      `${decides(cause)} allows every client, listed or not`,
    ),
    notes: overridesInherited(form),
    help: [...(form === undefined ? [] : [toAllowListed(form)]), keepGrant("Allow from all")],
  }),
  unbanned: (cause: ShadowCause, form: string | undefined) => ({
    message: firstFitting(
      `${nameAll(cause, "the list of denied clients")} denies nobody: ${decides(cause)} overrides it`,
      `the \`Deny\` denies nobody: ${decides(cause)} overrides it`,
    ),
    notes: ["under `Order deny,allow`, an `Allow` overrides each `Deny`", ...overridesInherited(form)],
    help: [
      ...(form === undefined ? [] : [`to deny the listed clients, use ${form}`]),
      "to keep mod_access_compat, use `Order allow,deny`",
    ],
  }),
  opposite: (cause: ShadowCause) => ({
    message: `${noEffect(cause)}: ${decides(cause)} always decides`,
    notes: ["the two lines state the opposite"],
    help: [keepDenial("Deny from all"), keepGrant("Allow from all")],
  }),
  /** @param order the line that sets the Order; undefined if the default applies */
  unrestricted: ({ first }: ShadowCause, order: Directive | undefined, form: string | undefined) => ({
    message: `${formatLineTitle(first)} restricts nothing: the section has no \`Deny\``,
    notes: [
      `${order ? "" : "the default, "}\`Order deny,allow\`${order ? "" : ","} allows clients that no line matches`,
      ...overridesInherited(form),
    ],
    help: [
      form === undefined
        ? "to allow only the listed clients, use `Order allow,deny`"
        : `to allow only the listed clients, use ${form}, or \`Order allow,deny\``,
    ],
  }),
  allDenied: ({ first }: ShadowCause, order: Directive) => ({
    message: `${formatLineTitle(first)} has no effect: the section has no \`Allow\``,
    notes: [`${formatLineTitle(order)} denies clients that no line matches`],
    help: ["to deny only the listed clients, add `Allow from all`"],
  }),
  deniedAlready: (cause: ShadowCause) => ({
    message: `${noEffect(cause)}: these clients are denied without ${them(cause)}`,
    help: ["keep it if a line that allows more clients may be added later"],
  }),
  requireNobody: (cause: ShadowCause, isForAll: boolean, form: RequireNode | undefined) => ({
    message: isForAll
      ? firstFitting(
          `no client is allowed: ${decides(cause)} overrides ${nameAll(cause, "the other lines")}`,
          `no client is allowed: ${decides(cause)} overrides the other lines`,
        )
      : `${noEffect(cause)}: ${decides(cause)} overrides ${them(cause)}`,
    notes: ["in `<RequireAll>`, every line must match"],
    help: [
      ...(form === undefined
        ? ["to allow the listed clients, move them to `<RequireAny>`, without `Require all denied`"]
        : [toAllowListed(describeRequireTree({ form, limits: [] }))]),
      keepDenial("Require all denied"),
    ],
  }),
  contradiction: (container: Directive, members: readonly Directive[]) => ({
    message: `${formatLineTitle(container)} allows no client`,
    notes: [`no client meets ${nameLines(members)} at the same time`],
    help: ["to allow clients that meet one of the lines, use `<RequireAny>`"],
  }),
  requireEverybody: (cause: ShadowCause) => ({
    message: firstFitting(
      `${decides(cause)} allows every client: ${nameAll(cause, "each other line")} has no effect`,
      `${decides(cause)} allows every client, whatever other lines list`,
    ),
    help: [`to allow only the listed clients, delete ${decides(cause)}`, keepGrant("Require all granted")],
    addsLines: true as const,
  }),
  anyUser: (cause: ShadowCause) => ({
    message: `${noEffect(cause)}: ${decides(cause)} allows every user`,
    help: [
      `to allow only the named users, delete ${decides(cause)}`,
      `to allow every user, delete ${nameLines(cause.lines)}`,
    ],
    addsLines: true as const,
  }),
  repeated: (cause: ShadowCause) => ({
    message: `${noEffect(cause)}: the section already has ${cause.lines.length === 1 ? "this line" : "these lines"}`,
    help: [`delete ${them(cause)}`],
  }),
  included: (cause: ShadowCause) => ({
    message: `${noEffect(cause)}: ${cause.by.length === 1 ? decides(cause) : "other lines"} always ${cause.by.length === 1 ? "decides" : "decide"}`,
    ...(cause.by.length === 1 ? {} : { notes: [`${decides(cause)} decide every request that ${matched(cause)}`] }),
    help: [
      cause.by.length === 1
        ? `delete ${them(cause)} if ${decides(cause)} is correct, or else correct that line`
        : `delete ${them(cause)} if the other lines are correct, or else correct those`,
    ],
  }),
  withoutEffect: (cause: ShadowCause) => ({
    message: `${noEffect(cause)} on access`,
    notes: ["the section makes the same decisions without it"],
    help: ["delete it, or correct the other lines of the section"],
  }),
};

export const labels = { decides: "decides instead", alike: "same here", contradicts: "must hold as well" };

export const fixTitles = {
  delete: (count: number) => (count === 1 ? "Delete this line" : "Delete these lines"),
  setOrder: (from: Directive, ordering: string) => `Replace ${formatLineTitle(from)} with \`Order ${ordering}\``,
  addOrder: (ordering: string) => `Add \`Order ${ordering}\``,
  denial: (lines: readonly Directive[]) => `Delete ${nameLines(lines)}`,
  any: "Replace with `<RequireAny>`, without `Require all denied`",
};
