import { memoizeByText } from "../text/memoize.js";
import { isBefore, isOfDistribution, isSince, type Release, type ReleaseLine } from "./release.js";

/** What httpd does in some versions of 2.4 and not in others, and maybe in the last ones of 2.2. */
export interface VersionBehaviour {
  /** The first version that does it. */
  readonly since: `${ReleaseLine}.${number}`;
  /** The first version of 2.2 that does it too. */
  readonly sinceOld?: `${ReleaseLine}.${number}`;
  /** The first later version that does not; undefined if the newest one does. */
  readonly until?: `${ReleaseLine}.${number}`;
  /** What httpd does, as the words after its name. */
  readonly does: string;
  /** The function of httpd, its entry in CHANGES, or the number of the message. */
  readonly source: string;
  /** The vulnerabilities that the change belongs to. Distributions often add such a change to an older version. */
  readonly fixes?: readonly string[];
  /** The requests that get another answer, if proofs about all requests leave them out: paths in them are normalized. */
  readonly requests?: string;
}

/**
 * The behaviours, each checked in the source of the version before and of that with it. What differs between 2.2 and all
 * versions of 2.4 is not here; nor are directives, words and modules, which `versions.ts` has.
 */
const table = {
  "same-query-unescaped": {
    since: "2.4.19",
    does: "leaves the query as sent if the rules of a server redirect without changing it",
    source: "mod_rewrite.c `hook_uri2file`, `oargs`; rules of sections did so before",
  },
  "handler-expressions": {
    since: "2.4.19",
    does: "evaluates the argument of `SetHandler` as an expression",
    source: "server/core.c `set_sethandler`",
  },
  "strict-requests": {
    since: "2.4.25",
    sinceOld: "2.2.32",
    does: "returns 400 for a `Host` header with characters that no host name has",
    source: "server/vhost.c `strict_hostname_check`; HttpProtocolOptions",
    fixes: ["CVE-2016-8743"],
    requests: "with a `Host` header that is not a host name",
  },
  "underscores-rejected": {
    since: "2.4.25",
    sinceOld: "2.2.32",
    until: "2.4.34",
    does: "returns 400 for a `Host` header with an underscore",
    source: "server/vhost.c `strict_hostname_check`",
    requests: "with an underscore in the `Host` header",
  },
  "own-url-below-root": {
    since: "2.4.26",
    does: "maps the URL of its own host in a `RewriteRule` below the DocumentRoot, even if its first folder exists on the disk",
    source: "mod_rewrite.c `hook_uri2file`, `uri_reduced`; PR 60009",
  },
  "unregistered-methods-rejected": {
    since: "2.4.28",
    does: "rejects a method in a `<Limit>` of a `.htaccess` file if no line of the server's files registers it",
    source: "server/core.c `ap_limit_section`",
    fixes: ["CVE-2017-9798"],
  },
  "comment-in-hosts-rejected": {
    since: "2.4.33",
    does: "refuses to start with a comment at the end of an `Allow` or `Deny` line",
    source: "mod_access_compat.c `allow_cmd`",
  },
  "slashes-merged": {
    since: "2.4.39",
    does: "merges repeated slashes in the path of a URL",
    source: "server/request.c `ap_process_request_internal`; MergeSlashes",
    fixes: ["CVE-2019-0220"],
    requests: "with repeated slashes in the path",
  },
  "dot-matches-line-feed": {
    since: "2.4.42",
    does: "lets `.` match a line feed in a pattern",
    source: "server/util_pcre.c `AP_REG_DEFAULT`; RegexDefaultOptions. 2.4.41 has it, but its core turns it off",
    fixes: ["CVE-2020-1927", "CVE-2019-10098"],
    requests: "with a line feed in the path",
  },
  "segments-before-escapes": {
    since: "2.4.49",
    does: "removes the segments `.` and `..` of a path before it resolves the escapes of reserved characters",
    source: "server/util.c `ap_normalize_path`; AH10244",
    requests: "with a segment `.` or `..` in the path",
  },
  "escaped-dots-kept": {
    since: "2.4.49",
    until: "2.4.51",
    does: "may keep a segment `..` that is written with escapes",
    source: "server/util.c `ap_normalize_path`; CVE-2021-41773, CVE-2021-42013",
    requests: "with escaped dots in the path",
  },
  "body-limit": {
    since: "2.4.54",
    does: "returns 413 for a body of more than 1 GiB by default",
    source: "server/core.c `AP_DEFAULT_LIMIT_REQ_BODY`; LimitRequestBody",
    fixes: ["CVE-2022-29404"],
  },
  "authentication-expressions": {
    since: "2.4.55",
    does: "evaluates the arguments of `AuthName` and `AuthType` as expressions",
    source: "mod_authn_core.c `set_authname`, `set_authtype`",
  },
  "blank-in-query-rejected": {
    since: "2.4.56",
    does: "returns 403 if rules lead to a query with a blank or a control character",
    source: "mod_rewrite.c `hook_uri2file`, `hook_fixup`; AH10410, AH10411; the flag BCTLS is since 2.4.57",
    fixes: ["CVE-2023-25690"],
  },
  "blank-in-redirect-escaped": {
    since: "2.4.57",
    does: "escapes such a query in a redirect without the flag NE, instead of a response with 403",
    source: "mod_rewrite.c `will_escape`",
    fixes: ["CVE-2023-25690"],
  },
  "encoded-question-mark-rejected": {
    since: "2.4.60",
    does: "returns 403 if a `RewriteRule` makes a `?` of an escaped one in the URL",
    source: "mod_rewrite.c `apply_rewrite_rule`; AH10508; UnsafeAllow3F",
    fixes: ["CVE-2024-38474"],
    requests: "with an escaped `?`",
  },
  "first-folder-of-rule": {
    since: "2.4.60",
    does: "takes the result of a `RewriteRule` of a server as a path on the disk only if the rule is written with its first folder, or if it is in the DocumentRoot",
    source: "mod_rewrite.c `prefix_stat`; UnsafePrefixStat",
    fixes: ["CVE-2024-38475"],
  },
  "relative-rewrites-below-root": {
    since: "2.4.60",
    does: "adds a slash before the result of a `RewriteRule` of a server that begins with none",
    source: "mod_rewrite.c `apply_rewrite_rule`, “add root prefix”",
    fixes: ["CVE-2024-39573"],
  },
  "leading-slashes-merged": {
    since: "2.4.62",
    does: "merges the slashes at the beginning of the result of a `RewriteRule`",
    source: "mod_rewrite.c `apply_rewrite_rule`; UNC",
    fixes: ["CVE-2024-40898"],
  },
  "own-question-mark-allowed": {
    since: "2.4.63",
    does: "returns 403 for an escaped `?` only if the first one of the result comes from the request",
    source: "mod_rewrite.c `do_expand`, `unsafe_qmark`; PR 69197",
    requests: "with an escaped `?`",
  },
  "expression-conditions-hold": {
    since: "2.4.64",
    until: "2.4.65",
    does: "takes each `RewriteCond expr` as true",
    source: "mod_rewrite.c `apply_rewrite_cond`; CHANGES of 2.4.65",
    fixes: ["CVE-2025-54090"],
  },
  "proxy-module-checked-in-sections": {
    since: "2.4.63",
    does: "returns 403 for the flag P of a `RewriteRule` in a section without mod_proxy",
    source: "mod_rewrite.c `hook_fixup`; AH10160; PR 56264",
  },
} as const satisfies Readonly<Record<string, VersionBehaviour>>;

