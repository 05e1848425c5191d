export { tierFacts, type TierConfig, type TierFacts } from "./tiers.ts";
