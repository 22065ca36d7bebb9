import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { MigrationMethods } from "./access-policy.js";
import type { Inexpressible } from "./inexpressible.js";
import type { SectionPlan } from "./section-plan.js";

/** The planned content of each section. */
export interface MigrationPlan {
  readonly methods: MigrationMethods;
  readonly sections: ReadonlyMap<ConfigLayer, SectionPlan>;
  /** Sections that set a marker variable, with its name. */
  readonly markers: ReadonlyMap<ConfigLayer, string>;
  readonly refused: readonly Inexpressible[];
}
