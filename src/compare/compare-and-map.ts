import { type AccessMap, Mapping } from "./access-map.js";
import { Comparing, type Comparison } from "./compare.js";
import { type Side, surveyOf } from "./survey.js";
import { type SurveyBudget, usualBudget } from "./survey-budget.js";

/** What `compare` and `accessMap` say of two sides, gone over once for both. */
export function compareAndMap(
  before: Side,
  after: Side,
  budget: SurveyBudget = usualBudget,
): { readonly comparison: Comparison; readonly map: AccessMap } {
  const survey = surveyOf(before, after, budget);
  const comparing = new Comparing(survey);
  const mapping = new Mapping(survey);
  survey.tell([comparing, mapping]);
  return { comparison: comparing.comparison(), map: mapping.map() };
}
