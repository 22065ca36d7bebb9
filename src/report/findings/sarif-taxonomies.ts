import type { ReportingDescriptorRelationship, ToolComponent } from "sarif";
import { listReferences, type Reference, type RuleReferences, referenceCatalogues } from "../../lint/references.js";
import type { RuleDefinition } from "../../lint/rule.js";

/** Returns the catalogues that some rules refer to, each with these entries (SARIF 2.1.0, section 3.14.8). */
export function createTaxonomies(rules: readonly RuleDefinition[]): readonly ToolComponent[] {
  const all = rules.flatMap(({ references }) => listReferences(references));
  return referenceCatalogues.flatMap((catalogue) => {
    const used = new Map(all.filter((each) => each.catalogue === catalogue).map((each) => [each.id, each]));
    if (used.size === 0) return [];
    const { name, title, organization, edition, url } = catalogue;
    return {
      name,
      organization,
      shortDescription: { text: title },
      informationUri: url,
      ...(edition === undefined ? {} : { version: edition }),
      isComprehensive: false,
      taxa: [...used.values()].sort(compareNumbers).map(describeTaxon),
    };
  });
}

function compareNumbers(a: Reference, b: Reference): number {
  return a.id.localeCompare(b.id, "en", { numeric: true });
}

function describeTaxon({ id, text, url }: Reference) {
  return { id, name: text, ...(url === undefined ? {} : { helpUri: url }) };
}

/** Returns the relationships of a rule to the entries that it refers to. */
export function relationshipsOf(
  references: RuleReferences | undefined,
  taxonomies: readonly ToolComponent[],
): ReportingDescriptorRelationship[] {
  return listReferences(references).map(({ catalogue: { name }, id }) => {
    const index = taxonomies.findIndex((taxonomy) => taxonomy.name === name);
    return { target: { id, toolComponent: { name, index } }, kinds: ["relevant"] };
  });
}

/** Returns the tags by which GitHub shows the weaknesses of a rule: `external/cwe/cwe-079`. */
export function weaknessTagsOf(references: RuleReferences | undefined): readonly string[] {
  return (references?.cwe ?? []).map((number) => `external/cwe/cwe-${String(number).padStart(3, "0")}`);
}
