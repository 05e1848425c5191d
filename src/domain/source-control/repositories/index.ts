export { parseRepositoryUrl, type RepositoryAddress } from "./repository-url.ts";
export { isCloneUnderWay, requireNoClone } from "./require-no-clone.ts";
export {
  beginClone,
  claimClone,
  deleteRepository,
  finishClone,
  giveUpClone,
  noteSync,
  recordCloned,
  recordRemote,
  renewClone,
  repositoryOf,
  retryClone,
  waitingClones,
  type Repository,
} from "./queries.ts";
