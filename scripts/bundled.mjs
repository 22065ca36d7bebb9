// Lists the third-party code in the bundles, exactly as esbuild included it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the packages in bundles, by name and version. @param metafiles esbuild's metafiles of the bundles */
export function bundledPackages(metafiles) {
  const paths = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(paths.flatMap((path) => packageFolder(path) ?? []));
  const all = [...folders]
    .map((folder) => ({ folder, ...manifestIn(folder) }))
    .sort((a, b) => (a.purl < b.purl ? -1 : 1));
  return all.filter(({ purl }, index) => purl !== all[index - 1]?.purl);
}

/** Returns the folder of the package that contains a file: the innermost one. */
function packageFolder(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replace(/^[^/]*:/, ""))?.[0];
}

function manifestIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, license, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

/** Returns a bill of materials (CycloneDX 1.5). */
export function sbomOf(packages) {
  const described = ({ name, version, purl, license }) => ({
    ...{ "bom-ref": purl, name, version, purl, licenses: [{ expression: license }] },
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", ...described(manifestIn(".")) } },
    components: packages.map((each) => ({ type: "library", ...described(each) })),
  };
}

/** Returns the licences of packages, which most of them require to be included. */
export function noticesOf(packages) {
  return packages.map(({ folder, name, version, license }) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version} (${license})\n${"=".repeat(72)}\n${text === "" ? "Its package holds no text of the licence." : text}\n`;
  });
}
