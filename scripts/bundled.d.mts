/** A package in a bundle. */
export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly purl: string;
}

interface BundleInputs {
  readonly inputs: Readonly<Record<string, unknown>>;
}

export function bundledPackages(metafiles: readonly BundleInputs[]): readonly BundledPackage[];
export function sbomOf(packages: readonly BundledPackage[]): object;
export function noticesOf(packages: readonly BundledPackage[]): readonly string[];
