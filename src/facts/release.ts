import { computeOnce, memoizeByText } from "../text/memoize.js";
import distributionTable from "./data/distributions.json" with { type: "json" };

/** The lines of releases, oldest first. The name of a line stands for its newest version. */
export const releaseLines = ["2.2", "2.4"] as const;
export type ReleaseLine = (typeof releaseLines)[number];

/** The distributions whose versions of httpd are known. */
const distributions = ["debian", "opensuse-leap", "rhel", "sles", "ubuntu"] as const;
type DistributionRelease = `${(typeof distributions)[number]}-${string}`;

/**
 * A release of httpd: a line, one of its versions, or the httpd of a distribution (`rhel-7`). Use `isSince` for their
 * order, and `lineOf` for what distinguishes 2.2 from 2.4.
 */
export type Release = ReleaseLine | `${ReleaseLine}.${number}` | DistributionRelease;

/** A version of httpd as numbers. */
export type Version = readonly [major: number, minor: number, patch: number];

/** The newest version of each line that the tool was checked against. */
const newestVersions: Readonly<Record<ReleaseLine, Version>> = { "2.2": [2, 2, 34], "2.4": [2, 4, 71] };

const distributionVersions = computeOnce(
  (): ReadonlyMap<string, string> =>
    new Map(distributionTable.distributions.map(([name = "", version = ""]) => [name, version])),
);

/** Other names of distributions, with the one whose packages they rebuild. */
const rebuilds: Readonly<Record<string, string>> = {
  almalinux: "rhel",
  centos: "rhel",
  ol: "rhel",
  oraclelinux: "rhel",
  rocky: "rhel",
  rockylinux: "rhel",
};

/** Returns the numbers of a release: those of its newest version for a line. */
export const versionOf = memoizeByText((release: string): Version => {
  const version = distributionVersions().get(release) ?? release;
  const [, minor = 0, patch] = version.split(".").map(Number);
  const line = minor < 3 ? "2.2" : "2.4";
  return patch === undefined ? newestVersions[line] : [2, minor, patch];
});

/** Returns the line of a release. */
export function lineOf(release: Release): ReleaseLine {
  return isSince(release, "2.4") ? "2.4" : "2.2";
}

/** Returns the line that a release is not of. */
export function otherLineOf(release: Release): ReleaseLine {
  return lineOf(release) === "2.4" ? "2.2" : "2.4";
}

const order = memoizeByText((release: string) => {
  const [, minor, patch] = versionOf(release);
  return minor * 1000 + patch;
});

/** The place of a version in the order; that of the first version for a line. */
const firstOf = memoizeByText((version: string) => order(/^\d+\.\d+$/.test(version) ? `${version}.0` : version));

/** Reports whether a release is at least a version; a line stands for its first version. */
export function isSince(release: Release, first: Release): boolean {
  return order(release) >= firstOf(first);
}

/** Reports whether a release is known and older than a version; a line stands for its first version. */
export function isBefore(release: Release | undefined, first: Release): boolean {
  return release !== undefined && !isSince(release, first);
}

/** Reports whether a release is the newest version of its line, to which the tables of directives apply as they are. */
export function isNewest(release: Release): boolean {
  return order(release) >= order(lineOf(release));
}

/** Returns the release of a version: a line for its newest version, and for versions that are not modeled. */
export function releaseOf([major, minor, patch]: Version): Release {
  const line = major < 2 || (major === 2 && minor < 3) ? "2.2" : "2.4";
  return `${major}.${minor}` === line && patch < newestVersions[line][2] ? `${line}.${patch}` : line;
}

/**
 * Reads the name of a release, as users write it: `2.4`, `2.4.29`, `httpd:2.4.57` (an image), `rhel-7`, `centos:7`.
 *
 * @returns undefined if the name is of no release of 2.2 or 2.4, or of no known distribution
 */
export function parseRelease(text: string): Release | undefined {
  const [, line, patch] = /^(?:(?:httpd|apache)[:/ -])?(2\.[24])(?:\.(\d{1,3}))?(?:-\w+)?$/i.exec(text) ?? [];
  const known = releaseLines.find((each) => each === line);
  if (known !== undefined) return patch === undefined ? known : `${known}.${Number(patch)}`;
  const [, name = "", number = ""] = /^([a-z]+(?:-leap)?)[-: ]?v?(\d[\d.]*)$/.exec(text.toLowerCase()) ?? [];
  const original = rebuilds[name] ?? name;
  const distribution = distributions.find((each) => each === original);
  if (distribution === undefined) return undefined;
  const [major = ""] = number.split(".");
  const names = [`${distribution}-${number}`, `${distribution}-${major}`] as const;
  return names.find((each) => distributionVersions().has(each));
}

