export {
  listAgentsOfCreator,
  refusalOfName,
  requireCreator,
  requireCreatorNamed,
  type Creator,
} from "./find-creator.ts";
