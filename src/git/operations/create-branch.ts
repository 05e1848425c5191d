import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import { checkBranchName } from "../names.ts";
import type { GitOperations } from "../protocol.ts";
import { requireRepository, resolve, type Repository } from "../repository.ts";

/** Creates a branch at HEAD. Checking it out changes no file, so local changes are kept. */
export async function createBranch(
  repository: Repository,
  { name, checkout }: GitOperations["createBranch"]["input"],
): Promise<GitOperations["createBranch"]["output"]> {
  await requireRepository(repository);
  checkBranchName(name);
  if ((await resolve(repository, "HEAD")) === undefined && !checkout) {
    throw new AppError("conflict", "There is no commit yet to start a branch from");
  }
  try {
    await git.branch({ ...repository.at, ref: name, checkout });
  } catch (error) {
    if (!(error instanceof git.Errors.AlreadyExistsError)) throw error;
    throw new AppError("conflict", `The branch ${name} already exists`);
  }
  return { checkedOut: checkout };
}