/** Code names in the tags of images, with the number of the release. */
const codeNames: Readonly<Record<string, string>> = {
  ...{ wheezy: "7", jessie: "8", stretch: "9", buster: "10", bullseye: "11", bookworm: "12", trixie: "13" },
  ...{ precise: "12.04", trusty: "14.04", xenial: "16.04", bionic: "18.04", focal: "20.04", jammy: "22.04" },
  noble: "24.04",
};

/** The names of images of distributions, where they are others than those of the distributions. */
const imageNames: Readonly<Record<string, string>> = {
  leap: "opensuse-leap",
  ubi: "rhel",
};

/** The packages with httpd. */
const httpdPackage = /^(?:apache2|httpd)(?:[=-]v?(?:\d+:)?(2\.\d+\.\d+)\S*)?$/;

/**
 * Returns the release of the httpd in a container image.
 *
 * @param image as FROM names it: `httpd:2.4.57`, `debian:12-slim`, `php:8.2-apache-bookworm`
 * @param packages those that are installed in it, with their versions if they are given: `apache2=2.4.57-2`
 * @returns undefined if the image has no httpd, or if its version is not known
 */
export function releaseOfImage(image: string, packages: readonly string[]): Release | undefined {
  const [, name = "", tag = ""] = /^(?:[^@]*\/)?([^/:@]+)(?::([^@]*))?/.exec(image.toLowerCase()) ?? [];
  // Tags without a version are the newest one: `latest`, `2`, `alpine`.
  if (name === "httpd") return parseRelease(`httpd:${tag}`) ?? (/^(?:2?|2-.*|[a-z].*)$/.test(tag) ? "2.4" : undefined);
  const installed = packages.map((each) => httpdPackage.exec(each)).find((found) => found !== null);
  const named = installed?.[1] === undefined ? undefined : parseRelease(installed[1]);
  if (named !== undefined) return named;
  const [, codeName] = name === "php" ? (/apache-([a-z]+)$/.exec(tag) ?? []) : [];
  if (codeName !== undefined) return releaseOfTag("debian", codeName);
  if (installed === undefined) return undefined;
  const [, bare = name, number = ""] = /^(ubi)(\d*)(?:-minimal|-init)?$/.exec(name) ?? [];
  return releaseOfTag(imageNames[bare] ?? bare, number === "" ? tag : number);
}

function releaseOfTag(name: string, tag: string): Release | undefined {
  const [word = ""] = tag.split("-");
  return parseRelease(`${name}-${codeNames[word] ?? word}`);
}

/** Reports whether a release is that of a distribution, which may have corrections of later versions. */
export function isOfDistribution(release: Release): boolean {
  return !/^\d/.test(release);
}

const fixedWords = computeOnce((): ReadonlySet<string> => new Set(distributionTable.security));

/**
 * Reports whether the httpd of a distribution may have a directive or a word of a later version, because it belongs to a fix
 * of a vulnerability.
 *
 * @param name a directive in lower case, or a directive and its word
 */
export function mayBeBackported(release: Release, name: string): boolean {
  return isOfDistribution(release) && fixedWords().has(name);
}

/** Returns the name of a release for messages: `httpd 2.4.29`, `httpd 2.4.6 of rhel-7`. */
export function nameRelease(release: Release): string {
  return isOfDistribution(release) ? `httpd ${versionOf(release).join(".")} of ${release}` : `httpd ${release}`;
}

/** Returns the names of all releases: lines, versions and those of distributions. */
export const listReleases = computeOnce((): readonly Release[] => [
  ...releaseLines,
  ...[...distributionVersions().keys()].flatMap((name) => parseRelease(name) ?? []),
  ...releaseLines.flatMap((line) =>
    Array.from({ length: newestVersions[line][2] + 1 }, (_, patch): Release => `${line}.${patch}`),
  ),
]);

/** Returns the releases of distributions that are maintained at a time, those with the oldest version first. */
export function listMaintainedReleases(now: Date): readonly Release[] {
  const today = now.toISOString().slice(0, 10);
  const maintained = distributionTable.distributions.filter(([, , until = ""]) => until >= today);
  const releases = maintained.flatMap(([name = ""]) => parseRelease(name) ?? []);
  return releases.toSorted((a, b) => order(a) - order(b));
}