export type BehaviourId = keyof typeof table;

const isBehaviourId = (id: string): id is BehaviourId => Object.hasOwn(table, id);

/** The names of all behaviours, as they are listed. */
export const behaviourIds: readonly BehaviourId[] = Object.keys(table).filter(isBehaviourId);

const behaviours: Readonly<Record<BehaviourId, VersionBehaviour>> = table;

/** Returns a behaviour by its name. */
export function behaviourOf(id: BehaviourId): VersionBehaviour {
  return behaviours[id];
}

/** Returns all behaviours, by the version that begins them, oldest first. */
export function listBehaviours(): readonly VersionBehaviour[] {
  return Object.values<VersionBehaviour>(behaviours);
}

/** What is known: `unknown` if a distribution may have the change of a later version. */
type Known = boolean | "unknown";

function readBehaviour(release: Release, { since, sinceOld, until, fixes = [] }: VersionBehaviour): Known {
  if (sinceOld !== undefined && isBefore(release, "2.4") && isSince(release, sinceOld)) return true;
  if (isBefore(release, since)) return isOfDistribution(release) && fixes.length > 0 ? "unknown" : false;
  if (until === undefined) return true;
  if (isSince(release, until)) return false;
  // A distribution may have the correction.
  return isOfDistribution(release) ? "unknown" : true;
}

const behavioursOf = memoizeByText((release: Release): ReadonlyMap<string, Known> => {
  const read = (each: VersionBehaviour) => readBehaviour(release, each);
  return new Map(Object.entries(behaviours).map(([id, each]) => [id, read(each)]));
});

/** Reports whether the httpd of a release has a behaviour; `unknown` if a distribution may have changed its version. */
export function behaves(release: Release, id: BehaviourId): Known {
  return behavioursOf(release).get(id) ?? false;
}

/**
 * Returns the requests that proofs leave out and that two versions of 2.4 answer, or may answer, differently: "with repeated
 * slashes in the path". None if a side is 2.2.
 */
export function listUnprovedRequests(before: Release, after: Release): readonly string[] {
  return isBefore(before, "2.4") || isBefore(after, "2.4") ? [] : listDifferingRequests(before, after);
}

/**
 * Returns the requests that a comparison of 2.2 with a version of 2.4 leaves out, because the versions may answer them
 * differently whatever the configuration is. None for two versions of 2.4.
 */
export function listUncomparedRequests(before: Release, after: Release): readonly string[] {
  return isBefore(before, "2.4") === isBefore(after, "2.4") ? [] : listDifferingRequests(before, after);
}

function listDifferingRequests(before: Release, after: Release): readonly string[] {
  if (before === after) return [];
  const found = Object.entries<VersionBehaviour>(behaviours).flatMap(([id, { requests }]) => {
    const [old, now] = [behavioursOf(before).get(id), behavioursOf(after).get(id)];
    return requests !== undefined && (old !== now || old === "unknown") ? [requests] : [];
  });
  return [...new Set(found)];
}
