export {
  deploysByTier,
  tierFacts,
  type DeployConfig,
  type DeploysByTier,
  type TierConfig,
  type TierFacts,
} from "./tiers.ts";
