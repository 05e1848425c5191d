import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import type { GitOperations } from "../protocol.ts";
import { requireRepository, type Repository } from "../repository.ts";
import { stage } from "./stage.ts";

/** Commits to the current branch. */
export async function commit(
  repository: Repository,
  { message, author, paths }: GitOperations["commit"]["input"],
): Promise<GitOperations["commit"]["output"]> {
  await requireRepository(repository);
  if (message.trim() === "") throw new AppError("invalid_input", "The commit message is empty");
  await stage(repository, { paths });
  try {
    const sha = await git.commit({
      ...repository.at,
      message,
      author,
      committer: author,
      disallowEmpty: true,
    });
    return { sha };
  } catch (error) {
    if (!(error instanceof git.Errors.EmptyCommitError)) throw error;
    throw new AppError("conflict", "There is nothing to commit");
  }
}
