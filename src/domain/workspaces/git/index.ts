export { cloneRepository } from "./clone-repository.ts";
export { commitAndPush } from "./commit-and-push.ts";
export {
  commitChanges,
  createBranch,
  disconnectRepository,
  initRepository,
  stageChanges,
  switchBranch,
} from "./change-repository.ts";
export { pull, push } from "./exchange.ts";
export type { GitDeps } from "./open-repository.ts";
export { describeRemoteRepository } from "./remote-repository.ts";
export { readBranches, readCommits, readDiff, readInfo, readStatus, readTree } from "./read-repository.ts";
export { cloneAndWait, requestClone } from "./request-clone.ts";
