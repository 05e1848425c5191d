export { cloneDue } from "./clone-due.ts";
export { parseRepositoryUrl, type RepositoryAddress } from "./repository-url.ts";
export { isCloneUnderWay, requireNoClone } from "./require-no-clone.ts";
export {
  beginClone,
  cloneDone,
  cloneFailed,
  cloneInterrupted,
  cloneProgress,
  deleteRepository,
  noteSync,
  readRepository,
  recordCloned,
  recordRemote,
  repositoryOf,
  type Repository,
} from "./queries.ts";
